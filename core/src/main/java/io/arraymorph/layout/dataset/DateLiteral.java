package io.arraymorph.layout.dataset;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A date or time in ISO 8601, which may stop after any of its parts and then means the whole
 * period: {@code 2020}, {@code 2020-07}, {@code 2020-07-01T12}.
 *
 * @param firstMicros the first microsecond since 1970-01-01 UTC
 * @param lastMicros the last microsecond of the period
 */
record DateLiteral(long firstMicros, long lastMicros) {
  private static final Pattern ISO =
      Pattern.compile(
          "(\\d{4})(?:-(\\d{2})(?:-(\\d{2})"
              + "(?:[T ](\\d{2})(?::(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?)?"
              + "\\s*(Z|[+-]\\d{2}(?::?\\d{2})?)?)?)?)?");

  /** The literal, or nothing if the text is no existing date. */
  static Optional<DateLiteral> parse(String text) {
    Matcher m = ISO.matcher(text);
    if (!m.matches()) {
      return Optional.empty();
    }
    try {
      LocalDateTime start =
          LocalDate.of(number(m, 1, 0), number(m, 2, 1), number(m, 3, 1))
              .atTime(number(m, 4, 0), number(m, 5, 0), number(m, 6, 0));
      ZoneOffset zone = m.group(8) == null ? ZoneOffset.UTC : ZoneOffset.of(m.group(8));
      long first = start.toEpochSecond(zone) * 1_000_000L;
      if (m.group(7) != null) {
        long exact = first + Long.parseLong((m.group(7) + "00000").substring(0, 6));
        return Optional.of(new DateLiteral(exact, exact));
      }
      long next = start.plus(1, resolution(m)).toEpochSecond(zone) * 1_000_000L;
      return Optional.of(new DateLiteral(first, next - 1));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** True if the text has the form of a date without zone, whatever the calendar. */
  static boolean hasForm(String text) {
    Matcher m = ISO.matcher(text);
    return m.matches() && m.group(8) == null;
  }

  private static ChronoUnit resolution(Matcher m) {
    ChronoUnit[] units = {
      ChronoUnit.YEARS,
      ChronoUnit.MONTHS,
      ChronoUnit.DAYS,
      ChronoUnit.HOURS,
      ChronoUnit.MINUTES,
      ChronoUnit.SECONDS
    };
    int parts = 1;
    while (parts < units.length && m.group(parts + 1) != null) {
      parts++;
    }
    return units[parts - 1];
  }

  private static int number(Matcher m, int group, int absent) {
    return m.group(group) == null ? absent : Integer.parseInt(m.group(group));
  }
}
