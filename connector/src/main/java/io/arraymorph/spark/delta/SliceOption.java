package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * The option {@code slice} for tensors, whose coordinates are their indices: {@code day=3:7} with
 * both ends, {@code day=@3:8:2} as Python slices; dimensions separated by commas, boxes by
 * semicolons.
 */
final class SliceOption {
  private final String text;
  private final List<String> dimensions;
  private final Shape shape;

  SliceOption(String text, List<String> dimensions, Shape shape) {
    this.text = text;
    this.dimensions = dimensions;
    this.shape = shape;
  }

  /** The cells that the text names: those in any of its boxes. */
  Selection selection() {
    List<OrthogonalSelection> boxes = new ArrayList<>();
    for (String box : text.split(";", -1)) {
      boxes.add(box(box));
    }
    return Selection.of(shape.rank(), boxes);
  }

  private OrthogonalSelection box(String box) {
    List<IndexSet> indices = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      indices.add(IndexSet.all(shape.length(d)));
    }
    for (String part : box.split(",", -1)) {
      int equals = part.indexOf('=');
      int d = equals < 0 ? -1 : dimensions.indexOf(part.substring(0, equals).trim());
      if (d < 0) {
        throw invalid("'" + part.trim() + "' does not name one of the dimensions " + dimensions);
      }
      String range = part.substring(equals + 1).trim();
      IndexSet set =
          range.startsWith("@")
              ? positions(range.substring(1), shape.length(d))
              : coordinates(range, shape.length(d));
      indices.set(d, indices.get(d).intersect(set));
    }
    return OrthogonalSelection.of(indices);
  }

  private IndexSet coordinates(String range, long length) {
    String[] ends = range.split(":", -1);
    if (ends.length > 2) {
      throw invalid("'" + range + "' has more than first:last");
    }
    long first = ends[0].isBlank() ? 0 : number(ends[0]);
    String to = ends[ends.length - 1];
    long last = to.isBlank() ? length - 1 : number(to);
    long start = Math.max(0, first);
    long stop = last >= length ? length : last + 1;
    return start >= stop ? IndexSet.EMPTY : IndexSet.of(IndexRange.of(start, stop));
  }

  private IndexSet positions(String range, long length) {
    String[] ends = range.split(":", -1);
    if (ends.length > 3) {
      throw invalid("'" + range + "' has more than start:stop:step");
    }
    if (ends.length == 1) {
      long index = fromEnd(number(ends[0]), length);
      if (index < 0 || index >= length) {
        throw invalid("position " + ends[0] + " is outside a dimension of length " + length);
      }
      return IndexSet.of(IndexRange.single(index));
    }
    long step = ends.length < 3 || ends[2].isBlank() ? 1 : number(ends[2]);
    if (step < 1) {
      throw invalid("step " + step + " is not positive");
    }
    long start = ends[0].isBlank() ? 0 : Math.max(0, fromEnd(number(ends[0]), length));
    long stop = ends[1].isBlank() ? length : Math.min(length, fromEnd(number(ends[1]), length));
    return start >= stop ? IndexSet.EMPTY : IndexSet.of(new IndexRange(start, stop, step));
  }

  private static long fromEnd(long position, long length) {
    return position < 0 ? position + length : position;
  }

  private long number(String part) {
    try {
      return Long.parseLong(part.trim());
    } catch (NumberFormatException e) {
      throw invalid("'" + part.trim() + "' is not a number");
    }
  }

  private ArrayMorphException invalid(String problem) {
    return new ArrayMorphException(
        ErrorCode.INVALID_SLICE,
        "slice '" + text + "': " + problem,
        "Write day=3:7 (both ends included) or day=@3:8:2 (positions), separated by commas");
  }
}
