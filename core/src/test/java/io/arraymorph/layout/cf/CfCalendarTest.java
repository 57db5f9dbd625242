package io.arraymorph.layout.cf;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.layout.cf.CfCalendar.CfDate;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class CfCalendarTest {

  @ParameterizedTest
  @EnumSource(CfCalendar.class)
  void everyDayIsOneDateAndBack(CfCalendar calendar) {
    Random random = new Random(1);
    for (int run = 0; run < 300; run++) {
      long first = random.nextInt(1_000_000) - 700_000L;
      CfDate before = calendar.date(first - 1);
      for (long day = first; day < first + 400; day++) {
        CfDate date = calendar.date(day);
        if (calendar.hasYearZero() || date.year() > 0) {
          assertThat(calendar.exists(date.year(), date.month(), date.day())).isTrue();
        }
        assertThat(calendar.dayNumber(date.year(), date.month(), date.day())).isEqualTo(day);
        boolean follows =
            date.day() == before.day() + 1
                || (date.day() == 1
                    && (date.month() == before.month() + 1
                        || (date.month() == 1 && date.year() == before.year() + 1)))
                || (day == CfCalendar.SWITCH_DAY && calendar == CfCalendar.STANDARD);
        assertThat(follows).as("%s after %s", date, before).isTrue();
        before = date;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(CfCalendar.class)
  void yearsHaveTheirDays(CfCalendar calendar) {
    for (long year = 1400; year <= 2100; year++) {
      long days = calendar.dayNumber(year + 1, 1, 1) - calendar.dayNumber(year, 1, 1);
      boolean julian =
          calendar == CfCalendar.JULIAN || (calendar == CfCalendar.STANDARD && year < 1582);
      boolean leap = year % 4 == 0 && (julian || year % 100 != 0 || year % 400 == 0);
      switch (calendar) {
        case NOLEAP:
          assertThat(days).isEqualTo(365);
          break;
        case ALL_LEAP:
          assertThat(days).isEqualTo(366);
          break;
        case DAYS_360:
          assertThat(days).isEqualTo(360);
          break;
        case STANDARD:
          assertThat(days).isEqualTo(year == 1582 ? 355 : leap ? 366 : 365);
          break;
        default:
          assertThat(days).isEqualTo(leap ? 366 : 365);
      }
      assertThat(calendar.exists(year, 2, 29))
          .isEqualTo(
              calendar == CfCalendar.DAYS_360
                  || calendar == CfCalendar.ALL_LEAP
                  || (calendar != CfCalendar.NOLEAP && leap));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "STANDARD, 1582, 10, 4, -141428",
    "STANDARD, 1582, 10, 15, -141427",
    "STANDARD, 1, 1, 1, -719164",
    "PROLEPTIC_GREGORIAN, 1, 1, 1, -719162",
    "PROLEPTIC_GREGORIAN, 0, 1, 1, -719528",
    "JULIAN, 1970, 1, 1, 0",
    "DAYS_360, 1971, 2, 30, 419",
    "NOLEAP, 1971, 3, 1, 424"
  })
  void daysAreNumberedFromTheYear1970(
      CfCalendar calendar, long year, int month, int day, long number) {
    assertThat(calendar.dayNumber(year, month, day)).isEqualTo(number);
  }

  @ParameterizedTest
  @CsvSource({
    "STANDARD, 1582, 10, 5",
    "STANDARD, 0, 1, 1",
    "JULIAN, 0, 1, 1",
    "DAYS_360, 1, 1, 31",
    "NOLEAP, 2000, 2, 29",
    "PROLEPTIC_GREGORIAN, 1900, 2, 29",
    "STANDARD, 2000, 13, 1",
    "STANDARD, 2000, 0, 1",
    "STANDARD, 2000, 1, 0"
  })
  void datesThatDoNotExistAreKnown(CfCalendar calendar, long year, int month, int day) {
    assertThat(calendar.exists(year, month, day)).isFalse();
  }
}
