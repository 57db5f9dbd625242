package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HyperslabPartsTest {

  @Test
  void partsFollowEachOtherAsThePackedElementsDo() {
    for (long seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      int rank = random.nextInt(4);
      IndexRange[] ranges = new IndexRange[rank];
      for (int d = 0; d < rank; d++) {
        long start = random.nextInt(5);
        ranges[d] = new IndexRange(start, start + 1 + random.nextInt(12), 1 + random.nextInt(3));
      }
      Hyperslab box = Hyperslab.of(ranges);
      long most = 1L + random.nextInt(20);
      List<List<Long>> ofParts = new ArrayList<>();
      for (Hyperslab part : box.divided(most)) {
        assertThat(part.elementCount()).as("seed %d", seed).isBetween(1L, most);
        ofParts.addAll(indices(part));
      }
      assertThat(ofParts).as("seed %d: %s by %d", seed, box, most).isEqualTo(indices(box));
    }
  }

  @Test
  void nothingIsOnePartOfNothing() {
    Hyperslab nothing = Hyperslab.box(new long[] {0, 3}, new long[] {5, 3});
    assertThat(nothing.divided(2)).containsExactly(nothing);
    assertThatThrownBy(() -> nothing.divided(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void boxInBoxIsMovedByItsStart() {
    Hyperslab inner = Hyperslab.box(new long[] {1, 0}, new long[] {3, 2});
    Hyperslab outer = Hyperslab.box(new long[] {10, 20}, new long[] {14, 22});
    assertThat(inner.within(outer))
        .isEqualTo(Hyperslab.box(new long[] {11, 20}, new long[] {13, 22}));
  }

  /** All indices in C order. */
  private static List<List<Long>> indices(Hyperslab box) {
    List<List<Long>> found = List.of(List.of());
    for (IndexRange range : box.ranges()) {
      List<List<Long>> longer = new ArrayList<>();
      for (List<Long> prefix : found) {
        for (long i = range.start(); i < range.stop(); i += range.stride()) {
          List<Long> index = new ArrayList<>(prefix);
          index.add(i);
          longer.add(index);
        }
      }
      found = longer;
    }
    return found;
  }
}
