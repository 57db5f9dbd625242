package io.arraymorph.spark.read;

import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.column.Validity;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.vectorized.ArrowColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * A tensor column of a batch in Arrow memory: {@code STRUCT<data: ARRAY<T>, shape: ARRAY<INT>>}.
 *
 * <p>The same vectors are filled for every batch; {@link #close()} frees them. One thread.
 */
final class TensorVector implements AutoCloseable {
  private final org.apache.arrow.vector.complex.StructVector struct;
  private final ColumnVector column;

  /** Empty vectors for the fields that the column's type has. */
  TensorVector(OutputColumn.Tensor tensor, BufferAllocator allocator) {
    List<Field> fields = new ArrayList<>();
    for (String name : tensor.type().fieldNames()) {
      ArrayType array = (ArrayType) tensor.type().apply(name).dataType();
      Field element =
          name.equals("data")
              ? ArrowTypes.field("element", tensor.cell(), array.elementType())
              : new Field("element", FieldType.nullable(new ArrowType.Int(32, true)), List.of());
      fields.add(new Field(name, FieldType.nullable(ArrowType.List.INSTANCE), List.of(element)));
    }
    Field field = new Field("tensor", FieldType.nullable(ArrowType.Struct.INSTANCE), fields);
    this.struct = (org.apache.arrow.vector.complex.StructVector) field.createVector(allocator);
    this.column = new Lasting(struct);
  }

  /** The column as Spark reads it, valid after {@link #fill}. */
  ColumnVector column() {
    return column;
  }

  /**
   * Replaces the content.
   *
   * @param data the values of each row, empty if they are not wanted
   * @param shapes the shape of each row
   */
  void fill(List<ArrowValues.Run> data, List<Shape> shapes) {
    struct.setInitialCapacity(Math.max(1, shapes.size()));
    struct.allocateNew();
    for (FieldVector child : struct.getChildrenFromFields()) {
      boolean isData = child.getName().equals("data");
      fillList(
          (ListVector) child, isData ? data : shapes.stream().map(TensorVector::ints).toList());
    }
    for (int row = 0; row < shapes.size(); row++) {
      struct.setIndexDefined(row);
    }
    struct.setValueCount(shapes.size());
  }

  private static void fillList(ListVector list, List<ArrowValues.Run> rows) {
    list.setInitialCapacity(Math.max(1, rows.size()));
    list.allocateNew();
    for (int row = 0; row < rows.size(); row++) {
      list.startNewValue(row);
      list.endValue(row, rows.get(row).count());
    }
    ArrowValues.fill(list.getDataVector(), rows);
    list.setValueCount(rows.size());
  }

  private static ArrowValues.Run ints(Shape shape) {
    byte[] bytes = new byte[4 * shape.rank()];
    for (int d = 0; d < shape.rank(); d++) {
      LittleEndianBytes.putInt(bytes, 4 * d, Math.toIntExact(shape.length(d)));
    }
    return ArrowValues.Run.all(
        DecodedColumn.fixed(Scalar.INT, shape.rank(), bytes, 0, Validity.ALL));
  }

  @Override
  public void close() {
    struct.close();
  }

  /** Lives from batch to batch: Spark closes columns after each, these are freed by the reader. */
  private static final class Lasting extends ArrowColumnVector {
    Lasting(FieldVector vector) {
      super(vector);
    }

    @Override
    public void close() {}

    @Override
    public void closeIfFreeable() {}
  }
}
