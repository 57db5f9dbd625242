package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.CoordinateIndex.Comparison;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ValueSetTest {
  private static final double[] DOUBLES = {
    Double.NEGATIVE_INFINITY,
    -Double.MAX_VALUE,
    -1.5,
    -Double.MIN_VALUE,
    -0.0,
    0.0,
    Double.MIN_VALUE,
    0.1,
    1,
    9.007199254740992E15,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NaN,
    Double.longBitsToDouble(0xfff8000000000123L)
  };
  private static final List<Comparison> COMPARISONS = List.of(Comparison.values());
  private static final long[] LONGS = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, -7, -1, 0, 1, 2, 1L << 53, (1L << 53) + 1, Long.MAX_VALUE
  };

  private static Object constant(Random random) {
    switch (random.nextInt(4)) {
      case 0:
        return DOUBLES[random.nextInt(DOUBLES.length)];
      case 1:
        return LONGS[random.nextInt(LONGS.length)];
      case 2:
        return new BigDecimal(LONGS[random.nextInt(LONGS.length)]).add(new BigDecimal("0.5"));
      default:
        return random.nextInt(5) - 2;
    }
  }

  private static ValueSet set(ValueSet.Kind kind, Random random, int depth) {
    switch (depth == 0 ? 0 : random.nextInt(4)) {
      case 1:
        return set(kind, random, depth - 1).complement();
      case 2:
        return set(kind, random, depth - 1).union(set(kind, random, depth - 1));
      case 3:
        return set(kind, random, depth - 1).intersect(set(kind, random, depth - 1));
      default:
        Comparison comparison = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
        return ValueSet.where(kind, comparison, constant(random));
    }
  }

  /** The same seed gives the same expression, evaluated by the index that answers row by row. */
  private static boolean[] expected(CoordinateIndex index, Random random, int depth) {
    int length = (int) index.length();
    boolean[] found = new boolean[length];
    switch (depth == 0 ? 0 : random.nextInt(4)) {
      case 1:
        boolean[] of = expected(index, random, depth - 1);
        IntStream.range(0, length).forEach(i -> found[i] = !of[i]);
        return found;
      case 2:
        boolean[] left = expected(index, random, depth - 1);
        boolean[] right = expected(index, random, depth - 1);
        IntStream.range(0, length).forEach(i -> found[i] = left[i] || right[i]);
        return found;
      case 3:
        boolean[] one = expected(index, random, depth - 1);
        boolean[] other = expected(index, random, depth - 1);
        IntStream.range(0, length).forEach(i -> found[i] = one[i] && other[i]);
        return found;
      default:
        Comparison comparison = COMPARISONS.get(random.nextInt(COMPARISONS.size()));
        IndexSet where = index.where(comparison, constant(random));
        IntStream.range(0, length).forEach(i -> found[i] = where.contains(i));
        return found;
    }
  }

  @Test
  void holdsTheValuesThatTheIndexFinds() {
    CoordinateIndex longs = CoordinateIndex.ofLongs(LONGS);
    CoordinateIndex unsigned =
        CoordinateIndex.ofUnsignedLongs(LONGS.length, i -> LONGS[i], i -> false);
    CoordinateIndex doubles = CoordinateIndex.ofDoubles(DOUBLES);
    for (long seed = 0; seed < 3000; seed++) {
      int depth = (int) (seed % 4);
      ValueSet ofLongs = set(ValueSet.Kind.LONGS, new Random(seed), depth);
      ValueSet ofUnsigned = set(ValueSet.Kind.UNSIGNED_LONGS, new Random(seed), depth);
      ValueSet ofDoubles = set(ValueSet.Kind.DOUBLES, new Random(seed), depth);
      boolean[] wantedLongs = expected(longs, new Random(seed), depth);
      boolean[] wantedUnsigned = expected(unsigned, new Random(seed), depth);
      boolean[] wantedDoubles = expected(doubles, new Random(seed), depth);
      for (int i = 0; i < LONGS.length; i++) {
        String what = "seed " + seed + " value " + LONGS[i];
        assertThat(ofLongs.containsKey(LONGS[i])).as(what).isEqualTo(wantedLongs[i]);
        assertThat(ofUnsigned.containsKey(LONGS[i] ^ Long.MIN_VALUE))
            .as(what + " unsigned")
            .isEqualTo(wantedUnsigned[i]);
      }
      for (int i = 0; i < DOUBLES.length; i++) {
        String what = "seed " + seed + " value " + DOUBLES[i] + " " + ofDoubles;
        assertThat(ofDoubles.containsKey(ValueSet.keyOf(DOUBLES[i])))
            .as(what)
            .isEqualTo(wantedDoubles[i]);
        double value = DOUBLES[i];
        boolean within =
            IntStream.range(0, ofDoubles.intervals())
                .anyMatch(
                    k ->
                        (value >= ofDoubles.leastDouble(k) && value <= ofDoubles.greatestDouble(k))
                            || (Double.isNaN(value) && ofDoubles.holdsNan(k)));
        assertThat(within).as(what + " by bounds").isEqualTo(wantedDoubles[i]);
      }
    }
  }

  @Test
  void equalSetsAreEqual() {
    ValueSet below = ValueSet.where(ValueSet.Kind.LONGS, Comparison.LT, 5L);
    ValueSet atLeast = ValueSet.where(ValueSet.Kind.LONGS, Comparison.GE, 5L);
    assertThat(below.complement()).isEqualTo(atLeast).hasSameHashCodeAs(atLeast);
    assertThat(below.union(atLeast)).isEqualTo(ValueSet.all(ValueSet.Kind.LONGS));
    assertThat(below.intersect(atLeast).isEmpty()).isTrue();
    assertThat(Arrays.asList(below, atLeast).toString()).contains("LONGS");
  }
}
