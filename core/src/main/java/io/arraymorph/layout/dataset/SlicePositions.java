package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.layout.dataset.SliceTerm.Piece;
import java.util.List;

/**
 * Index positions as Python slices them: {@code start:stop:step}, the end excluded, negative ones
 * from the end, ranges cut to the dimension; a single position must lie inside.
 */
final class SlicePositions {

  private SlicePositions() {}

  static IndexSet indices(String text, SliceTerm term, Dimension dimension) {
    List<Piece> pieces = term.pieces();
    long length = dimension.length();
    if (pieces.size() > 3) {
      throw SliceParser.invalid(
          text, pieces.get(3).at(), "a range has start, stop and step", "Write it like x=@0:100:4");
    }
    if (pieces.size() == 1) {
      long index = integer(text, pieces.get(0), 0);
      long from = index < 0 ? index + length : index;
      if (from < 0 || from >= length) {
        throw new ArrayMorphException(
            ErrorCode.OUT_OF_BOUNDS,
            "slice '" + text + "': position " + index + " is outside of " + dimension.name(),
            "It has length " + length);
      }
      return IndexSet.of(List.of(IndexRange.single(from)));
    }
    long start = cut(integer(text, pieces.get(0), 0), length);
    long stop = cut(integer(text, pieces.get(1), length), length);
    long step = pieces.size() == 3 ? integer(text, pieces.get(2), 1) : 1;
    if (step < 1) {
      throw SliceParser.invalid(
          text,
          pieces.get(2).at(),
          "step " + step + " is not positive",
          "Slices keep the order of the array; sort the rows instead");
    }
    return IndexSet.of(
        List.of(start < stop ? new IndexRange(start, stop, step) : IndexRange.EMPTY));
  }

  private static long cut(long position, long length) {
    long fromStart = position < 0 ? Math.max(0, position + length) : position;
    return Math.min(fromStart, length);
  }

  private static long integer(String text, Piece piece, long absent) {
    if (piece.isBlank()) {
      return absent;
    }
    try {
      return Long.parseLong(piece.text());
    } catch (NumberFormatException e) {
      throw SliceParser.invalid(
          text,
          piece.at(),
          "'" + piece.text() + "' is no position",
          "Positions are integers; leave out the @ to name coordinate values");
    }
  }
}
