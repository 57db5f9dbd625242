package io.arraymorph.layout.dataset;

import java.util.List;

/**
 * One {@code dimension=range} of a slice text.
 *
 * @param dimension the name as written
 * @param at where the term starts in the text, from 0
 * @param isByPosition the range starts with {@code @}
 * @param pieces what the range has between its colons; at least one, may be blank
 */
record SliceTerm(String dimension, int at, boolean isByPosition, List<Piece> pieces) {

  /**
   * A part of a range between colons.
   *
   * @param text without quotes and surrounding blanks
   * @param at where it starts in the slice text, from 0
   */
  record Piece(String text, int at, boolean isQuoted) {
    boolean isBlank() {
      return text.isEmpty() && !isQuoted;
    }
  }
}
