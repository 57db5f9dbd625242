package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DayTimeIntervalType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StringType;

/**
 * How values of a Spark type are stored in a new array: the element type, and CF's attributes for
 * times ({@code docs/spec/types.md}).
 *
 * @param stored element type
 * @param timeUnits CF's {@code units} attribute, for times stored as counts
 */
record ElementType(DataType stored, Optional<String> timeUnits) {
  static final String MICROSECONDS = "microseconds since 1970-01-01";
  static final String DAYS = "days since 1970-01-01";

  /**
   * The type in which a column is stored.
   *
   * @param metadata of the column: one that was read from an array names the stored type there
   * @throws ArrayMorphException UNSUPPORTED_TYPE
   */
  static ElementType of(
      String column, org.apache.spark.sql.types.DataType type, Metadata metadata) {
    if (metadata.contains("dtype")) {
      Optional<DataType> named = named(metadata.getString("dtype"));
      if (named.isPresent() && ElementEncoder.fits(type, named.get())) {
        return plain(named.get());
      }
    }
    if (type.equals(DataTypes.BooleanType)) {
      return plain(new DataType.Bool());
    } else if (type.equals(DataTypes.ByteType)) {
      return plain(new DataType.Int(8, true));
    } else if (type.equals(DataTypes.ShortType)) {
      return plain(new DataType.Int(16, true));
    } else if (type.equals(DataTypes.IntegerType)) {
      return plain(new DataType.Int(32, true));
    } else if (type.equals(DataTypes.LongType)) {
      return plain(new DataType.Int(64, true));
    } else if (type.equals(DataTypes.FloatType)) {
      return plain(new DataType.Float(FloatFormat.FLOAT32));
    } else if (type.equals(DataTypes.DoubleType)) {
      return plain(new DataType.Float(FloatFormat.FLOAT64));
    } else if (type instanceof StringType) {
      return plain(new DataType.VariableString());
    } else if (type.equals(DataTypes.BinaryType)) {
      return plain(new DataType.VariableBytes());
    } else if (type.equals(DataTypes.TimestampType)) {
      return new ElementType(new DataType.Int(64, true), Optional.of(MICROSECONDS));
    } else if (type.equals(DataTypes.DateType)) {
      return new ElementType(new DataType.Int(32, true), Optional.of(DAYS));
    } else if (type.equals(DataTypes.TimestampNTZType)) {
      return plain(new DataType.DateTime64(TimeUnit64.MICROSECOND, 1));
    } else if (type instanceof DayTimeIntervalType) {
      return plain(new DataType.TimeDelta64(TimeUnit64.MICROSECOND, 1));
    } else if (type instanceof DecimalType
        && ((DecimalType) type).scale() == 0
        && ((DecimalType) type).precision() == 20) {
      return plain(new DataType.Int(64, false));
    }
    throw new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "column " + column + " has type " + type.simpleString() + ", which no array can hold",
        "Cast it to a number, boolean, string, binary, date or timestamp, or give tensors as"
            + " STRUCT<data: ARRAY<..>, shape: ARRAY<INT>>");
  }

  private static ElementType plain(DataType stored) {
    return new ElementType(stored, Optional.empty());
  }

  private static Optional<DataType> named(String name) {
    switch (name) {
      case "bool":
        return Optional.of(new DataType.Bool());
      case "float32":
        return Optional.of(new DataType.Float(FloatFormat.FLOAT32));
      case "float64":
        return Optional.of(new DataType.Float(FloatFormat.FLOAT64));
      case "int8":
      case "int16":
      case "int32":
      case "int64":
        return Optional.of(new DataType.Int(Integer.parseInt(name.substring(3)), true));
      case "uint8":
      case "uint16":
      case "uint32":
      case "uint64":
        return Optional.of(new DataType.Int(Integer.parseInt(name.substring(4)), false));
      default:
        return Optional.empty();
    }
  }

  /** Adds what readers need to know of the values to the attributes of a new array. */
  void describe(ObjectNode attributes) {
    timeUnits.ifPresent(
        units -> attributes.put("units", units).put("calendar", "proleptic_gregorian"));
  }

  /** The fill value: the one given, else NaN, NaT (also for counted times) or zero. */
  Elements fill(Optional<String> given) {
    if (given.isPresent()) {
      return ZarrArraySpec.parseFill(given.get(), stored);
    }
    if (timeUnits.isPresent()) {
      DataType.Int type = (DataType.Int) stored;
      long least = type.bits() == 64 ? Long.MIN_VALUE : Integer.MIN_VALUE;
      return ZarrArraySpec.parseFill(Long.toString(least), stored);
    }
    return ZarrArraySpec.defaultFill(stored);
  }

  /** True if NULL can be stored as the fill value and be told from every value. */
  boolean hasNullFill(Optional<String> given) {
    return given.isPresent()
        || timeUnits.isPresent()
        || stored instanceof DataType.Float
        || stored instanceof DataType.DateTime64
        || stored instanceof DataType.TimeDelta64;
  }
}
