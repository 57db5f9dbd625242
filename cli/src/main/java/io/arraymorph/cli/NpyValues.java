package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.dataset.Variable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.UnaryOperator;

/**
 * Elements of a variable as they go into a file: raw, or decoded with NaN and NaT for missing ones.
 *
 * @param type of the elements in the file
 * @param conversion from raw elements
 */
record NpyValues(DataType type, UnaryOperator<Elements> conversion) {

  /**
   * The values of a variable.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE for decoded values that numpy has no type for
   */
  static NpyValues of(Variable variable, boolean decoded) {
    CfDecoding decoding = variable.decoding();
    if (!decoded || decoding.isIdentity()) {
      return new NpyValues(variable.array().schema().dataType(), UnaryOperator.identity());
    }
    DataType type = numpyType(variable);
    return new NpyValues(type, raw -> convert(decoding.decode(raw), type, raw.shape()));
  }

  Elements of(Elements raw) {
    return conversion.apply(raw);
  }

  private static DataType numpyType(Variable variable) {
    boolean nullable = variable.decoding().isNullable();
    DataType float64 = new DataType.Float(FloatFormat.FLOAT64);
    if (variable.type() instanceof ColumnType.Scalar) {
      switch ((ColumnType.Scalar) variable.type()) {
        case FLOAT:
          return new DataType.Float(FloatFormat.FLOAT32);
        case DOUBLE:
          return float64;
        case BYTE:
        case SHORT:
        case INT:
          int bits = 8 * variable.type().byteWidth();
          return nullable ? float64 : new DataType.Int(bits, true);
        case LONG:
        case DECIMAL20:
          if (!nullable) {
            return new DataType.Int(64, variable.type() == ColumnType.Scalar.LONG);
          }
          break;
        case BOOLEAN:
          if (!nullable) {
            return new DataType.Bool();
          }
          break;
        case TIMESTAMP:
        case TIMESTAMP_NTZ:
          return new DataType.DateTime64(TimeUnit64.MICROSECOND, 1);
        case DAY_TIME_INTERVAL:
          return new DataType.TimeDelta64(TimeUnit64.MICROSECOND, 1);
        default:
          break;
      }
    }
    throw new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "decoded values of " + variable.name() + " (" + variable.type() + ") have no numpy type",
        "Read them without --decode");
  }

  private static FixedWidthElements convert(DecodedColumn column, DataType type, Shape shape) {
    int width = column.type().byteWidth();
    boolean widened = type instanceof DataType.Float && width != type.byteWidth();
    boolean integral =
        column.type() != ColumnType.Scalar.DOUBLE && column.type() != ColumnType.Scalar.FLOAT;
    if (!column.validity().hasNulls() && !widened) {
      return new FixedWidthElements(type, shape, column.values(), column.valuesOffset());
    }
    ByteBuffer bytes =
        ByteBuffer.allocate(column.count() * type.byteWidth()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < column.count(); i++) {
      boolean missing = column.isNull(i);
      if (!(type instanceof DataType.Float)) {
        bytes.putLong(missing ? Long.MIN_VALUE : column.longAt(i));
      } else {
        double value =
            missing ? Double.NaN : integral ? (double) column.longAt(i) : column.doubleAt(i);
        if (type.byteWidth() == 4) {
          bytes.putFloat((float) value);
        } else {
          bytes.putDouble(value);
        }
      }
    }
    return new FixedWidthElements(type, shape, bytes.array(), 0);
  }
}
