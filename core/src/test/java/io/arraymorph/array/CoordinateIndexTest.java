package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.CoordinateIndex.Comparison;
import io.arraymorph.array.CoordinateIndex.Order;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CoordinateIndexTest {

  private static long[] indices(IndexSet set) {
    return set.ranges().stream()
        .flatMapToLong(r -> LongStream.iterate(r.start(), i -> i < r.stop(), i -> i + r.stride()))
        .toArray();
  }

  /** Spark's order of two numbers of any type: exact, NaN greatest, -0.0 equal to 0.0. */
  private static int compare(Object a, Object b) {
    if (a instanceof byte[]) {
      return Arrays.compareUnsigned((byte[]) a, ((String) b).getBytes(StandardCharsets.UTF_8));
    }
    double x = a instanceof Double ? (Double) a : 0;
    double y = b instanceof Double ? (Double) b : 0;
    if (Double.isNaN(x) || Double.isNaN(y)) {
      return Boolean.compare(Double.isNaN(x), Double.isNaN(y));
    }
    if (Double.isInfinite(x) || Double.isInfinite(y)) {
      double p = Double.isInfinite(x) ? x : 0;
      double q = Double.isInfinite(y) ? y : 0;
      return Double.compare(p, q);
    }
    return exact(a).compareTo(exact(b));
  }

  private static BigDecimal exact(Object number) {
    return number instanceof Double
        ? new BigDecimal((Double) number)
        : new BigDecimal(number.toString());
  }

  private static boolean holds(Comparison comparison, int order) {
    switch (comparison) {
      case EQ:
        return order == 0;
      case LT:
        return order < 0;
      case LE:
        return order <= 0;
      case GT:
        return order > 0;
      default:
        return order >= 0;
    }
  }

  private static void check(CoordinateIndex index, List<Object> values, List<Object> constants) {
    for (Object constant : constants) {
      for (Comparison comparison : Comparison.values()) {
        long[] expected =
            LongStream.range(0, values.size())
                .filter(i -> values.get((int) i) != null)
                .filter(i -> holds(comparison, compare(values.get((int) i), constant)))
                .toArray();
        assertThat(indices(index.where(comparison, constant)))
            .as("%s %s %s", values, comparison, constant)
            .containsExactly(expected);
      }
    }
    long[] wanted =
        LongStream.range(0, values.size())
            .filter(i -> values.get((int) i) != null)
            .filter(i -> constants.stream().anyMatch(c -> compare(values.get((int) i), c) == 0))
            .toArray();
    assertThat(indices(index.in(constants))).as("%s IN %s", values, constants).isEqualTo(wanted);
    long[] nulls =
        LongStream.range(0, values.size()).filter(i -> values.get((int) i) == null).toArray();
    assertThat(indices(index.isNull())).containsExactly(nulls);
    assertThat(index.isNotNull()).isEqualTo(index.isNull().complement(values.size()));
    checkExtremes(index, values);
  }

  private static void checkExtremes(CoordinateIndex index, List<Object> values) {
    OptionalLong least = OptionalLong.empty();
    OptionalLong greatest = OptionalLong.empty();
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value == null) {
        continue;
      }
      if (least.isEmpty() || order(value, values.get((int) least.getAsLong())) < 0) {
        least = OptionalLong.of(i);
      }
      if (greatest.isEmpty() || order(value, values.get((int) greatest.getAsLong())) > 0) {
        greatest = OptionalLong.of(i);
      }
    }
    assertThat(index.indexOfMinimum()).as("least of %s", values).isEqualTo(least);
    assertThat(index.indexOfMaximum()).as("greatest of %s", values).isEqualTo(greatest);
  }

  private static int order(Object a, Object b) {
    return a instanceof byte[] ? Arrays.compareUnsigned((byte[]) a, (byte[]) b) : compare(a, b);
  }

  private static List<Object> arrange(List<Object> values, Random random) {
    int how = random.nextInt(4);
    List<Object> arranged = new ArrayList<>(values);
    if (how < 2) {
      arranged.removeIf(v -> v == null);
      arranged.sort(CoordinateIndexTest::order);
      if (how == 1) {
        java.util.Collections.reverse(arranged);
      }
    }
    return arranged;
  }

  @Test
  void answersAsBruteForceOverDoubles() {
    long seed = System.nanoTime();
    System.out.println("CoordinateIndexTest doubles seed " + seed);
    Random random = new Random(seed);
    double[] special = {
      0.0,
      -0.0,
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.MIN_VALUE,
      -Double.MIN_VALUE,
      Double.MAX_VALUE,
      -Double.MAX_VALUE,
      0.1,
      (float) 0.1,
      1,
      2,
      9007199254740992.0
    };
    for (int run = 0; run < 500; run++) {
      List<Object> values = new ArrayList<>();
      for (int n = random.nextInt(9); n > 0; n--) {
        int kind = random.nextInt(8);
        values.add(
            kind == 0
                ? null
                : kind < 4 ? special[random.nextInt(special.length)] : random.nextInt(6) / 2.0 - 1);
      }
      values = arrange(values, random);
      List<Object> constants = new ArrayList<>();
      for (int n = 0; n < 4; n++) {
        constants.add(special[random.nextInt(special.length)]);
        constants.add(random.nextInt(7) / 2.0 - 1);
      }
      constants.add((long) random.nextInt(4) - 1);
      constants.add(9007199254740993L);
      constants.add(new BigDecimal("0.1"));
      constants.add(new BigDecimal("1e400"));
      constants.add(new BigDecimal("-1e400"));
      List<Object> fixed = values;
      check(
          CoordinateIndex.ofDoubles(
              fixed.size(), i -> (Double) fixed.get(i), i -> fixed.get(i) == null),
          fixed,
          constants);
    }
  }

  @Test
  void answersAsBruteForceOverIntegers() {
    long seed = System.nanoTime();
    System.out.println("CoordinateIndexTest integers seed " + seed);
    Random random = new Random(seed);
    // Among them a number just above the middle of two doubles when unsigned.
    long[] special = {
      Long.MIN_VALUE, Long.MIN_VALUE + 1025, Long.MAX_VALUE, 0, -1, (1L << 53) + 1, 1L << 53
    };
    for (int run = 0; run < 500; run++) {
      boolean unsigned = random.nextBoolean();
      List<Object> values = new ArrayList<>();
      for (int n = random.nextInt(9); n > 0; n--) {
        int kind = random.nextInt(6);
        long bits = kind < 3 ? special[random.nextInt(special.length)] : random.nextInt(5) - 2L;
        values.add(
            kind == 5
                ? null
                : unsigned ? (Object) new BigInteger(Long.toUnsignedString(bits)) : (Object) bits);
      }
      values = arrange(values, random);
      List<Object> constants =
          new ArrayList<>(
              List.of(
                  Double.NaN,
                  Double.POSITIVE_INFINITY,
                  Double.NEGATIVE_INFINITY,
                  9007199254740992.0,
                  9.3e18,
                  0x1p63,
                  0x1p63 + 2048,
                  -9.3e18,
                  1.9e19,
                  -0.0,
                  0.5,
                  new BigDecimal("0.5"),
                  new BigDecimal("18446744073709551615"),
                  new BigDecimal("18446744073709551616"),
                  new BigDecimal("9223372036854775807.5"),
                  random.nextInt(5) - 2L));
      for (long constant : special) {
        constants.add(constant);
      }
      List<Object> fixed = values;
      CoordinateIndex index =
          unsigned
              ? CoordinateIndex.ofUnsignedLongs(
                  fixed.size(),
                  i -> ((BigInteger) fixed.get(i)).longValue(),
                  i -> fixed.get(i) == null)
              : CoordinateIndex.ofLongs(
                  fixed.size(), i -> (Long) fixed.get(i), i -> fixed.get(i) == null);
      check(index, fixed, constants);
      List<Object> asDoubles = new ArrayList<>();
      fixed.forEach(v -> asDoubles.add(v == null ? null : ((Number) v).doubleValue()));
      check(index.asDouble(), asDoubles, constants);
    }
  }

  @Test
  void answersAsBruteForceOverTexts() {
    long seed = System.nanoTime();
    System.out.println("CoordinateIndexTest texts seed " + seed);
    Random random = new Random(seed);
    String[] words = {"", "a", "ab", "b", "B", "Zürich", "Ålesund", "東京", "\uD83D\uDE00", "\uFFFD"};
    for (int run = 0; run < 300; run++) {
      List<Object> values = new ArrayList<>();
      for (int n = random.nextInt(9); n > 0; n--) {
        values.add(
            random.nextInt(6) == 0
                ? null
                : words[random.nextInt(words.length)].getBytes(StandardCharsets.UTF_8));
      }
      List<Object> fixed = arrange(values, random);
      CoordinateIndex index =
          CoordinateIndex.ofBytes(
              fixed.size(), i -> (byte[]) fixed.get(i), i -> fixed.get(i) == null);
      check(index, fixed, List.of((Object[]) words));
      check(index, fixed, List.of("aa", "zz", "A", "東"));
    }
  }

  @Test
  void widensFloatsAsSparkDoes() {
    float[] tenths = {0f, 0.1f, 0.2f, 0.3f};
    CoordinateIndex index = CoordinateIndex.ofDoubles(4, i -> tenths[i], i -> false);
    assertThat(index.where(Comparison.EQ, 0.1).isEmpty()).isTrue();
    assertThat(indices(index.where(Comparison.EQ, 0.1f))).containsExactly(1);
    assertThat(indices(index.where(Comparison.GT, 0.1))).containsExactly(1, 2, 3);
  }

  @Test
  void knowsItsOrder() {
    assertThat(CoordinateIndex.ofDoubles(1, 2, Double.NaN).order()).isEqualTo(Order.ASCENDING);
    assertThat(CoordinateIndex.ofDoubles(3, 3, 1).order()).isEqualTo(Order.DESCENDING);
    assertThat(CoordinateIndex.ofDoubles(Double.NaN, 1).order()).isEqualTo(Order.DESCENDING);
    assertThat(CoordinateIndex.ofDoubles(0.0, -0.0).order()).isEqualTo(Order.ASCENDING);
    assertThat(CoordinateIndex.ofLongs(5).order()).isEqualTo(Order.ASCENDING);
    assertThat(CoordinateIndex.ofLongs().order()).isEqualTo(Order.ASCENDING);
    assertThat(CoordinateIndex.ofLongs(1, 3, 2).order()).isEqualTo(Order.UNORDERED);
    assertThat(CoordinateIndex.ofLongs(2, i -> i, i -> i == 1).order()).isEqualTo(Order.UNORDERED);
  }

  @Test
  void answersMonotonicCoordinatesWithoutAScan() {
    long[] reads = {0};
    CoordinateIndex index =
        CoordinateIndex.ofLongs(
            1_000_000,
            i -> {
              reads[0]++;
              return 2L * i;
            },
            i -> false);
    reads[0] = 0;
    assertThat(index.where(Comparison.GE, 1_000_001L).first()).isEqualTo(500_001);
    assertThat(reads[0]).isLessThan(50);
  }

  @Test
  void findsTheExtremesInSparkOrder() {
    CoordinateIndex index = CoordinateIndex.ofDoubles(3, Double.NaN, -1, 7);
    assertThat(index.indexOfMinimum()).hasValue(2);
    assertThat(index.indexOfMaximum()).hasValue(1);
    assertThat(CoordinateIndex.ofLongs(2, i -> i, i -> true).indexOfMinimum()).isEmpty();
  }

  @Test
  void selectsDatePartsInTheZoneOfTheSession() {
    long sixHours = 6 * 3600 * 1_000_000L;
    long start = Instant.parse("2019-12-31T00:00:00Z").getEpochSecond() * 1_000_000L;
    CoordinateIndex index = CoordinateIndex.ofLongs(12, i -> start + i * sixHours, i -> false);
    assertThat(indices(index.wherePart(DatePart.YEAR, ZoneOffset.UTC, y -> y == 2020)))
        .containsExactly(4, 5, 6, 7, 8, 9, 10, 11);
    ZoneId newYork = ZoneId.of("America/New_York");
    assertThat(indices(index.wherePart(DatePart.YEAR, newYork, y -> y == 2020)))
        .containsExactly(5, 6, 7, 8, 9, 10, 11);
    IndexSet noons =
        index.wherePart(DatePart.HOUR, ZoneOffset.UTC, hour -> hour == 0 || hour == 12);
    assertThat(noons.ranges()).containsExactly(new IndexRange(0, 11, 2));
    assertThat(indices(index.wherePart(DatePart.DAY_OF_WEEK, ZoneOffset.UTC, d -> d == 3)))
        .containsExactly(4, 5, 6, 7);
    assertThat(indices(index.wherePart(DatePart.EPOCH_DAY, ZoneOffset.UTC, d -> d == 18262)))
        .containsExactly(4, 5, 6, 7);
  }

  @Test
  void datePartsBeforeTheEpochAreFloored() {
    assertThat(DatePart.SECOND.of(-1, ZoneOffset.UTC)).isEqualTo(59);
    assertThat(DatePart.YEAR.of(-1, ZoneOffset.UTC)).isEqualTo(1969);
    assertThat(DatePart.EPOCH_DAY.of(-1, ZoneOffset.UTC)).isEqualTo(-1);
  }

  @Test
  void refusesConstantsOfAnotherKind() {
    assertThatThrownBy(() -> CoordinateIndex.ofLongs(1).where(Comparison.EQ, "1"))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_TYPE_MISMATCH");
  }

  @Test
  void runsCollectAnyIndicesExactly() {
    Random random = new Random(7);
    for (int run = 0; run < 3000; run++) {
      TreeSet<Long> wanted = new TreeSet<>();
      long index = 0;
      for (int n = random.nextInt(12); n > 0; n--) {
        index += 1 + (random.nextInt(3) == 0 ? random.nextInt(4) : 1);
        wanted.add(index);
      }
      IndexRuns runs = new IndexRuns();
      wanted.forEach(runs::add);
      List<IndexRange> ranges = runs.ranges();
      assertThat(
              ranges.stream()
                  .flatMapToLong(
                      r -> LongStream.iterate(r.start(), i -> i < r.stop(), i -> i + r.stride()))
                  .toArray())
          .containsExactly(wanted.stream().mapToLong(Long::longValue).toArray());
    }
  }
}
