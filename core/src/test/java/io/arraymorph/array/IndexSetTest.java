package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class IndexSetTest {
  private static final int LENGTH = 40;

  @Test
  void agreesWithSetsOfSingleIndices() {
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      TreeSet<Long> a = new TreeSet<>();
      TreeSet<Long> b = new TreeSet<>();
      IndexSet setA = randomSet(random, a);
      IndexSet setB = randomSet(random, b);
      TreeSet<Long> union = new TreeSet<>(a);
      union.addAll(b);
      TreeSet<Long> both = new TreeSet<>(a);
      both.retainAll(b);
      TreeSet<Long> minus = new TreeSet<>(a);
      minus.removeAll(b);
      int length = random.nextInt(LENGTH + 10);
      TreeSet<Long> complement = new TreeSet<>();
      for (long i = 0; i < length; i++) {
        if (!a.contains(i)) {
          complement.add(i);
        }
      }
      long from = random.nextInt(LENGTH);
      long to = random.nextInt(LENGTH);
      String seedText = "seed " + seed + ": " + setA + " with " + setB;

      assertSame(setA, a, seedText);
      assertSame(setA.union(setB), union, seedText);
      assertSame(setA.intersect(setB), both, seedText);
      assertSame(setA.minus(setB), minus, seedText);
      assertSame(setA.complement(length), complement, seedText);
      assertSame(
          setA.clip(from, to),
          from < to ? new TreeSet<>(a.subSet(from, to)) : a.headSet(-1L),
          seedText);
      List<Long> ordered = new ArrayList<>(a);
      int first = random.nextInt(a.size() + 1);
      int last = first + random.nextInt(a.size() - first + 1);
      assertSame(setA.slice(first, last), new TreeSet<>(ordered.subList(first, last)), seedText);
      assertThat(setA.equals(setB)).as(seedText).isEqualTo(a.equals(b));
      assertThat(IndexSet.ofIndices(a.stream().mapToLong(Long::longValue).toArray()))
          .as(seedText)
          .isEqualTo(setA)
          .hasSameHashCodeAs(setA);
      for (long i = 0; i < LENGTH + 2; i++) {
        assertThat(setA.contains(i)).as(seedText).isEqualTo(a.contains(i));
        Long ceiling = a.ceiling(i);
        assertThat(setA.ceiling(i)).as(seedText).isEqualTo(ceiling == null ? -1 : ceiling);
      }
    }
  }

  private static IndexSet randomSet(Random random, Set<Long> oracle) {
    List<IndexRange> ranges = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      IndexRange range = RandomArrays.range(random, LENGTH);
      RandomArrays.addTo(oracle, range);
      ranges.add(range);
    }
    return IndexSet.of(ranges);
  }

  private static void assertSame(IndexSet set, SortedSet<Long> oracle, String seed) {
    assertThat(RandomArrays.indices(set)).as(seed).isEqualTo(oracle);
    assertThat(set.count()).as(seed).isEqualTo(oracle.size());
    assertThat(set.isEmpty()).as(seed).isEqualTo(oracle.isEmpty());
    long end = 0;
    for (IndexRange range : set.ranges()) {
      assertThat(range.start()).as(seed).isGreaterThanOrEqualTo(end);
      assertThat(range.isEmpty()).as(seed).isFalse();
      end = range.stop();
    }
    if (!oracle.isEmpty()) {
      assertThat(set.first()).as(seed).isEqualTo(oracle.first());
      assertThat(set.last()).as(seed).isEqualTo(oracle.last());
    }
  }

  @Test
  void findsRunsAndStrides() {
    assertThat(IndexSet.ofIndices(9, 3, 1, 2, 20, 30, 40, 3, 50).ranges())
        .containsExactly(IndexRange.of(1, 4), IndexRange.single(9), new IndexRange(20, 51, 10));
    assertThat(IndexSet.of(List.of(IndexRange.of(5, 9), IndexRange.of(0, 5))).ranges())
        .containsExactly(IndexRange.of(0, 9));
  }

  @Test
  void worksOnHugeStridedRangesWithoutEnumeratingThem() {
    long far = 4_000_000_000_000_000_000L;
    IndexSet odd = IndexSet.of(new IndexRange(1, far, 2));
    IndexSet thirds = IndexSet.of(new IndexRange(0, far, 3));
    assertThat(odd.intersect(thirds).ranges()).containsExactly(new IndexRange(3, far, 6));
    assertThat(odd.complement(far).ranges().get(0).stride()).isEqualTo(2);
    assertThat(odd.minus(odd)).isEqualTo(IndexSet.EMPTY);
  }

  @Test
  void refusesUnionsThatWouldTakeTooMuchMemory() {
    IndexSet odd = IndexSet.of(new IndexRange(1, 1L << 40, 2));
    IndexSet thirds = IndexSet.of(new IndexRange(0, 1L << 40, 3));
    assertThatThrownBy(() -> odd.union(thirds))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_TOO_LARGE");
  }
}
