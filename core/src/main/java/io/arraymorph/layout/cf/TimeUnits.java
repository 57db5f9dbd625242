package io.arraymorph.layout.cf;

import io.arraymorph.layout.cf.CfCalendar.CfDate;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Time as CF writes it: {@code hours since 1900-01-01 00:00:00}, bound to a calendar.
 *
 * <p>Converts counts to microseconds on the calendar's own day numbers. Immutable.
 */
final class TimeUnits {
  static final long MICROS_PER_DAY = 86_400_000_000L;

  private static final Pattern SINCE =
      Pattern.compile("\\s*([A-Za-z]+)\\s+since\\s+(.*\\S)\\s*", Pattern.CASE_INSENSITIVE);
  private static final Pattern REFERENCE =
      Pattern.compile(
          "([+-]?\\d{1,5})-(\\d{1,2})-(\\d{1,2})"
              + "(?:[T\\s]\\s*(\\d{1,2})(?::(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d*))?)?)?)?"
              + "\\s*(Z|UTC|GMT|[+-]\\d{1,2}(?::?\\d{2})?)?",
          Pattern.CASE_INSENSITIVE);

  /** Units in nanoseconds. Months and years have no fixed length. */
  private static final Map<String, Long> NANOS =
      Map.ofEntries(
          Map.entry("nanosecond", 1L),
          Map.entry("nanosec", 1L),
          Map.entry("nsec", 1L),
          Map.entry("ns", 1L),
          Map.entry("microsecond", 1_000L),
          Map.entry("microsec", 1_000L),
          Map.entry("us", 1_000L),
          Map.entry("millisecond", 1_000_000L),
          Map.entry("millisec", 1_000_000L),
          Map.entry("msec", 1_000_000L),
          Map.entry("ms", 1_000_000L),
          Map.entry("second", 1_000_000_000L),
          Map.entry("sec", 1_000_000_000L),
          Map.entry("s", 1_000_000_000L),
          Map.entry("minute", 60_000_000_000L),
          Map.entry("min", 60_000_000_000L),
          Map.entry("hour", 3_600_000_000_000L),
          Map.entry("hr", 3_600_000_000_000L),
          Map.entry("h", 3_600_000_000_000L),
          Map.entry("day", 86_400_000_000_000L),
          Map.entry("d", 86_400_000_000_000L),
          Map.entry("week", 604_800_000_000_000L));

  private final CfCalendar calendar;
  private final long unitNanos;
  private final long referenceMicros;

  private TimeUnits(CfCalendar calendar, long unitNanos, long referenceMicros) {
    this.calendar = calendar;
    this.unitNanos = unitNanos;
    this.referenceMicros = referenceMicros;
  }

  /** True if the text has the form {@code .. since ..}, decodable or not. */
  static boolean isSince(String units) {
    return SINCE.matcher(units).matches();
  }

  /** The units, or nothing if unit, date or calendar are not known or the date does not exist. */
  static Optional<TimeUnits> parse(String units, String calendarText) {
    Matcher since = SINCE.matcher(units);
    Optional<CfCalendar> calendar = CfCalendar.of(calendarText);
    if (!since.matches() || calendar.isEmpty()) {
      return Optional.empty();
    }
    Long nanos = unit(since.group(1));
    Matcher reference = REFERENCE.matcher(since.group(2));
    if (nanos == null || !reference.matches()) {
      return Optional.empty();
    }
    return reference(reference, calendar.get())
        .map(micros -> new TimeUnits(calendar.get(), nanos, micros));
  }

  /** Durations in a unit, counted from 0; nothing if the unit has no fixed length. */
  static Optional<TimeUnits> ofDuration(String unit) {
    return Optional.ofNullable(unit(unit.strip()))
        .map(nanos -> new TimeUnits(CfCalendar.PROLEPTIC_GREGORIAN, nanos, 0));
  }

  private static Long unit(String text) {
    String name = text.toLowerCase(Locale.ROOT);
    Long nanos = NANOS.get(name);
    return nanos == null && name.endsWith("s")
        ? NANOS.get(name.substring(0, name.length() - 1))
        : nanos;
  }

  private static Optional<Long> reference(Matcher m, CfCalendar calendar) {
    long year = Long.parseLong(m.group(1));
    int month = Integer.parseInt(m.group(2));
    int day = Integer.parseInt(m.group(3));
    int hour = number(m.group(4));
    int minute = number(m.group(5));
    int second = number(m.group(6));
    if (!calendar.exists(year, month, day) || hour > 23 || minute > 59 || second > 59) {
      return Optional.empty();
    }
    String fraction = m.group(7) == null ? "" : m.group(7);
    long micros = Long.parseLong((fraction + "000000").substring(0, 6));
    long seconds = (hour * 60L + minute) * 60 + second - zoneSeconds(m.group(8));
    return Optional.of(
        calendar.dayNumber(year, month, day) * MICROS_PER_DAY + seconds * 1_000_000L + micros);
  }

  private static int number(String text) {
    return text == null ? 0 : Integer.parseInt(text);
  }

  private static long zoneSeconds(String zone) {
    if (zone == null || Character.isLetter(zone.charAt(0))) {
      return 0;
    }
    String digits = zone.substring(1).replace(":", "");
    int split = digits.length() > 2 ? digits.length() - 2 : digits.length();
    int hours = Integer.parseInt(digits.substring(0, split));
    int minutes = split == digits.length() ? 0 : Integer.parseInt(digits.substring(split));
    long seconds = (hours * 60L + minutes) * 60;
    return zone.charAt(0) == '-' ? -seconds : seconds;
  }

  CfCalendar calendar() {
    return calendar;
  }

  /**
   * Microseconds on the calendar's day numbers, floored.
   *
   * @throws ArithmeticException beyond the range of long
   */
  long micros(long count) {
    long sinceReference =
        unitNanos < 1000
            ? Math.floorDiv(count, 1000 / unitNanos)
            : Math.multiplyExact(count, unitNanos / 1000);
    return Math.addExact(referenceMicros, sinceReference);
  }

  /** As above, rounded to the nearest microsecond; the count must be finite. */
  long micros(double count) {
    if (unitNanos < 1000) {
      return Math.addExact(referenceMicros, exactLong(Math.rint(count * unitNanos / 1000)));
    }
    // Whole and fraction apart: their product with the unit would lose the small digits.
    double whole = Math.floor(count);
    long unitMicros = unitNanos / 1000;
    long micros = Math.multiplyExact(exactLong(whole), unitMicros);
    return Math.addExact(
        Math.addExact(referenceMicros, micros), (long) Math.rint((count - whole) * unitMicros));
  }

  private static long exactLong(double whole) {
    if (!(Math.abs(whole) < 0x1p63)) {
      throw new ArithmeticException("long overflow");
    }
    return (long) whole;
  }

  /**
   * Microseconds of SQL, proleptic Gregorian, that show the same date and time. Only for Gregorian
   * calendars.
   *
   * @throws ArithmeticException for a date that the proleptic Gregorian calendar does not have: 29
   *     February of the Julian years 100, 200, 300, 500, .., or a year before 1 in the standard
   *     calendar
   */
  long timestamp(long calendarMicros) {
    if (calendar != CfCalendar.STANDARD
        || calendarMicros >= CfCalendar.SWITCH_DAY * MICROS_PER_DAY) {
      return calendarMicros;
    }
    long day = Math.floorDiv(calendarMicros, MICROS_PER_DAY);
    CfDate date = calendar.date(day);
    if (date.year() < 1
        || !CfCalendar.PROLEPTIC_GREGORIAN.exists(date.year(), date.month(), date.day())) {
      throw new ArithmeticException("no such date in the proleptic Gregorian calendar");
    }
    long same = CfCalendar.PROLEPTIC_GREGORIAN.dayNumber(date.year(), date.month(), date.day());
    return calendarMicros + (same - day) * MICROS_PER_DAY;
  }

  /** The date and time in the calendar, as {@code 2000-02-30T12:00:00.000000}. */
  String text(long calendarMicros) {
    CfDate date = calendar.date(Math.floorDiv(calendarMicros, MICROS_PER_DAY));
    long micros = Math.floorMod(calendarMicros, MICROS_PER_DAY);
    long seconds = micros / 1_000_000;
    StringBuilder text = new StringBuilder(26);
    padded(text, date.year(), 4).append('-');
    padded(text, date.month(), 2).append('-');
    padded(text, date.day(), 2).append('T');
    padded(text, seconds / 3600, 2).append(':');
    padded(text, seconds / 60 % 60, 2).append(':');
    padded(text, seconds % 60, 2).append('.');
    return padded(text, micros % 1_000_000, 6).toString();
  }

  private static StringBuilder padded(StringBuilder text, long number, int width) {
    if (number < 0) {
      text.append('-');
    }
    String digits = Long.toString(Math.abs(number));
    return text.append("0".repeat(Math.max(0, width - digits.length()))).append(digits);
  }
}
