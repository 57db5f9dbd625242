package io.arraymorph.spark.read;

import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.column.Validity;

/**
 * A set of cells of a block, one bit each in C order, first cell in the lowest bit of word 0. Bits
 * beyond the last cell are 0. Mutable; one thread.
 */
final class CellMask {
  private final long[] words;
  private final int cells;

  private CellMask(long[] words, int cells) {
    this.words = words;
    this.cells = cells;
  }

  /** None of this many cells. */
  static CellMask none(int cells) {
    return new CellMask(new long[(cells + 63) >>> 6], cells);
  }

  /** All of this many cells. */
  static CellMask all(int cells) {
    CellMask mask = none(cells);
    mask.add(0, cells);
    return mask;
  }

  /** The number of cells of the block. */
  int cells() {
    return cells;
  }

  /** 64 cells, from cell {@code 64 * w} on; to be changed only by who made the mask. */
  long[] words() {
    return words;
  }

  /** Adds cells {@code [from, to)}. */
  void add(int from, int to) {
    if (from >= to) {
      return;
    }
    int first = from >>> 6;
    int last = (to - 1) >>> 6;
    long head = -1L << from;
    long tail = -1L >>> -to;
    if (first == last) {
      words[first] |= head & tail;
      return;
    }
    words[first] |= head;
    for (int w = first + 1; w < last; w++) {
      words[w] = -1L;
    }
    words[last] |= tail;
  }

  /** Keeps only cells that are in the other mask too. */
  void retain(CellMask other) {
    for (int w = 0; w < words.length; w++) {
      words[w] &= other.words[w];
    }
  }

  /** Adds the cells of the other mask. */
  void add(CellMask other) {
    for (int w = 0; w < words.length; w++) {
      words[w] |= other.words[w];
    }
  }

  /** Keeps only cells whose value is not NULL, or only those whose value is. */
  void retain(Validity validity, boolean valid) {
    if (!validity.hasNulls()) {
      if (!valid) {
        java.util.Arrays.fill(words, 0);
      }
      return;
    }
    byte[] bits = validity.bits();
    for (int w = 0; w < words.length; w++) {
      long word = 0;
      if (8 * w + 8 <= bits.length) {
        word = LittleEndianBytes.getLong(bits, 8 * w);
      } else {
        for (int b = 8 * w; b < bits.length; b++) {
          word |= (bits[b] & 0xFFL) << (8 * (b & 7));
        }
      }
      words[w] &= valid ? word : ~word;
    }
  }

  /** The number of cells in the mask. */
  int count() {
    int count = 0;
    for (long word : words) {
      count += Long.bitCount(word);
    }
    return count;
  }

  /** The cells in the mask, ascending. */
  int[] positions() {
    int[] positions = new int[count()];
    int at = 0;
    for (int w = 0; w < words.length; w++) {
      for (long rest = words[w]; rest != 0; rest &= rest - 1) {
        positions[at++] = 64 * w + Long.numberOfTrailingZeros(rest);
      }
    }
    return positions;
  }

  /** Cells in the mask as values, all others as NULL. */
  Validity toValidity() {
    byte[] bits = new byte[8 * words.length];
    for (int w = 0; w < words.length; w++) {
      LittleEndianBytes.putLong(bits, 8 * w, words[w]);
    }
    return Validity.of(bits, cells);
  }
}
