package io.arraymorph.layout.cf;

import static io.arraymorph.layout.cf.CfSamples.FLOAT64;
import static io.arraymorph.layout.cf.CfSamples.INT16;
import static io.arraymorph.layout.cf.CfSamples.INT64;
import static io.arraymorph.layout.cf.CfSamples.decode;
import static io.arraymorph.layout.cf.CfSamples.doubles;
import static io.arraymorph.layout.cf.CfSamples.floats;
import static io.arraymorph.layout.cf.CfSamples.json;
import static io.arraymorph.layout.cf.CfSamples.longs;
import static io.arraymorph.layout.cf.CfSamples.values;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CfDecodingTest {
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
