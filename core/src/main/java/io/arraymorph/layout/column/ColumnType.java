package io.arraymorph.layout.column;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * The logical type of a column: what a user of the table sees, independent of Spark.
 *
 * <p>Either a {@link Scalar} or a {@link Struct} of named columns. Immutable and serializable.
 */
public sealed interface ColumnType extends Serializable {

  /** Bytes of one value in {@link DecodedColumn#values()}, 0 for texts, bytes and structs. */
  int byteWidth();

  /** The types without parts. */
  enum Scalar implements ColumnType {
    /** True or false; one byte, 1 or 0. */
    BOOLEAN(1),
    /** A signed 8-bit integer. */
    BYTE(1),
    /** A signed 16-bit integer. */
    SHORT(2),
    /** A signed 32-bit integer. */
    INT(4),
    /** A signed 64-bit integer. */
    LONG(8),
    /** An unsigned 64-bit integer, {@code DECIMAL(20,0)} in SQL; held as 8 bytes, unsigned. */
    DECIMAL20(8),
    /** IEEE 754 binary32. */
    FLOAT(4),
    /** IEEE 754 binary64. */
    DOUBLE(8),
    /** Text in UTF-8. */
    STRING(0),
    /** Bytes. */
    BINARY(0),
    /** An instant: microseconds since 1970-01-01 00:00 UTC, proleptic Gregorian. */
    TIMESTAMP(8),
    /** A date and time of no zone: microseconds since 1970-01-01 00:00, proleptic Gregorian. */
    TIMESTAMP_NTZ(8),
    /** A duration in microseconds; {@code INTERVAL DAY TO SECOND} in SQL. */
    DAY_TIME_INTERVAL(8);

    private final int byteWidth;

    Scalar(int byteWidth) {
      this.byteWidth = byteWidth;
    }

    @Override
    public int byteWidth() {
      return byteWidth;
    }
  }

  /** Named fields; complex numbers are {@code struct<real, imag>}. */
  record Struct(List<Field> fields) implements ColumnType {
    /** One field of a structure. */
    public record Field(String name, ColumnType type) implements Serializable {}

    /** Copies the list. */
    public Struct {
      fields = List.copyOf(fields);
    }

    @Override
    public int byteWidth() {
      return 0;
    }
  }

  /**
   * The column type that holds every value of a stored type without loss, save that half and
   * smaller floats widen to FLOAT and times finer than microseconds are floored to them.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE for a type that no column can hold
   */
  static ColumnType of(DataType type) {
    if (type instanceof DataType.Int) {
      return ofInt((DataType.Int) type);
    }
    if (type instanceof DataType.Float) {
      return ofFloat(((DataType.Float) type).format());
    }
    if (type instanceof DataType.Bool) {
      return Scalar.BOOLEAN;
    }
    if (type instanceof DataType.Complex) {
      ColumnType part = ofFloat(((DataType.Complex) type).part());
      return new Struct(List.of(new Struct.Field("real", part), new Struct.Field("imag", part)));
    }
    if (type instanceof DataType.VariableString || type instanceof DataType.FixedLengthUtf32) {
      return Scalar.STRING;
    }
    if (type instanceof DataType.VariableBytes
        || type instanceof DataType.RawBytes
        || type instanceof DataType.NullTerminatedBytes) {
      return Scalar.BINARY;
    }
    if (type instanceof DataType.DateTime64) {
      return hasFixedLength(((DataType.DateTime64) type).unit(), true)
          ? Scalar.TIMESTAMP_NTZ
          : Scalar.LONG;
    }
    if (type instanceof DataType.TimeDelta64) {
      return hasFixedLength(((DataType.TimeDelta64) type).unit(), false)
          ? Scalar.DAY_TIME_INTERVAL
          : Scalar.LONG;
    }
    if (type instanceof DataType.Struct) {
      return ofStruct((DataType.Struct) type);
    }
    throw unsupported(type.zarrName());
  }

  private static ColumnType ofInt(DataType.Int type) {
    if (type.signed()) {
      switch (type.byteWidth()) {
        case 1:
          return Scalar.BYTE;
        case 2:
          return Scalar.SHORT;
        case 4:
          return Scalar.INT;
        default:
          return Scalar.LONG;
      }
    }
    switch (type.bits()) {
      case 2:
      case 4:
        return Scalar.BYTE;
      case 8:
        return Scalar.SHORT;
      case 16:
        return Scalar.INT;
      case 32:
        return Scalar.LONG;
      default:
        return Scalar.DECIMAL20;
    }
  }

  private static ColumnType ofFloat(FloatFormat format) {
    return format == FloatFormat.FLOAT64 ? Scalar.DOUBLE : Scalar.FLOAT;
  }

  private static ColumnType ofStruct(DataType.Struct type) {
    if (type.fields().isEmpty()) {
      throw unsupported("struct without fields");
    }
    List<Struct.Field> fields = new ArrayList<>();
    for (DataType.Struct.Field field : type.fields()) {
      fields.add(new Struct.Field(field.name(), of(field.type())));
    }
    return new Struct(fields);
  }

  /** Years and months count as dates (from 1970) but have no length as durations. */
  private static boolean hasFixedLength(TimeUnit64 unit, boolean asDate) {
    return unit != TimeUnit64.GENERIC
        && (asDate || (unit != TimeUnit64.YEAR && unit != TimeUnit64.MONTH));
  }

  private static ArrayMorphException unsupported(String name) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "data type " + name + " has no column type",
        "Choose other variables with option array");
  }
}
