package io.arraymorph.layout.codec;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.util.Arrays;
import java.util.Optional;

/** Arrays of which every element is the fill value, and the test whether an array is one. */
public final class FillElements {
  private FillElements() {}

  /**
   * Elements of this shape that all are the array's fill value.
   *
   * @throws CodecConfigurationException TOO_LARGE if they exceed one Java array
   */
  public static Elements of(ArraySchema schema, Shape shape) {
    return of(schema.fill(), shape);
  }

  /** Elements of this shape that all equal the one element of {@code fill} (rank 0). */
  public static Elements of(Elements fill, Shape shape) {
    ChunkRepresentation chunk = new ChunkRepresentation(fill.type(), shape, Optional.of(fill));
    if (fill instanceof FixedWidthElements) {
      FixedWidthElements one = (FixedWidthElements) fill;
      int width = one.type().byteWidth();
      byte[] bytes = new byte[chunk.boundedCount(width) * width];
      if (!isZero(one)) {
        repeat(one.bytes(), one.offset(), width, bytes);
      }
      return new FixedWidthElements(fill.type(), shape, bytes, 0);
    }
    VariableWidthElements one = (VariableWidthElements) fill;
    int start = one.offsets()[0];
    int length = one.offsets()[1] - start;
    int count = chunk.boundedCount(length + 4);
    int[] offsets = new int[count + 1];
    Arrays.setAll(offsets, i -> i * length);
    byte[] bytes = new byte[count * length];
    repeat(one.bytes(), start, length, bytes);
    return new VariableWidthElements(fill.type(), shape, offsets, bytes);
  }

  /** Fills by doubling: whole copies of what is there already. */
  private static void repeat(byte[] from, int offset, int length, byte[] to) {
    if (to.length == 0) {
      return;
    }
    System.arraycopy(from, offset, to, 0, length);
    for (int done = length; done < to.length; done *= 2) {
      System.arraycopy(to, 0, to, done, Math.min(done, to.length - done));
      if (done > to.length / 2) {
        return;
      }
    }
  }

  /** True if all bytes of the fill value are zero, as in a fresh Java array. */
  static boolean isZero(FixedWidthElements fill) {
    for (int i = 0; i < fill.type().byteWidth(); i++) {
      if (fill.bytes()[fill.offset() + i] != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * True if every element has the bits of the fill value, so that NaN equals itself and -0.0 is not
   * 0.0. Such chunks need not be stored.
   */
  public static boolean isFill(Elements elements, Elements fill) {
    if (elements instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) elements;
      FixedWidthElements one = (FixedWidthElements) fill;
      int width = fixed.type().byteWidth();
      int start = fixed.offset();
      int end = start + (int) fixed.byteSize();
      if (start == end) {
        return true;
      }
      // The first element is the fill, and every byte equals the one an element before it.
      return Arrays.equals(
              fixed.bytes(), start, start + width, one.bytes(), one.offset(), one.offset() + width)
          && Arrays.equals(fixed.bytes(), start + width, end, fixed.bytes(), start, end - width);
    }
    VariableWidthElements variable = (VariableWidthElements) elements;
    VariableWidthElements one = (VariableWidthElements) fill;
    int[] offsets = variable.offsets();
    for (int i = 0; i < variable.count(); i++) {
      if (!Arrays.equals(
          variable.bytes(),
          offsets[i],
          offsets[i + 1],
          one.bytes(),
          one.offsets()[0],
          one.offsets()[1])) {
        return false;
      }
    }
    return true;
  }
}
