package io.arraymorph.layout.npy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.dataset.Variable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.UnaryOperator;

/**
 * Elements of a variable as numpy holds them: raw, or decoded with NaN and NaT for missing ones.
 *
 * <p>What CF only widens keeps its stored type ({@code uint8} stays that). Masked integers become
 * floats, of 4 bytes up to 16 bits, else of 8, as xarray makes them.
 *
 * @param type of the elements that numpy gets
 * @param conversion from raw elements
 */
public record NpyValues(DataType type, UnaryOperator<Elements> conversion) {
  private static final UnaryOperator<Elements> AS_STORED = UnaryOperator.identity();
  private static final DataType FLOAT32 = new DataType.Float(FloatFormat.FLOAT32);
  private static final DataType FLOAT64 = new DataType.Float(FloatFormat.FLOAT64);

  /**
   * The values of a variable.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE for decoded values that numpy has no type for
   */
  public static NpyValues of(Variable variable, boolean decoded) {
    CfDecoding decoding = variable.decoding();
    DataType stored = variable.array().schema().dataType();
    if (!decoded || decoding.isIdentity() || (decoding.isWideningOnly() && isOfNumpy(stored))) {
      return new NpyValues(stored, AS_STORED);
    }
    DataType type = numpyType(variable, stored);
    return new NpyValues(type, raw -> convert(decoding.decode(raw), type, raw.shape()));
  }

  /** The values of these raw elements; the same object where nothing changes. */
  public Elements of(Elements raw) {
    return conversion.apply(raw);
  }

  /** True if the values are the raw elements. */
  @SuppressWarnings("ReferenceEquality") // Functions have no other equality.
  public boolean isAsStored() {
    return conversion == AS_STORED;
  }

  private static boolean isOfNumpy(DataType stored) {
    return !(stored instanceof DataType.Float)
        || stored.equals(FLOAT32)
        || stored.equals(FLOAT64)
        || ((DataType.Float) stored).format() == FloatFormat.FLOAT16;
  }

  private static DataType numpyType(Variable variable, DataType stored) {
    boolean nullable = variable.decoding().isNullable();
    if (variable.type() instanceof Scalar) {
      Scalar scalar = (Scalar) variable.type();
      switch (scalar) {
        case FLOAT:
          return FLOAT32;
        case DOUBLE:
          return FLOAT64;
        case BYTE:
        case SHORT:
        case INT:
        case LONG:
        case DECIMAL20:
          if (nullable) {
            return stored.byteWidth() <= 2 ? FLOAT32 : FLOAT64;
          }
          return new DataType.Int(8 * scalar.byteWidth(), scalar != Scalar.DECIMAL20);
        case BOOLEAN:
          return nullable ? FLOAT32 : new DataType.Bool();
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
        "Read them without decoding");
  }

  private static FixedWidthElements convert(DecodedColumn column, DataType type, Shape shape) {
    int width = column.type().byteWidth();
    boolean fractional = column.type() == Scalar.DOUBLE || column.type() == Scalar.FLOAT;
    boolean sameBytes = width == type.byteWidth() && fractional == (type instanceof DataType.Float);
    if (!sameBytes) {
      return asFloats(column, type, shape);
    }
    if (!column.validity().hasNulls()) {
      return new FixedWidthElements(type, shape, column.values(), column.valuesOffset());
    }
    int first = column.valuesOffset();
    byte[] bytes =
        Arrays.copyOfRange(column.values(), first, Math.addExact(first, column.count() * width));
    ByteBuffer values = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < column.count(); i++) {
      if (column.isNull(i)) {
        putMissing(values, i * width, type);
      }
    }
    return new FixedWidthElements(type, shape, bytes, 0);
  }

  private static void putMissing(ByteBuffer values, int at, DataType type) {
    if (!(type instanceof DataType.Float)) {
      values.putLong(at, Long.MIN_VALUE); // NaT: only times are nullable and no float
    } else if (type.byteWidth() == 4) {
      values.putFloat(at, Float.NaN);
    } else {
      values.putDouble(at, Double.NaN);
    }
  }

  private static FixedWidthElements asFloats(DecodedColumn column, DataType type, Shape shape) {
    boolean narrow = type.byteWidth() == 4;
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.multiplyExact(column.count(), type.byteWidth()))
            .order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < column.count(); i++) {
      double value = column.isNull(i) ? Double.NaN : number(column, i);
      if (narrow) {
        bytes.putFloat((float) value);
      } else {
        bytes.putDouble(value);
      }
    }
    return new FixedWidthElements(type, shape, bytes.array(), 0);
  }

  private static double number(DecodedColumn column, int i) {
    if (column.type() == Scalar.DOUBLE || column.type() == Scalar.FLOAT) {
      return column.doubleAt(i);
    }
    long bits = column.longAt(i);
    boolean large = bits < 0 && column.type() == Scalar.DECIMAL20;
    return large ? ((bits >>> 1) | (bits & 1)) * 2.0 : (double) bits;
  }
}
