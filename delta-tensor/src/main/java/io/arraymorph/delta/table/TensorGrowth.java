package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorHeader;

/** What a tensor becomes when another one is appended to it. */
final class TensorGrowth {
  private TensorGrowth() {}

  /** The schema after the append; SHAPE_MISMATCH or TYPE_MISMATCH if they do not fit. */
  static ArraySchema grow(TensorHeader header, int dimension, ArraySchema more) {
    Shape shape = header.schema().shape();
    boolean fits =
        dimension >= 0 && dimension < shape.rank() && more.shape().rank() == shape.rank();
    for (int d = 0; fits && d < shape.rank(); d++) {
      fits = d == dimension || shape.length(d) == more.shape().length(d);
    }
    if (!fits) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "a tensor of shape "
              + more.shape()
              + " cannot be appended to '"
              + header.tensorId()
              + "' of shape "
              + shape
              + " along dimension "
              + dimension,
          "All lengths but that of the dimension appended along must agree");
    }
    if (!more.dataType().equals(header.schema().dataType())) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "values of type "
              + more.dataType().zarrName()
              + " cannot be appended to '"
              + header.tensorId()
              + "' of "
              + header.schema().dataType().zarrName(),
          "Cast them to the tensor's type");
    }
    long[] lengths = shape.toArray();
    lengths[dimension] = Math.addExact(lengths[dimension], more.shape().length(dimension));
    ArraySchema schema = header.schema();
    return new ArraySchema(
        schema.dataType(), Shape.of(lengths), schema.dimensionNames(), schema.fill());
  }
}
