package io.arraymorph.delta.tensor;

/**
 * Cells that were sorted.
 *
 * @param order {@code order[i]} is the number that the i-th cell had before
 * @param columns coordinates per dimension, in the new order
 * @param isUnique true if no two cells are equal
 */
@SuppressWarnings("ArrayRecordComponent") // Bulk data on its way, never compared.
public record SortedCells(int[] order, long[][] columns, boolean isUnique) {
  /** True if the cells were sorted already. */
  public boolean isUnchanged() {
    for (int i = 0; i < order.length; i++) {
      if (order[i] != i) {
        return false;
      }
    }
    return true;
  }
}
