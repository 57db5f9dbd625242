package io.arraymorph.delta.encoding;

/**
 * The pieces that cells in some order are cut into, each made when it is asked for, by any thread.
 */
abstract class Pieces {
  private final int[] cuts;

  /**
   * @param cuts where pieces begin in the order of the cells, and at last the number of cells;
   *     shared
   */
  Pieces(int[] cuts) {
    this.cuts = cuts;
  }

  /** How many there are. */
  final int count() {
    return cuts.length - 1;
  }

  /** The number of cells of the k-th one. */
  final int cells(int k) {
    return cuts[k + 1] - cuts[k];
  }

  /**
   * Makes a piece.
   *
   * @param k which one, from 0
   * @param number the number that it gets
   */
  final Piece piece(int k, long number) {
    return piece(cuts[k], cells(k), number);
  }

  /** Makes the piece of {@code count} cells, of which the first is {@code from} in their order. */
  abstract Piece piece(int from, int count, long number);
}
