package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/** The Spark type of each logical column type. */
final class SparkTypes {
  private SparkTypes() {}

  /** The Spark type that holds the values of a column. */
  static DataType of(ColumnType type) {
    if (type instanceof ColumnType.Struct) {
      List<StructField> fields = new ArrayList<>();
      for (ColumnType.Struct.Field field : ((ColumnType.Struct) type).fields()) {
        fields.add(DataTypes.createStructField(field.name(), of(field.type()), true));
      }
      return DataTypes.createStructType(fields);
    }
    switch ((Scalar) type) {
      case BOOLEAN:
        return DataTypes.BooleanType;
      case BYTE:
        return DataTypes.ByteType;
      case SHORT:
        return DataTypes.ShortType;
      case INT:
        return DataTypes.IntegerType;
      case LONG:
        return DataTypes.LongType;
      case DECIMAL20:
        return DataTypes.createDecimalType(20, 0);
      case FLOAT:
        return DataTypes.FloatType;
      case DOUBLE:
        return DataTypes.DoubleType;
      case STRING:
        return DataTypes.StringType;
      case BINARY:
        return DataTypes.BinaryType;
      case TIMESTAMP:
        return DataTypes.TimestampType;
      case TIMESTAMP_NTZ:
        return DataTypes.TimestampNTZType;
      case DAY_TIME_INTERVAL:
        return DataTypes.createDayTimeIntervalType();
    }
    throw new IllegalStateException("no Spark type for " + type);
  }
}
