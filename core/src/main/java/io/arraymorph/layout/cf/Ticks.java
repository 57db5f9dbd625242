package io.arraymorph.layout.cf;

import io.arraymorph.array.TimeUnit64;
import java.math.BigInteger;
import java.time.LocalDate;

/** Counts of numpy's datetime64 and timedelta64 in microseconds. */
final class Ticks {
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  private Ticks() {}

  /**
   * Microseconds of {@code count * scale} units, floored; years and months count from 1970.
   *
   * @throws ArithmeticException beyond the range of long
   */
  static long micros(long count, TimeUnit64 unit, int scale) {
    switch (unit) {
      case YEAR:
        return months(Math.multiplyExact(Math.multiplyExact(count, scale), 12L));
      case MONTH:
        return months(Math.multiplyExact(count, scale));
      case WEEK:
        return exact(count, scale, 7 * MICROS_PER_DAY);
      case DAY:
        return exact(count, scale, MICROS_PER_DAY);
      case HOUR:
        return exact(count, scale, 3_600_000_000L);
      case MINUTE:
        return exact(count, scale, 60_000_000L);
      case SECOND:
        return exact(count, scale, 1_000_000L);
      case MILLISECOND:
        return exact(count, scale, 1_000L);
      case MICROSECOND:
        return exact(count, scale, 1L);
      case NANOSECOND:
        return floored(count, scale, 1_000L);
      case PICOSECOND:
        return floored(count, scale, 1_000_000L);
      case FEMTOSECOND:
        return floored(count, scale, 1_000_000_000L);
      case ATTOSECOND:
        return floored(count, scale, 1_000_000_000_000L);
      default:
        throw new ArithmeticException("no unit of time");
    }
  }

  private static long exact(long count, int scale, long micros) {
    return Math.multiplyExact(Math.multiplyExact(count, scale), micros);
  }

  /** floor(count * scale / parts); exact although the product may exceed long. */
  private static long floored(long count, int scale, long parts) {
    if (scale == 1) {
      return Math.floorDiv(count, parts);
    }
    BigInteger[] micros =
        BigInteger.valueOf(count)
            .multiply(BigInteger.valueOf(scale))
            .divideAndRemainder(BigInteger.valueOf(parts));
    return micros[0].longValueExact() - (micros[1].signum() < 0 ? 1 : 0);
  }

  private static long months(long months) {
    int year = Math.toIntExact(Math.addExact(1970, Math.floorDiv(months, 12L)));
    int month = (int) Math.floorMod(months, 12L) + 1;
    return Math.multiplyExact(LocalDate.of(year, month, 1).toEpochDay(), MICROS_PER_DAY);
  }
}
