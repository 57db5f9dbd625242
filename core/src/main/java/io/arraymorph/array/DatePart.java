package io.arraymorph.array;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalField;

/** A whole number that SQL extracts from a date and time, proleptic Gregorian. */
public enum DatePart {
  /** The year; year 0 is the year before year 1. */
  YEAR(ChronoField.YEAR),
  /** The year that the ISO week belongs to. */
  YEAR_OF_WEEK(IsoFields.WEEK_BASED_YEAR),
  /** 1 to 4. */
  QUARTER(IsoFields.QUARTER_OF_YEAR),
  /** 1 to 12. */
  MONTH(ChronoField.MONTH_OF_YEAR),
  /** The ISO week, 1 to 53. */
  WEEK(IsoFields.WEEK_OF_WEEK_BASED_YEAR),
  /** The day of the month, 1 to 31. */
  DAY(ChronoField.DAY_OF_MONTH),
  /** 1 to 366. */
  DAY_OF_YEAR(ChronoField.DAY_OF_YEAR),
  /** ISO: Monday is 1, Sunday is 7. */
  DAY_OF_WEEK(ChronoField.DAY_OF_WEEK),
  /** 0 to 23. */
  HOUR(ChronoField.HOUR_OF_DAY),
  /** 0 to 59. */
  MINUTE(ChronoField.MINUTE_OF_HOUR),
  /** 0 to 59, without fraction. */
  SECOND(ChronoField.SECOND_OF_MINUTE),
  /** Days since 1970-01-01: the value of {@code CAST(.. AS DATE)}. */
  EPOCH_DAY(ChronoField.EPOCH_DAY);

  private static final long MICROS_PER_SECOND = 1_000_000L;

  private final TemporalField field;

  DatePart(TemporalField field) {
    this.field = field;
  }

  /** This part of an instant, as a clock in the zone shows it. */
  public long of(long microsSinceEpoch, ZoneId zone) {
    Instant instant =
        Instant.ofEpochSecond(
            Math.floorDiv(microsSinceEpoch, MICROS_PER_SECOND),
            Math.floorMod(microsSinceEpoch, MICROS_PER_SECOND) * 1000);
    return ZonedDateTime.ofInstant(instant, zone).getLong(field);
  }
}
