package io.arraymorph.array;

import java.util.List;

/**
 * The type of an array's elements, as stored.
 *
 * <p>In memory ({@link Elements}) fixed-width types are little-endian with {@link #byteWidth()}
 * bytes an element; types narrower than a byte take one byte (sign- or zero-extended). Strings and
 * bytes of any length have no fixed width. The table from here to Spark, Arrow and back is {@code
 * docs/spec/types.md}.
 */
public sealed interface DataType {

  /** Bytes of one element in memory, or 0 for types of variable width. */
  int byteWidth();

  /** The name in the vocabulary of Zarr v3, as {@code int16} or {@code float8_e4m3fn}. */
  String zarrName();

  /** True unless elements differ in length. */
  default boolean isFixedWidth() {
    return byteWidth() > 0;
  }

  /** True or false, one byte 1 or 0. */
  record Bool() implements DataType {
    @Override
    public int byteWidth() {
      return 1;
    }

    @Override
    public String zarrName() {
      return "bool";
    }
  }

  /** A two's complement or unsigned integer of 2, 4, 8, 16, 32 or 64 bits. */
  record Int(int bits, boolean signed) implements DataType {
    @Override
    public int byteWidth() {
      return Math.max(1, bits / 8);
    }

    @Override
    public String zarrName() {
      return (signed ? "int" : "uint") + bits;
    }
  }

  /** A floating point number. */
  record Float(FloatFormat format) implements DataType {
    @Override
    public int byteWidth() {
      return format.byteWidth();
    }

    @Override
    public String zarrName() {
      return format.zarrName();
    }
  }

  /** A pair of floating point numbers, real part first. */
  record Complex(FloatFormat part) implements DataType {
    @Override
    public int byteWidth() {
      return 2 * part.byteWidth();
    }

    @Override
    public String zarrName() {
      return "complex" + 16 * part.byteWidth();
    }
  }

  /** Bytes without meaning, all elements of one length ({@code r24}, numpy {@code V3}). */
  record RawBytes(int byteWidth) implements DataType {
    @Override
    public String zarrName() {
      return "r" + 8 * byteWidth;
    }
  }

  /** Bytes of at most {@code byteWidth}, padded with zero bytes (numpy {@code S5}). */
  record NullTerminatedBytes(int byteWidth) implements DataType {
    @Override
    public String zarrName() {
      return "null_terminated_bytes";
    }
  }

  /** Text of at most {@code length} code points in UTF-32, padded with zeros (numpy {@code U4}). */
  record FixedLengthUtf32(int length) implements DataType {
    @Override
    public int byteWidth() {
      return 4 * length;
    }

    @Override
    public String zarrName() {
      return "fixed_length_utf32";
    }
  }

  /** Text of any length. */
  record VariableString() implements DataType {
    @Override
    public int byteWidth() {
      return 0;
    }

    @Override
    public String zarrName() {
      return "string";
    }
  }

  /** Bytes of any length. */
  record VariableBytes() implements DataType {
    @Override
    public int byteWidth() {
      return 0;
    }

    @Override
    public String zarrName() {
      return "variable_length_bytes";
    }
  }

  /** An instant: int64 count of {@code scale} units since 1970-01-01; the least int64 is NaT. */
  record DateTime64(TimeUnit64 unit, int scale) implements DataType {
    @Override
    public int byteWidth() {
      return 8;
    }

    @Override
    public String zarrName() {
      return "numpy.datetime64";
    }
  }

  /** A duration: int64 count of {@code scale} units; the least int64 is NaT. */
  record TimeDelta64(TimeUnit64 unit, int scale) implements DataType {
    @Override
    public int byteWidth() {
      return 8;
    }

    @Override
    public String zarrName() {
      return "numpy.timedelta64";
    }
  }

  /** Named fields of fixed width one after the other, without padding. */
  record Struct(List<Field> fields) implements DataType {
    /** One field of a structure. */
    public record Field(String name, DataType type) {}

    /** Copies the list; every field must have a fixed width. */
    public Struct {
      fields = List.copyOf(fields);
    }

    @Override
    public int byteWidth() {
      return fields.stream().mapToInt(f -> f.type().byteWidth()).sum();
    }

    @Override
    public String zarrName() {
      return "struct";
    }
  }
}
