package io.arraymorph.array;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.PrimitiveIterator;

/** Copies elements of variable width between hyperslabs. */
final class VariableWidthCopy {
  private VariableWidthCopy() {}

  static VariableWidthElements pack(VariableWidthElements source, Hyperslab hyperslab) {
    Shape counts = hyperslab.counts();
    int[] order = positions(hyperslab, source.shape());
    VariableWidthElements[] sources = {source};
    return gather(source.type(), counts, sources, new int[order.length], order);
  }

  /** The element numbers of a hyperslab in an array of that shape, in C order of the hyperslab. */
  static int[] positions(Hyperslab hyperslab, Shape shape) {
    ElementRuns runs = ElementRuns.of(hyperslab, shape);
    int[] positions = new int[Math.toIntExact(runs.elementCount())];
    int n = 0;
    for (PrimitiveIterator.OfLong starts = runs.starts(); starts.hasNext(); ) {
      int start = Math.toIntExact(starts.nextLong());
      for (int i = 0; i < runs.runLength(); i++) {
        positions[n++] = start + i;
      }
    }
    return positions;
  }

  /** Element {@code i} of the result is element {@code position[i]} of {@code source[i]}. */
  static VariableWidthElements gather(
      DataType type, Shape shape, VariableWidthElements[] sources, int[] source, int[] position) {
    int[] offsets = new int[position.length + 1];
    long end = 0;
    for (int i = 0; i < position.length; i++) {
      int[] from = sources[source[i]].offsets();
      end += from[position[i] + 1] - from[position[i]];
      if (end > Integer.MAX_VALUE - 8) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            "a selection of shape " + shape + " holds more than 2 GiB of text or bytes",
            "Select less at a time");
      }
      offsets[i + 1] = (int) end;
    }
    byte[] bytes = new byte[(int) end];
    for (int i = 0; i < position.length; i++) {
      VariableWidthElements from = sources[source[i]];
      int start = from.offsets()[position[i]];
      System.arraycopy(from.bytes(), start, bytes, offsets[i], offsets[i + 1] - offsets[i]);
    }
    return new VariableWidthElements(type, shape, offsets, bytes);
  }
}
