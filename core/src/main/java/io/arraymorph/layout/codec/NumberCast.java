package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import java.util.List;
import java.util.Optional;

/**
 * Changes the type of numbers (numcodecs {@code astype}, Zarr v3 codec {@code cast_value}).
 *
 * <p>A number that the target does not hold is an error unless the range rule says otherwise; it is
 * never silently another number.
 */
public final class NumberCast implements ElementMapping {

  /** How a fraction becomes an integer. */
  public enum Rounding {
    NEAREST_EVEN,
    TOWARDS_ZERO,
    TOWARDS_POSITIVE,
    TOWARDS_NEGATIVE,
    NEAREST_AWAY;

    private double apply(double value) {
      switch (this) {
        case NEAREST_EVEN:
          return Math.rint(value);
        case TOWARDS_POSITIVE:
          return Math.ceil(value);
        case TOWARDS_NEGATIVE:
          return Math.floor(value);
        case NEAREST_AWAY:
          return Math.copySign(Math.floor(Math.abs(value) + 0.5), value);
        default:
          return value < 0 ? Math.ceil(value) : Math.floor(value);
      }
    }
  }

  /** What happens to an integer that the target does not hold. */
  public enum Range {
    ERROR,
    CLAMP,
    /** Modulo the number of values of the target. */
    WRAP
  }

  /**
   * Numbers that are replaced before any cast.
   *
   * @param from bytes of an element of the source type
   * @param to bytes of an element of the target type
   */
  // Held in lists that are only walked; two replacements are never compared.
  @SuppressWarnings("ArrayRecordComponent")
  public record Replacement(byte[] from, byte[] to) {}

  private final Numbers decoded;
  private final Numbers encoded;
  private final Rounding rounding;
  private final Range range;
  private final List<Replacement> decodeMap;
  private final List<Replacement> encodeMap;

  /**
   * @param codec the name for messages
   * @param decodeMap replacements when decoding, from encoded to decoded elements
   * @param encodeMap replacements when encoding
   */
  public NumberCast(
      String codec,
      DataType decoded,
      DataType encoded,
      Rounding rounding,
      Range range,
      List<Replacement> decodeMap,
      List<Replacement> encodeMap) {
    this.decoded = Numbers.of(decoded, codec);
    this.encoded = Numbers.of(encoded, codec);
    this.rounding = rounding;
    this.range = range;
    this.decodeMap = List.copyOf(decodeMap);
    this.encodeMap = List.copyOf(encodeMap);
  }

  /** The cast of numpy: fractions are cut, integers wrap. */
  public static NumberCast numpy(String codec, DataType decoded, DataType encoded) {
    return new NumberCast(
        codec, decoded, encoded, Rounding.TOWARDS_ZERO, Range.WRAP, List.of(), List.of());
  }

  @Override
  public void decode(byte[] from, int offset, byte[] to, int count) {
    cast(from, offset, encoded, to, decoded, count, decodeMap);
  }

  @Override
  public void encode(byte[] from, int offset, byte[] to, int count) {
    cast(from, offset, decoded, to, encoded, count, encodeMap);
  }

  private void cast(
      byte[] from,
      int offset,
      Numbers source,
      byte[] to,
      Numbers target,
      int count,
      List<Replacement> map) {
    for (int i = 0; i < count; i++) {
      int at = offset + i * source.width();
      int put = i * target.width();
      Optional<Replacement> replacement = replacement(map, from, at, source);
      if (replacement.isPresent()) {
        System.arraycopy(replacement.get().to(), 0, to, put, target.width());
      } else if (!target.isInteger()) {
        target.putDouble(to, put, source.getDouble(from, at));
      } else if (source.isInteger()) {
        target.putLong(to, put, fitted(source.getLong(from, at), source.isUnsignedLong(), target));
      } else {
        target.putLong(to, put, fitted(source.getDouble(from, at), target));
      }
    }
  }

  private static Optional<Replacement> replacement(
      List<Replacement> map, byte[] from, int at, Numbers source) {
    for (Replacement candidate : map) {
      boolean same =
          source.isInteger()
              ? source.getLong(from, at) == source.getLong(candidate.from(), 0)
              : Double.compare(source.getDouble(from, at), source.getDouble(candidate.from(), 0))
                  == 0;
      if (same) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  private long fitted(long value, boolean unsignedLong, Numbers target) {
    if (range == Range.WRAP || target.holds(value, unsignedLong)) {
      return value;
    }
    if (range == Range.CLAMP) {
      return target.limit(value < 0 && !unsignedLong);
    }
    throw new CodecException(
        "the number "
            + (unsignedLong ? Long.toUnsignedString(value) : Long.toString(value))
            + " does not fit the type it is cast to");
  }

  private long fitted(double value, Numbers target) {
    double whole = rounding.apply(value);
    if (target.holds(whole)) {
      return Numbers.toLong(whole);
    }
    if (range == Range.CLAMP && !Double.isNaN(whole)) {
      return target.limit(whole < 0);
    }
    throw new CodecException("the number " + value + " does not fit the type it is cast to");
  }
}
