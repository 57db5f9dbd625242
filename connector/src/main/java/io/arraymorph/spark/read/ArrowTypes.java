package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.spark.sql.types.StructType;

/** The Arrow field of each logical column type, as Spark's ArrowColumnVector reads it. */
final class ArrowTypes {
  private ArrowTypes() {}

  /**
   * A field for the values of a column.
   *
   * @param wanted the Spark type that is asked for; fields of a struct that it lacks are left out
   */
  static Field field(String name, ColumnType type, org.apache.spark.sql.types.DataType wanted) {
    if (type instanceof Scalar) {
      return new Field(name, FieldType.nullable(scalar((Scalar) type)), List.of());
    }
    List<Field> children = new ArrayList<>();
    for (String field : ((StructType) wanted).fieldNames()) {
      ColumnType.Struct.Field found = named((ColumnType.Struct) type, field);
      children.add(field(field, found.type(), ((StructType) wanted).apply(field).dataType()));
    }
    return new Field(name, FieldType.nullable(ArrowType.Struct.INSTANCE), children);
  }

  private static ColumnType.Struct.Field named(ColumnType.Struct type, String name) {
    return type.fields().get(position(type, name));
  }

  /** The position of a field of a struct. */
  static int position(ColumnType.Struct type, String name) {
    for (int i = 0; i < type.fields().size(); i++) {
      if (type.fields().get(i).name().equals(name)) {
        return i;
      }
    }
    throw new IllegalArgumentException("no field " + name + " in " + type);
  }

  private static ArrowType scalar(Scalar type) {
    switch (type) {
      case BOOLEAN:
        return ArrowType.Bool.INSTANCE;
      case BYTE:
        return new ArrowType.Int(8, true);
      case SHORT:
        return new ArrowType.Int(16, true);
      case INT:
        return new ArrowType.Int(32, true);
      case LONG:
        return new ArrowType.Int(64, true);
      case DECIMAL20:
        return new ArrowType.Decimal(20, 0, 128);
      case FLOAT:
        return new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE);
      case DOUBLE:
        return new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE);
      case STRING:
        return ArrowType.Utf8.INSTANCE;
      case BINARY:
        return ArrowType.Binary.INSTANCE;
      case TIMESTAMP:
        return new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC");
      case TIMESTAMP_NTZ:
        return new ArrowType.Timestamp(TimeUnit.MICROSECOND, null);
      case DAY_TIME_INTERVAL:
        return new ArrowType.Duration(TimeUnit.MICROSECOND);
    }
    throw new IllegalStateException("no Arrow type for " + type);
  }
}
