package io.arraymorph.layout.cf;

import static io.arraymorph.layout.cf.CfSamples.INT16;
import static io.arraymorph.layout.cf.CfSamples.INT64;
import static io.arraymorph.layout.cf.CfSamples.decode;
import static io.arraymorph.layout.cf.CfSamples.doubles;
import static io.arraymorph.layout.cf.CfSamples.json;
import static io.arraymorph.layout.cf.CfSamples.longs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.DataType;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.column.ColumnType.Scalar;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Dates, durations and numpy's times. */
class CfTimesTest {
  @Test
  void timesAreExactToTheMicrosecond() {
    assertThat(decode(longs(INT64, 0, 1), "{'units': 'weeks since 1970-01-08'}"))
        .containsExactly(7 * 86_400_000_000L, 14 * 86_400_000_000L);
    assertThat(decode(longs(INT64, -1, 1999), "{'units': 'ns since 1970-01-01'}"))
        .containsExactly(-1L, 1L);
    double hours = 1.0 / 24;
    assertThat(decode(doubles(40_000 + hours, hours), "{'units': 'days since 1970-01-01'}"))
        .containsExactly(40_000 * 86_400_000_000L + 3_600_000_000L, 3_600_000_000L);
    assertThat(decode(doubles(Double.NaN, 1), "{'units': 'seconds since 1970-01-01 -0:30'}"))
        .containsExactly(null, 1_801_000_000L);
    // 1-1-1 in the standard calendar is a Julian date: two days before the Gregorian one.
    assertThat(decode(longs(INT64, 17_522_904), "{'units': 'hours since 1-1-1 00:00:0.0'}"))
        .containsExactly(java.time.LocalDate.of(2000, 1, 1).toEpochDay() * 86_400_000_000L);
  }

  @Test
  void theLeastLongIsNoTime() {
    String days = "{'units': 'days since 1970-01-01'}";
    assertThat(CfDecoding.of(INT64, json(days)).isNullable()).isTrue();
    assertThat(decode(longs(INT64, Long.MIN_VALUE, 0), days)).containsExactly(null, 0L);
    assertThat(decode(longs(INT64, Long.MIN_VALUE), "{}")).containsExactly(Long.MIN_VALUE);
  }

  @Test
  void scaledTimesAreScaledFirst() {
    assertThat(
            decode(
                longs(INT16, 3, -9),
                "{'units': 'hours since 1970-01-01', 'scale_factor': 0.5, '_FillValue': -9}"))
        .containsExactly(5_400_000_000L, null);
  }

  @Test
  void timesBeyondTimestampsFailAndNameTheArray() {
    String days = "{'units': 'days since 1970-01-01'}";
    CfDecoding decoding = CfDecoding.of(INT64, json(days)).named("s3a://b/time");
    assertThatThrownBy(() -> decoding.decode(longs(INT64, Long.MAX_VALUE)))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_METADATA_INVALID")
        .hasMessageContaining("9223372036854775807 of s3a://b/time")
        .hasMessageContaining("decode=false");
    for (double bad : new double[] {Double.POSITIVE_INFINITY, 1e300, -1e19}) {
      assertThatThrownBy(() -> decode(doubles(bad), days)).isInstanceOf(ArrayMorphException.class);
    }
    // 29 February 1500 is Julian only.
    String standard = "{'units': 'days since 1500-02-28', 'calendar': 'standard'}";
    assertThatThrownBy(() -> decode(longs(INT64, 1), standard))
        .isInstanceOf(ArrayMorphException.class);
    // A missing value is never dated.
    assertThat(
            decode(
                doubles(9.96921e36, 0),
                "{'units': 'days since 1970-01-01', '_FillValue': 9.96921e36}"))
        .containsExactly(null, 0L);
  }

  @Test
  void durationsOfXarrayAreIntervals() {
    String days = "{'units': 'days', 'dtype': 'timedelta64[ns]', '_FillValue': -1}";
    assertThat(CfDecoding.of(INT64, json(days)).type()).isEqualTo(Scalar.DAY_TIME_INTERVAL);
    assertThat(CfDecoding.of(INT64, json(days)).isNullable()).isTrue();
    assertThat(decode(longs(INT64, 0, 3, -2, -1, Long.MIN_VALUE), days))
        .containsExactly(0L, 3 * 86_400_000_000L, -2 * 86_400_000_000L, null, null);
    assertThat(decode(doubles(0.5, Double.NaN), "{'units': 'hours', 'dtype': 'timedelta64[s]'}"))
        .containsExactly(1_800_000_000L, null);
    assertThat(decode(longs(INT64, -1, 1999), "{'units': 'ns', 'dtype': 'timedelta64[ns]'}"))
        .containsExactly(-1L, 1L);
    for (String raw :
        List.of(
            "{'units': 'days'}",
            "{'units': 'months', 'dtype': 'timedelta64[ns]'}",
            "{'dtype': 'timedelta64[ns]'}")) {
      assertThat(CfDecoding.of(INT64, json(raw)).type()).as(raw).isEqualTo(Scalar.LONG);
    }
  }

  @Test
  void whatNamesNoTimeStaysRawWithAWarning() {
    for (String units :
        List.of(
            "hour since 0000-01-01 00:00:00",
            "months since 2000-01-01",
            "days since 1582-10-10",
            "days since 2000-02-30",
            "days since now",
            "kg since 2000-01-01")) {
      CfDecoding decoding = CfDecoding.of(INT64, json("{'units': '" + units + "'}"));
      assertThat(decoding.type()).as(units).isEqualTo(Scalar.LONG);
      assertThat(decoding.isIdentity()).as(units).isTrue();
      assertThat(decoding.warnings()).as(units).singleElement().asString().contains(units);
    }
    for (String units : List.of("days", "hours of daylight", "")) {
      assertThat(CfDecoding.of(INT64, json("{'units': '" + units + "'}")).warnings()).isEmpty();
    }
    assertThat(
            CfDecoding.of(INT64, json("{'units': 'days since 2000-01-01', 'calendar': 'lunar'}"))
                .warnings())
        .singleElement()
        .asString()
        .contains("lunar");
  }

  @Test
  void numpyTimesAreNullableAndFloored() {
    DataType time = new DataType.DateTime64(TimeUnit64.NANOSECOND, 10);
    assertThat(CfDecoding.raw(time).isNullable()).isTrue();
    assertThat(decode(longs(time, -1, 150, Long.MIN_VALUE), "{}")).containsExactly(-1L, 1L, null);
    DataType months = new DataType.TimeDelta64(TimeUnit64.MONTH, 1);
    assertThat(CfDecoding.raw(months).type()).isEqualTo(Scalar.LONG);
    assertThat(decode(longs(months, 5, Long.MIN_VALUE), "{}")).containsExactly(5L, null);
    DataType days = new DataType.DateTime64(TimeUnit64.DAY, 1);
    assertThatThrownBy(() -> decode(longs(days, Long.MAX_VALUE), "{}"))
        .isInstanceOf(ArrayMorphException.class);
    DataType tiny = new DataType.DateTime64(TimeUnit64.ATTOSECOND, Integer.MAX_VALUE);
    assertThat(decode(longs(tiny, Long.MAX_VALUE), "{}"))
        .containsExactly(
            BigInteger.valueOf(Long.MAX_VALUE)
                .multiply(BigInteger.valueOf(Integer.MAX_VALUE))
                .divide(BigInteger.TEN.pow(12))
                .longValueExact());
  }
}
