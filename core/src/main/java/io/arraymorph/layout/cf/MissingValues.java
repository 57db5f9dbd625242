package io.arraymorph.layout.cf;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.layout.column.LittleEndianBytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * The raw values that mean missing: those of {@code _FillValue} and {@code missing_value}.
 *
 * <p>A value is compared in the stored type: a number written in JSON is first rounded to it (a
 * binary32 {@code -1e34} is not the double {@code -1e34}); an integer attribute that the type
 * cannot hold matches nothing; NaN matches every NaN. Immutable.
 */
final class MissingValues {
  private static final int MOST = 1024;
  private static final double[] NO_DOUBLES = {};
  private static final long[] NO_LONGS = {};

  static final MissingValues NONE = new MissingValues(NO_LONGS, NO_DOUBLES, false, List.of());

  private final long[] integers;
  private final double[] floats;
  private final boolean nan;
  private final List<byte[]> texts;

  private MissingValues(long[] integers, double[] floats, boolean nan, List<byte[]> texts) {
    this.integers = integers;
    this.floats = floats;
    this.nan = nan;
    this.texts = texts;
  }

  boolean isEmpty() {
    return integers.length == 0 && floats.length == 0 && !nan && texts.isEmpty();
  }

  /**
   * Reads attributes of an array.
   *
   * @param signed whether integers are read as signed
   * @param warnings receives what could not be understood
   */
  static MissingValues of(
      DataType type, boolean signed, List<JsonNode> attributes, List<String> warnings) {
    List<JsonNode> values = new ArrayList<>();
    for (JsonNode attribute : attributes) {
      if (attribute.isArray()) {
        attribute.forEach(values::add);
      } else {
        values.add(attribute);
      }
    }
    if (values.size() > MOST) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          values.size() + " missing values are more than " + MOST,
          "Read with decode=false");
    }
    List<Long> integers = new ArrayList<>();
    List<Double> floats = new ArrayList<>();
    List<byte[]> texts = new ArrayList<>();
    boolean nan = false;
    for (JsonNode value : values) {
      boolean understood = true;
      if (type instanceof DataType.Int) {
        understood = addInteger((DataType.Int) type, signed, value, integers);
      } else if (type instanceof DataType.Float) {
        Double number = number(((DataType.Float) type).format(), value);
        understood = number != null;
        if (understood && Double.isNaN(number)) {
          nan = true;
        } else if (understood) {
          floats.add(rounded(((DataType.Float) type).format(), number));
        }
      } else if (type instanceof DataType.VariableString
          || type instanceof DataType.FixedLengthUtf32) {
        understood = value.isTextual();
        texts.add(value.asText().getBytes(StandardCharsets.UTF_8));
      } else if (type instanceof DataType.NullTerminatedBytes) {
        byte[] bytes = base64(value);
        understood = bytes != null;
        texts.add(bytes);
      } else {
        understood = false;
      }
      if (!understood) {
        warnings.add(
            "missing value " + value + " is not a value of " + type.zarrName() + "; not applied");
      }
    }
    texts.removeIf(t -> t == null);
    return new MissingValues(
        integers.stream().mapToLong(Long::longValue).distinct().toArray(),
        floats.stream().mapToDouble(Double::doubleValue).distinct().toArray(),
        nan,
        List.copyOf(texts));
  }

  private static boolean addInteger(
      DataType.Int type, boolean signed, JsonNode value, List<Long> integers) {
    BigDecimal number;
    if (value.isNumber() && Double.isFinite(value.doubleValue())) {
      number = value.decimalValue();
    } else if (value.isTextual()) {
      if (notFinite(value.asText()) != null) {
        return true;
      }
      try {
        number = new BigDecimal(value.asText().trim());
      } catch (NumberFormatException e) {
        return false;
      }
    } else {
      return false;
    }
    int bits = type.bits();
    if ((long) number.precision() - number.scale() > 25
        || number.stripTrailingZeros().scale() > 0) {
      return true;
    }
    BigInteger exact = number.toBigInteger();
    boolean fits = exact.signum() < 0 ? exact.bitLength() < bits : exact.bitLength() <= bits;
    if (fits) {
      long low = exact.longValue();
      int unused = 64 - bits;
      integers.add(signed ? low << unused >> unused : low << unused >>> unused);
    }
    return true;
  }

  /** A number, the text of one, or the base64 of its little-endian bytes; null if neither. */
  private static Double number(FloatFormat format, JsonNode value) {
    if (value.isNumber()) {
      return value.doubleValue();
    }
    if (!value.isTextual()) {
      return null;
    }
    String text = value.asText().trim();
    Double special = notFinite(text);
    if (special != null) {
      return special;
    }
    byte[] bytes = base64(value);
    if (bytes != null && bytes.length == 8) {
      return LittleEndianBytes.getDouble(bytes, 0);
    }
    if (bytes != null && bytes.length == format.byteWidth()) {
      double[] one = new double[1];
      RawNumbers.doubles(bytes, 0, format, one, 1);
      return one[0];
    }
    try {
      return Double.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  private static Double notFinite(String text) {
    switch (text) {
      case "NaN":
      case "nan":
        return Double.NaN;
      case "Infinity":
      case "inf":
        return Double.POSITIVE_INFINITY;
      case "-Infinity":
      case "-inf":
        return Double.NEGATIVE_INFINITY;
      default:
        return null;
    }
  }

  private static byte[] base64(JsonNode value) {
    try {
      boolean padded = value.isTextual() && value.asText().length() % 4 == 0;
      return padded ? Base64.getDecoder().decode(value.asText()) : null;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The nearest number of the format; NaN, which equals nothing, if it is out of range. */
  private static double rounded(FloatFormat format, double number) {
    double nearest = nearest(format, number);
    return Double.isInfinite(nearest) && Double.isFinite(number) ? Double.NaN : nearest;
  }

  private static double nearest(FloatFormat format, double number) {
    switch (format) {
      case FLOAT64:
        return number;
      case FLOAT32:
        return (float) number;
      case BFLOAT16:
        int bits = Float.floatToIntBits((float) number);
        int even = (bits >>> 16) & 1;
        return Float.intBitsToFloat((bits + 0x7FFF + even) & 0xFFFF0000);
      default:
        float best = Float.NaN;
        float greatest = 0;
        for (float candidate : SmallFloats.values(format)) {
          if (candidate == number) {
            return candidate;
          }
          if (Float.isFinite(candidate)) {
            greatest = Math.max(greatest, candidate);
            if (Float.isNaN(best) || Math.abs(candidate - number) < Math.abs(best - number)) {
              best = candidate;
            }
          }
        }
        return Math.abs(number) > greatest ? Double.NaN : best;
    }
  }

  /** Clears the bits of missing values; value {@code i} of the block has bit {@code first + i}. */
  void clear(long[] block, int n, byte[] bits, int first) {
    for (long missing : integers) {
      for (int i = 0; i < n; i++) {
        if (block[i] == missing) {
          clearBit(bits, first + i);
        }
      }
    }
  }

  /** As above for floating point numbers. */
  void clear(double[] block, int n, byte[] bits, int first) {
    for (double missing : floats) {
      for (int i = 0; i < n; i++) {
        if (block[i] == missing) {
          clearBit(bits, first + i);
        }
      }
    }
    if (nan) {
      clearNan(block, n, bits, first);
    }
  }

  static void clearNan(double[] block, int n, byte[] bits, int first) {
    for (int i = 0; i < n; i++) {
      if (Double.isNaN(block[i])) {
        clearBit(bits, first + i);
      }
    }
  }

  /** True if these bytes mean missing. */
  boolean matches(byte[] data, int from, int to) {
    for (byte[] text : texts) {
      if (Arrays.equals(text, 0, text.length, data, from, to)) {
        return true;
      }
    }
    return false;
  }

  static void clearBit(byte[] bits, int i) {
    bits[i >> 3] &= (byte) ~(1 << (i & 7));
  }
}
