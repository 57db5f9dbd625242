package io.arraymorph.layout.npy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.TimeUnit64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An element type as {@code .npy} files name it, as {@code '<f8'}.
 *
 * @param type what it is in memory
 * @param swapUnit bytes of each number that are in big-endian order, 1 if none are
 */
public record NpyType(DataType type, int swapUnit) {
  private static final Pattern SIMPLE =
      Pattern.compile("([<>|=])([?biufcSUVMm])(\\d*)(?:\\[(\\d*)(\\w+)])?");

  /**
   * The type of a description, with its quotes.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE
   */
  static NpyType parse(String descr) {
    Matcher matcher = SIMPLE.matcher(descr.replaceAll("^['\"]|['\"]$", ""));
    if (!matcher.matches()) {
      throw unsupported(descr);
    }
    int size = matcher.group(3).isEmpty() ? 1 : Integer.parseInt(matcher.group(3));
    DataType type =
        of(matcher.group(2).charAt(0), size, matcher).orElseThrow(() -> unsupported(descr));
    boolean swapped = matcher.group(1).equals(">");
    return new NpyType(type, swapped ? unit(type) : 1);
  }

  private static Optional<DataType> of(char kind, int size, Matcher matcher) {
    switch (kind) {
      case '?':
      case 'b':
        return Optional.of(new DataType.Bool());
      case 'i':
      case 'u':
        return Optional.of(new DataType.Int(8 * size, kind == 'i'))
            .filter(t -> size <= 8)
            .map(DataType.class::cast);
      case 'f':
        return floating(size).map(DataType.Float::new);
      case 'c':
        return floating(size / 2).map(DataType.Complex::new);
      case 'S':
        return size == 0 ? Optional.empty() : Optional.of(new DataType.NullTerminatedBytes(size));
      case 'U':
        return size == 0 ? Optional.empty() : Optional.of(new DataType.FixedLengthUtf32(size));
      case 'V':
        return size == 0 ? Optional.empty() : Optional.of(new DataType.RawBytes(size));
      default:
        return time(kind, matcher);
    }
  }

  private static Optional<FloatFormat> floating(int bytes) {
    switch (bytes) {
      case 2:
        return Optional.of(FloatFormat.FLOAT16);
      case 4:
        return Optional.of(FloatFormat.FLOAT32);
      case 8:
        return Optional.of(FloatFormat.FLOAT64);
      default:
        return Optional.empty();
    }
  }

  private static Optional<DataType> time(char kind, Matcher matcher) {
    String symbol = matcher.group(5) == null ? "generic" : matcher.group(5);
    int scale =
        matcher.group(4) == null || matcher.group(4).isEmpty()
            ? 1
            : Integer.parseInt(matcher.group(4));
    for (TimeUnit64 unit : TimeUnit64.values()) {
      if (unit.symbol().equals(symbol)) {
        return Optional.of(
            kind == 'M'
                ? new DataType.DateTime64(unit, scale)
                : new DataType.TimeDelta64(unit, scale));
      }
    }
    return Optional.empty();
  }

  private static int unit(DataType type) {
    if (type instanceof DataType.Complex) {
      return type.byteWidth() / 2;
    }
    if (type instanceof DataType.FixedLengthUtf32) {
      return 4;
    }
    boolean bytes =
        type instanceof DataType.RawBytes || type instanceof DataType.NullTerminatedBytes;
    return bytes ? 1 : type.byteWidth();
  }

  private static ArrayMorphException unsupported(String descr) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "numpy type " + descr + " has no counterpart",
        "Convert the array with astype first");
  }

  /**
   * The description of a type in little-endian order, with quotes.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE for types that numpy lacks
   */
  public static String descr(DataType type) {
    if (type instanceof DataType.Struct) {
      return ((DataType.Struct) type)
          .fields().stream()
              .map(f -> "('" + f.name().replace("'", "\\'") + "', " + descr(f.type()) + ")")
              .collect(Collectors.joining(", ", "[", "]"));
    }
    return "'" + simple(type) + "'";
  }

  private static String simple(DataType type) {
    int width = type.byteWidth();
    if (type instanceof DataType.Bool) {
      return "|b1";
    }
    if (type instanceof DataType.Int) {
      return (width == 1 ? "|" : "<") + (((DataType.Int) type).signed() ? "i" : "u") + width;
    }
    if (type instanceof DataType.Float && isNumpy(((DataType.Float) type).format())) {
      return "<f" + width;
    }
    if (type instanceof DataType.Complex
        && isNumpy(((DataType.Complex) type).part())
        && width > 4) {
      return "<c" + width;
    }
    if (type instanceof DataType.RawBytes) {
      return "|V" + width;
    }
    if (type instanceof DataType.NullTerminatedBytes) {
      return "|S" + width;
    }
    if (type instanceof DataType.FixedLengthUtf32) {
      return "<U" + ((DataType.FixedLengthUtf32) type).length();
    }
    if (type instanceof DataType.DateTime64) {
      DataType.DateTime64 time = (DataType.DateTime64) type;
      return "<M8" + unit(time.unit(), time.scale());
    }
    if (type instanceof DataType.TimeDelta64) {
      DataType.TimeDelta64 time = (DataType.TimeDelta64) type;
      return "<m8" + unit(time.unit(), time.scale());
    }
    throw new ArrayMorphException(
        ErrorCode.UNSUPPORTED_TYPE,
        "type " + type.zarrName() + " has no counterpart in numpy",
        "Copy the array with 'arraymorph copy', or read it as rows through Spark");
  }

  private static boolean isNumpy(FloatFormat format) {
    return format == FloatFormat.FLOAT16
        || format == FloatFormat.FLOAT32
        || format == FloatFormat.FLOAT64;
  }

  private static String unit(TimeUnit64 unit, int scale) {
    return unit == TimeUnit64.GENERIC ? "" : "[" + (scale == 1 ? "" : scale) + unit.symbol() + "]";
  }
}
