package io.arraymorph.delta.encoding;

/** The pieces that cells are cut into, each made when it is asked for, by any thread. */
interface Pieces {

  /** How many there are. */
  int count();

  /** The number of cells of the k-th one. */
  int cells(int k);

  /**
   * Makes a piece.
   *
   * @param k which one, from 0
   * @param number the number that it gets
   */
  Piece piece(int k, long number);
}
