package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads slices in numpy's notation. */
final class SliceParser {
  private final String text;
  private final Shape shape;

  private SliceParser(String text, Shape shape) {
    this.text = text;
    this.shape = shape;
  }

  static TensorSlice parse(String text, Shape shape) {
    String inner = text.trim();
    return new SliceParser(inner, shape).parse();
  }

  private TensorSlice parse() {
    List<String> parts = split();
    int ellipsis = parts.indexOf("...");
    if (ellipsis != parts.lastIndexOf("...")) {
      throw invalid("more than one ...");
    }
    int given = parts.size() - (ellipsis < 0 ? 0 : 1);
    if (given > shape.rank()) {
      throw invalid(given + " dimensions for a tensor of shape " + shape);
    }
    if (ellipsis >= 0) {
      parts.remove(ellipsis);
    }
    int at = ellipsis < 0 ? parts.size() : ellipsis;
    while (parts.size() < shape.rank()) {
      parts.add(at, ":");
    }
    List<AxisSlice> axes = new ArrayList<>();
    List<Boolean> squeezed = new ArrayList<>();
    for (int d = 0; d < parts.size(); d++) {
      String part = parts.get(d);
      axes.add(axis(part, shape.length(d)));
      squeezed.add(!part.contains(":") && !part.startsWith("["));
    }
    return TensorSlice.of(axes, squeezed);
  }

  private List<String> split() {
    List<String> parts = new ArrayList<>();
    if (text.isEmpty()) {
      return parts;
    }
    int depth = 0;
    int from = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i == text.length() ? ',' : text.charAt(i);
      if (c == '[') {
        depth++;
      } else if (c == ']') {
        depth--;
      } else if (c == ',' && (depth == 0 || i == text.length())) {
        parts.add(text.substring(from, i).trim());
        from = i + 1;
      }
      if (depth < 0 || depth > 1) {
        throw invalid("unbalanced brackets");
      }
    }
    if (depth != 0) {
      throw invalid("unbalanced brackets");
    }
    return parts;
  }

  private AxisSlice axis(String part, long length) {
    if (part.startsWith("[") && part.endsWith("]")) {
      String list = part.substring(1, part.length() - 1).trim();
      return new AxisSlice.Listed(
          list.isEmpty()
              ? new long[0]
              : Arrays.stream(list.split(",", -1)).mapToLong(i -> index(i, length)).toArray());
    }
    if (!part.contains(":")) {
      return new AxisSlice.Steps(index(part, length), 1, 1);
    }
    String[] ends = part.split(":", -1);
    if (ends.length > 3) {
      throw invalid("'" + part + "' has more than start:stop:step");
    }
    long step = ends.length < 3 || ends[2].isBlank() ? 1 : number(ends[2]);
    if (step == 0) {
      throw invalid("'" + part + "' has step 0");
    }
    return steps(ends[0], ends[1], step, length);
  }

  /** Python's {@code slice(start, stop, step).indices(length)}. */
  private AxisSlice steps(String from, String to, long step, long length) {
    long least = step < 0 ? -1 : 0;
    long greatest = step < 0 ? length - 1 : length;
    long start =
        from.isBlank() ? (step < 0 ? greatest : least) : end(from, least, greatest, length);
    long stop = to.isBlank() ? (step < 0 ? least : greatest) : end(to, least, greatest, length);
    long distance = step < 0 ? start - stop : stop - start;
    long count = distance <= 0 ? 0 : (distance - 1) / Math.abs(step) + 1;
    return count == 0 ? new AxisSlice.Steps(0, 1, 0) : new AxisSlice.Steps(start, step, count);
  }

  private long end(String text, long least, long greatest, long length) {
    long value = number(text);
    if (value < 0) {
      return Math.max(least, value + length);
    }
    return Math.min(greatest, value);
  }

  private long index(String part, long length) {
    long value = number(part);
    if (value < -length || value >= length) {
      throw new ArrayMorphException(
          ErrorCode.OUT_OF_BOUNDS,
          "index " + value + " of slice [" + text + "] is outside a dimension of length " + length,
          "Use an index between " + -length + " and " + (length - 1));
    }
    return value < 0 ? value + length : value;
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
        "slice [" + text + "]: " + problem,
        "Write one of 3, 10:20, ::2, ::-1, [1,5,9] per dimension, and ... for the rest");
  }
}
