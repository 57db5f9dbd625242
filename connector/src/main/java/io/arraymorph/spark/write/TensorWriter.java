package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.write.TaskWrite;
import io.arraymorph.layout.zarr.write.WrittenArray;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/** Writes rows that are tensors: the box of each starts at the row's index. */
final class TensorWriter extends TaskWriter {
  private final List<WrittenArray> arrays;

  TensorWriter(WriteJob job, List<WrittenArray> arrays, TaskWrite task) {
    super(job, arrays, task);
    this.arrays = arrays;
  }

  @Override
  void write(InternalRow row, long[] at) {
    for (int v = 0; v < job().columns().size(); v++) {
      WriteJob.ValueColumn column = job().columns().get(v);
      int ordinal = at.length + v;
      if (row.isNullAt(ordinal)) {
        throw nullValue(column, at);
      }
      // IndexedRows puts data first.
      InternalRow tensor = row.getStruct(ordinal, 2);
      if (tensor.isNullAt(0) || tensor.isNullAt(1)) {
        throw nullValue(column, at);
      }
      ArrayData data = tensor.getArray(0);
      Shape box = box(column, tensor.getArray(1), data.numElements(), at);
      task().writer(v).write(at, elements(v, data, box, at));
    }
  }

  private Elements elements(int v, ArrayData data, Shape box, long[] at) {
    WriteJob.ValueColumn column = job().columns().get(v);
    if (!column.hasNulls() || !hasNull(data)) {
      return encoder(v).elements(data, box);
    }
    if (!column.nullIsFill()) {
      throw nullValue(column, at);
    }
    return encoder(v).elementsOr(data, box, arrays.get(v).array().schema().fill());
  }

  private static boolean hasNull(ArrayData data) {
    for (int i = 0; i < data.numElements(); i++) {
      if (data.isNullAt(i)) {
        return true;
      }
    }
    return false;
  }

  /** The lengths of a tensor's box along all dimensions: 1 along those that it does not span. */
  private Shape box(WriteJob.ValueColumn column, ArrayData lengths, int elements, long[] at) {
    int[] packed = job().packed();
    long[] counts = new long[at.length];
    Arrays.fill(counts, 1);
    long product = 1;
    boolean fits = lengths.numElements() == packed.length;
    for (int i = 0; fits && i < packed.length; i++) {
      long length = lengths.isNullAt(i) ? -1 : lengths.getInt(i);
      fits = length >= 0 && (length == 0 || product <= elements / length);
      product *= length;
      counts[packed[i]] = length;
    }
    if (!fits || product != elements) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "the tensor of column "
              + column.name()
              + " at "
              + Arrays.toString(at)
              + " has shape "
              + text(lengths)
              + " and "
              + elements
              + " elements",
          "Give "
              + packed.length
              + " lengths whose product is the number of elements, as in all other rows");
    }
    return Shape.of(counts);
  }

  private static String text(ArrayData lengths) {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < lengths.numElements(); i++) {
      text.append(i == 0 ? "" : ", ").append(lengths.isNullAt(i) ? "NULL" : lengths.getInt(i));
    }
    return text.append("]").toString();
  }
}
