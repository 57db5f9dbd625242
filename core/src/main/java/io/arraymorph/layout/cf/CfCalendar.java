package io.arraymorph.layout.cf;

import java.util.Locale;
import java.util.Optional;

/**
 * A calendar of the CF conventions: which dates exist, and their order as day numbers.
 *
 * <p>Day 0 is 1970-01-01 of the calendar itself for all but {@link #STANDARD}, whose day numbers
 * are those of the real world (day 0 is 1970-01-01 Gregorian, days before 1582-10-15 are Julian
 * dates).
 */
enum CfCalendar {
  /** Julian until 1582-10-04, then Gregorian from 1582-10-15; no year 0. */
  STANDARD,
  /** Gregorian for all times; ISO 8601, with a year 0. */
  PROLEPTIC_GREGORIAN,
  /** A leap day every fourth year; no year 0. */
  JULIAN,
  /** 365 days in each year. */
  NOLEAP,
  /** 366 days in each year. */
  ALL_LEAP,
  /** Twelve months of 30 days. */
  DAYS_360;

  /** The first Gregorian day of the standard calendar, 1582-10-15, in days since 1970-01-01. */
  static final long SWITCH_DAY = -141_427;

  /** Days from 1970-01-01 Julian to 1970-01-01 Gregorian. */
  private static final long JULIAN_SHIFT = 13;

  private static final int[] DAYS_BEFORE = {
    0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
  };

  /** The calendar of an attribute's text; absent or empty means standard. */
  static Optional<CfCalendar> of(String text) {
    switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "":
      case "standard":
      case "gregorian":
        return Optional.of(STANDARD);
      case "proleptic_gregorian":
        return Optional.of(PROLEPTIC_GREGORIAN);
      case "julian":
        return Optional.of(JULIAN);
      case "noleap":
      case "365_day":
        return Optional.of(NOLEAP);
      case "all_leap":
      case "366_day":
        return Optional.of(ALL_LEAP);
      case "360_day":
        return Optional.of(DAYS_360);
      default:
        return Optional.empty();
    }
  }

  /** True if every date of the calendar (after the switch) is a date of SQL. */
  boolean isGregorian() {
    return this == STANDARD || this == PROLEPTIC_GREGORIAN;
  }

  /** True if the year before year 1 is year 0. */
  boolean hasYearZero() {
    return this != STANDARD && this != JULIAN;
  }

  /** True if the calendar has such a date. */
  boolean exists(long year, int month, int day) {
    if (month < 1 || month > 12 || day < 1 || (!hasYearZero() && year < 1)) {
      return false;
    }
    if (this == STANDARD && year == 1582 && month == 10 && day > 4 && day < 15) {
      return false;
    }
    return day <= daysInMonth(year, month);
  }

  private int daysInMonth(long year, int month) {
    if (this == DAYS_360) {
      return 30;
    }
    int days = DAYS_BEFORE[month] - DAYS_BEFORE[month - 1];
    return month == 2 && isLeap(year) ? days + 1 : days;
  }

  private boolean isLeap(long year) {
    switch (this) {
      case NOLEAP:
      case DAYS_360:
        return false;
      case ALL_LEAP:
        return true;
      case JULIAN:
        return Math.floorMod(year, 4) == 0;
      case STANDARD:
        return Math.floorMod(year, 4) == 0
            && (year <= 1582 || Math.floorMod(year, 100) != 0 || Math.floorMod(year, 400) == 0);
      default:
        return Math.floorMod(year, 4) == 0
            && (Math.floorMod(year, 100) != 0 || Math.floorMod(year, 400) == 0);
    }
  }

  /** The number of an existing date. */
  long dayNumber(long year, int month, int day) {
    switch (this) {
      case DAYS_360:
        return (year - 1970) * 360 + (month - 1) * 30L + day - 1;
      case NOLEAP:
        return (year - 1970) * 365 + DAYS_BEFORE[month - 1] + day - 1;
      case ALL_LEAP:
        return (year - 1970) * 366 + DAYS_BEFORE[month - 1] + (month > 2 ? 1 : 0) + day - 1;
      case JULIAN:
        return julianDay(year, month, day);
      case STANDARD:
        boolean gregorian =
            year > 1582 || (year == 1582 && (month > 10 || (month == 10 && day >= 15)));
        return gregorian
            ? java.time.LocalDate.of((int) year, month, day).toEpochDay()
            : julianDay(year, month, day) + JULIAN_SHIFT;
      default:
        return java.time.LocalDate.of((int) year, month, day).toEpochDay();
    }
  }

  /** Days since 1970-01-01 Julian. */
  private static long julianDay(long year, int month, int day) {
    long years = year - 1;
    long before = years * 365 + Math.floorDiv(years, 4L);
    boolean leap = Math.floorMod(year, 4) == 0;
    long inYear = DAYS_BEFORE[month - 1] + (leap && month > 2 ? 1 : 0) + day - 1L;
    return before + inYear - (1969 * 365L + 1969 / 4);
  }

  /** The date of a day number. */
  CfDate date(long dayNumber) {
    switch (this) {
      case DAYS_360:
        {
          long inYear = Math.floorMod(dayNumber, 360L);
          return new CfDate(
              1970 + Math.floorDiv(dayNumber, 360L), (int) inYear / 30 + 1, (int) inYear % 30 + 1);
        }
      case NOLEAP:
        return inYear(
            1970 + Math.floorDiv(dayNumber, 365L), (int) Math.floorMod(dayNumber, 365L), false);
      case ALL_LEAP:
        return inYear(
            1970 + Math.floorDiv(dayNumber, 366L), (int) Math.floorMod(dayNumber, 366L), true);
      case JULIAN:
        return julianDate(dayNumber);
      case STANDARD:
        return dayNumber < SWITCH_DAY
            ? julianDate(dayNumber - JULIAN_SHIFT)
            : PROLEPTIC_GREGORIAN.date(dayNumber);
      default:
        java.time.LocalDate date = java.time.LocalDate.ofEpochDay(dayNumber);
        return new CfDate(date.getYear(), date.getMonthValue(), date.getDayOfMonth());
    }
  }

  private static CfDate julianDate(long julianDay) {
    // Cycles of four years, the leap year last, counted from year 1.
    long sinceYearOne = julianDay + 1969 * 365L + 1969 / 4;
    long cycle = Math.floorDiv(sinceYearOne, 1461L);
    int inCycle = (int) Math.floorMod(sinceYearOne, 1461L);
    int yearInCycle = Math.min(3, inCycle / 365);
    return inYear(1 + 4 * cycle + yearInCycle, inCycle - 365 * yearInCycle, yearInCycle == 3);
  }

  private static CfDate inYear(long year, int dayOfYear, boolean leap) {
    int month = 12;
    while (before(month, leap) > dayOfYear) {
      month--;
    }
    return new CfDate(year, month, dayOfYear - before(month, leap) + 1);
  }

  private static int before(int month, boolean leap) {
    return DAYS_BEFORE[month - 1] + (leap && month > 2 ? 1 : 0);
  }

  /** Year, month (1 to 12) and day of the month (from 1). */
  record CfDate(long year, int month, int day) {}
}
