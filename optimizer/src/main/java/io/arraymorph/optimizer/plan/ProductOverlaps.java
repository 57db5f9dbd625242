package io.arraymorph.optimizer.plan;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Finds which of many products of indices have elements in common, by a sweep along the dimension
 * along which they lie farthest apart.
 */
final class ProductOverlaps {

  /**
   * Two products that have elements in common.
   *
   * @param one the number of one of them
   * @param other the number of the other, which is higher
   */
  record Overlap(int one, int other, OrthogonalSelection common) {}

  private final List<OrthogonalSelection> products;
  private final int rank;
  private final long[] firsts;
  private final long[] lasts;

  private ProductOverlaps(List<OrthogonalSelection> products) {
    this.products = products;
    this.rank = products.get(0).rank();
    this.firsts = new long[products.size() * rank];
    this.lasts = new long[firsts.length];
    for (int i = 0; i < firsts.length; i++) {
      IndexSet indices = products.get(i / rank).indices(i % rank);
      firsts[i] = indices.first();
      lasts[i] = indices.last();
    }
  }

  /**
   * All pairs that overlap; empty if more pairs had to be compared.
   *
   * @param products at least one, of rank 1 or more; none empty
   * @param mostCompared pairs that are looked at
   */
  static Optional<List<Overlap>> of(List<OrthogonalSelection> products, long mostCompared) {
    return new ProductOverlaps(products).sweep(mostCompared);
  }

  private Optional<List<Overlap>> sweep(long mostCompared) {
    int along = sparsest();
    int[] order =
        IntStream.range(0, products.size())
            .boxed()
            .sorted(Comparator.comparingLong(i -> firsts[i * rank + along]))
            .mapToInt(i -> i)
            .toArray();
    List<Overlap> overlaps = new ArrayList<>();
    int[] open = new int[order.length];
    int opened = 0;
    long compared = 0;
    for (int next : order) {
      int kept = 0;
      compared += opened;
      if (compared > mostCompared) {
        return Optional.empty();
      }
      for (int i = 0; i < opened; i++) {
        int before = open[i];
        if (lasts[before * rank + along] >= firsts[next * rank + along]) {
          open[kept++] = before;
          compare(Math.min(before, next), Math.max(before, next), overlaps);
        }
      }
      open[kept] = next;
      opened = kept + 1;
    }
    return Optional.of(overlaps);
  }

  /** The dimension where the bounds of all are the shortest beside what they lie in. */
  private int sparsest() {
    int sparsest = 0;
    double least = Double.POSITIVE_INFINITY;
    for (int d = 0; d < rank; d++) {
      double sum = 0;
      long first = Long.MAX_VALUE;
      long last = 0;
      for (int i = d; i < firsts.length; i += rank) {
        sum += (double) (lasts[i] - firsts[i] + 1);
        first = Math.min(first, firsts[i]);
        last = Math.max(last, lasts[i]);
      }
      double share = sum / (double) (last - first + 1);
      if (share < least) {
        least = share;
        sparsest = d;
      }
    }
    return sparsest;
  }

  private void compare(int one, int other, List<Overlap> out) {
    for (int d = 0; d < rank; d++) {
      if (lasts[one * rank + d] < firsts[other * rank + d]
          || lasts[other * rank + d] < firsts[one * rank + d]) {
        return;
      }
    }
    OrthogonalSelection common = products.get(one).intersect(products.get(other));
    if (!common.isEmpty()) {
      out.add(new Overlap(one, other, common));
    }
  }
}
