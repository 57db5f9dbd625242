package io.arraymorph.layout.cf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CfDecodingTest {
  private static final DataType INT16 = new DataType.Int(16, true);
  private static final DataType INT64 = new DataType.Int(64, true);
  private static final DataType FLOAT32 = new DataType.Float(FloatFormat.FLOAT32);
  private static final DataType FLOAT64 = new DataType.Float(FloatFormat.FLOAT64);

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  private static FixedWidthElements longs(DataType type, long... values) {
    int width = type.byteWidth();
    byte[] bytes = new byte[3 + values.length * width];
    for (int i = 0; i < values.length; i++) {
      for (int b = 0; b < width; b++) {
        bytes[3 + i * width + b] = (byte) (values[i] >> (8 * b));
      }
    }
    return new FixedWidthElements(type, Shape.of(values.length), bytes, 3);
  }

  private static FixedWidthElements doubles(double... values) {
    byte[] bytes = new byte[8 * values.length];
    for (int i = 0; i < values.length; i++) {
      LittleEndianBytes.putDouble(bytes, 8 * i, values[i]);
    }
    return new FixedWidthElements(FLOAT64, Shape.of(values.length), bytes, 0);
  }

  private static FixedWidthElements floats(float... values) {
    byte[] bytes = new byte[4 * values.length];
    for (int i = 0; i < values.length; i++) {
      LittleEndianBytes.putFloat(bytes, 4 * i, values[i]);
    }
    return new FixedWidthElements(FLOAT32, Shape.of(values.length), bytes, 0);
  }

  private static List<Object> decode(FixedWidthElements raw, String attributes) {
    CfDecoding decoding = CfDecoding.of(raw.type(), json(attributes));
    List<Object> values = values(decoding.decode(raw));
    // What travels to other processes decodes the same.
    assertThat(values(CfDecoding.parse(raw.type(), decoding.toJson()).decode(raw)))
        .isEqualTo(values);
    return values;
  }

  private static List<Object> values(DecodedColumn column) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < column.count(); i++) {
      Object value = column.valueAt(i);
      values.add(value instanceof byte[] ? Arrays.toString((byte[]) value) : value);
    }
    return values;
  }

  @Test
  void integersOfAllWidthsDecodeAsOneByOne() {
    long seed = System.nanoTime();
    System.out.println("CfDecodingTest integers seed " + seed);
    Random random = new Random(seed);
    for (int run = 0; run < 200; run++) {
      int bits = 8 << random.nextInt(4);
      boolean stored = random.nextBoolean();
      String unsigned = random.nextInt(3) == 0 ? String.valueOf(stored) : "";
      boolean signed = unsigned.isEmpty() ? stored : !stored;
      DataType type = new DataType.Int(bits, stored);
      // More than one block of the decoder, now and then.
      long[] raw = new long[random.nextInt(10) == 0 ? 5000 : random.nextInt(50)];
      for (int i = 0; i < raw.length; i++) {
        raw[i] = random.nextInt(4) == 0 ? random.nextLong() : random.nextInt(5) - 2L;
      }
      long missing = random.nextInt(5) - 2L;
      boolean scaled = random.nextBoolean();
      String attributes =
          "{'_FillValue': "
              + missing
              + ", 'missing_value': [3.5, 1e30, 2]"
              + (unsigned.isEmpty() ? "" : ", '_Unsigned': '" + unsigned + "'")
              + (scaled ? ", 'scale_factor': 0.01, 'add_offset': 273.15" : "")
              + "}";
      List<Object> decoded = decode(longs(type, raw), attributes);
      for (int i = 0; i < raw.length; i++) {
        BigInteger value = BigInteger.valueOf((raw[i] << (64 - bits)) >> (64 - bits));
        boolean isMissing =
            value.equals(BigInteger.valueOf(missing)) || value.equals(BigInteger.TWO);
        if (!signed && value.signum() < 0) {
          value = value.add(BigInteger.TWO.pow(bits));
        }
        Object got = decoded.get(i);
        String what = type + attributes + " of " + value;
        if (isMissing) {
          assertThat(got).as(what).isNull();
        } else if (scaled) {
          assertThat(got).as(what).isEqualTo(value.doubleValue() * 0.01 + 273.15);
        } else {
          assertThat(new BigDecimal(got.toString())).as(what).isEqualTo(new BigDecimal(value));
        }
      }
    }
  }

  @Test
  void unsignedIntegersAreRoundedOnce() {
    DataType type = new DataType.Int(64, false);
    long justAboveATie = Long.MIN_VALUE + 1025;
    assertThat(decode(longs(type, justAboveATie, Long.MIN_VALUE + 1024), "{'scale_factor': 1}"))
        .containsExactly(0x1p63 + 2048, 0x1p63);
  }

  @Test
  void fillsOfBinary32AreComparedInBinary32() {
    assertThat(decode(floats(0.1f, 1), "{'_FillValue': 0.1}")).containsExactly(null, 1f);
    String missing = "{'_FillValue': -1e34, 'missing_value': -9.999999790214768e33}";
    assertThat(decode(floats(-1e34f, 1, Float.NaN, Float.NEGATIVE_INFINITY), missing))
        .containsExactly(null, 1f, Float.NaN, Float.NEGATIVE_INFINITY);
    assertThat(decode(floats(Float.POSITIVE_INFINITY, 1), "{'_FillValue': 1e300}"))
        .containsExactly(Float.POSITIVE_INFINITY, 1f);
    assertThat(decode(floats(Float.NaN, 1), "{'_FillValue': 'NaN'}")).containsExactly(null, 1f);
    assertThat(decode(floats(-0f, 1), "{'_FillValue': 0}")).containsExactly(null, 1f);
    assertThat(decode(floats(-9999f, 1), "{'_FillValue': '-9999'}")).containsExactly(null, 1f);
    // The little-endian bytes of the binary32 itself.
    assertThat(decode(floats(1f, 2f), "{'_FillValue': 'AACAPw=='}")).containsExactly(null, 2f);
  }

  @Test
  void fillsOfSmallFloatsAreRoundedToThem() {
    DataType half = new DataType.Float(FloatFormat.FLOAT16);
    // 0x2E66 is the binary16 nearest to 0.1; 0x7BFF the greatest; 0x7C00 infinity.
    FixedWidthElements raw = longs(half, 0x2E66, 0x7BFF, 0x7C00);
    assertThat(decode(raw, "{'_FillValue': 0.1}"))
        .containsExactly(null, 65504f, Float.POSITIVE_INFINITY);
    assertThat(decode(raw, "{'_FillValue': 1e10}")).doesNotContainNull();
    DataType brain = new DataType.Float(FloatFormat.BFLOAT16);
    assertThat(decode(longs(brain, 0x3DCD, 0x3F80), "{'_FillValue': 0.1}"))
        .containsExactly(null, 1f);
  }

  @Test
  void maskedTypesStayAndShareTheirBytes() {
    FixedWidthElements raw = longs(INT16, 1, -5, 3);
    DecodedColumn column = CfDecoding.of(INT16, json("{'_FillValue': -5}")).decode(raw);
    assertThat(column.type()).isEqualTo(Scalar.SHORT);
    assertThat(column.values()).isSameAs(raw.bytes());
    assertThat(values(column)).containsExactly((short) 1, null, (short) 3);
    CfDecoding identity = CfDecoding.of(INT16, json("{'units': 'K', 'valid_min': 2}"));
    assertThat(identity.isIdentity()).isTrue();
    assertThat(identity.isNullable()).isFalse();
    assertThat(CfDecoding.raw(new DataType.Int(8, false)).isIdentity()).isFalse();
    assertThat(CfDecoding.of(FLOAT64, json("{'scale_factor': 1.0}")).isIdentity()).isFalse();
  }

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
  void missingValuesThatFitNoTypeAreNamed() {
    CfDecoding decoding = CfDecoding.of(INT16, json("{'_FillValue': 'abc', 'missing_value': 7}"));
    assertThat(decoding.warnings()).singleElement().asString().contains("\"abc\"");
    assertThat(values(decoding.decode(longs(INT16, 7, 8)))).containsExactly(null, (short) 8);
    // A number that the type cannot hold never matches: no warning.
    assertThat(CfDecoding.of(INT16, json("{'_FillValue': -1e34}")).warnings()).isEmpty();
  }

  @Test
  void scalesThatAreNoNumberAreRefused() {
    assertThatThrownBy(() -> CfDecoding.of(INT16, json("{'scale_factor': 'much'}")))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_METADATA_INVALID")
        .hasMessageContaining("scale_factor");
    assertThat(decode(longs(INT16, 4), "{'scale_factor': [0.5], 'add_offset': '1'}"))
        .containsExactly(3.0);
  }

  @Test
  void booleansOfXarrayAreBooleans() {
    assertThat(decode(longs(new DataType.Int(8, true), 0, 1, -1), "{'dtype': 'bool'}"))
        .containsExactly(false, true, true);
  }

  @Test
  void textsLoseTheirPaddingAndMayBeMissing() {
    DataType bytes = new DataType.NullTerminatedBytes(2);
    FixedWidthElements raw = longs(bytes, 'a', 'a' | 'b' << 8, 0);
    assertThat(decode(raw, "{'_Encoding': 'utf-8'}")).containsExactly("a", "ab", "");
    assertThat(CfDecoding.of(bytes, json("{}")).type()).isEqualTo(Scalar.BINARY);
    assertThat(decode(raw, "{'_Encoding': 'utf-8', '_FillValue': 'YWI='}"))
        .containsExactly("a", null, "");
    DataType utf32 = new DataType.FixedLengthUtf32(1);
    assertThat(decode(longs(utf32, 0x1F600, 0, 0xD800, 'z'), "{'_FillValue': 'z'}"))
        .containsExactly("\uD83D\uDE00", "", "\uFFFD", null);
    assertThatThrownBy(() -> decode(longs(utf32, 0x110000), "{}"))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_CHUNK_CORRUPT");
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

  @Test
  void emptyArraysDecodeToEmptyColumns() {
    assertThat(decode(doubles(), "{'_FillValue': 1, 'units': 'days since 2000-01-01'}")).isEmpty();
  }

  private static String randomJson(Random random, int depth) {
    switch (random.nextInt(depth > 2 ? 9 : 11)) {
      case 0:
        return "null";
      case 1:
        return "true";
      case 2:
        return Long.toString(random.nextLong());
      case 3:
        return Double.toString(Double.longBitsToDouble(random.nextLong() & 0x7FEFFFFFFFFFFFFFL));
      case 4:
        return "1e999";
      case 5:
        return "-7";
      case 6:
        return "'days since " + (random.nextInt(4000) - 500) + "-" + random.nextInt(14) + "-1'";
      case 7:
        return "'hours since 2000-01-01 00:00:00 " + (random.nextInt(60) - 30) + ":00'";
      case 8:
        String[] texts = {"", "NaN", "1e99999999", "AAAA", "AAAAAAAA+H8=", "360_day", "true", "0"};
        return "'" + texts[random.nextInt(texts.length)] + "'";
      case 9:
        return "[" + randomJson(random, depth + 1) + ", " + randomJson(random, depth + 1) + "]";
      default:
        return "{'a': " + randomJson(random, depth + 1) + "}";
    }
  }

  @Test
  void whateverAttributesSayOnlyCodedErrorsCome() {
    long seed = System.nanoTime();
    System.out.println("CfDecodingTest attributes seed " + seed);
    Random random = new Random(seed);
    String[] names = {
      "_FillValue",
      "missing_value",
      "scale_factor",
      "add_offset",
      "units",
      "calendar",
      "_Unsigned",
      "dtype",
      "_Encoding"
    };
    List<FixedWidthElements> raws =
        List.of(
            longs(new DataType.Int(8, true), 0, -7, 100),
            longs(INT64, Long.MIN_VALUE, -7, 1L << 40),
            longs(new DataType.Int(64, false), -1, 7, 0),
            floats(-7, Float.NaN, 1e30f),
            doubles(-7, Double.NaN, 1e300),
            longs(new DataType.NullTerminatedBytes(2), 'a', 0),
            longs(new DataType.Bool(), 0, 1));
    int decoded = 0;
    for (int run = 0; run < 3000; run++) {
      List<String> members = new ArrayList<>();
      for (String name : names) {
        if (random.nextInt(3) == 0) {
          members.add("'" + name + "': " + randomJson(random, 0));
        }
      }
      FixedWidthElements raw = raws.get(random.nextInt(raws.size()));
      try {
        assertThat(decode(raw, "{" + String.join(", ", members) + "}"))
            .hasSize((int) raw.shape().elementCount());
        decoded++;
      } catch (ArrayMorphException e) {
        assertThat(e.code()).isEqualTo(io.arraymorph.ErrorCode.METADATA_INVALID);
      }
    }
    assertThat(decoded).isGreaterThan(1000);
  }
}
