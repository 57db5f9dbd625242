package io.arraymorph.delta.tensor;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.util.Arrays;

/**
 * A growing one-dimensional run of elements of one type.
 *
 * <p>Not thread-safe. Holds at most 2^31-17 bytes; more fails with TOO_LARGE.
 */
public final class ElementBuffer {
  private static final int MAX_BYTES = Integer.MAX_VALUE - 16;

  private final DataType type;
  private final int width;
  private byte[] bytes = new byte[0];
  private int[] offsets;
  private int count;

  /** An empty run of this type. */
  public ElementBuffer(DataType type) {
    this.type = type;
    this.width = type.byteWidth();
    this.offsets = type.isFixedWidth() ? null : new int[1];
  }

  /** The type of the elements. */
  public DataType type() {
    return type;
  }

  /** The number of elements. */
  public int count() {
    return count;
  }

  /**
   * The bytes under the elements; fixed-width element {@code i} starts at {@code i * byteWidth}.
   */
  public byte[] bytes() {
    return bytes;
  }

  /**
   * Appends {@code more} fixed-width elements of unspecified value, to be written into {@link
   * #bytes()}, and returns the index of their first byte.
   */
  public int extend(int more) {
    int start = count * width;
    reserveBytes(start, (long) more * width);
    count += more;
    return start;
  }

  /** Appends one element of variable width. */
  public void appendBytes(byte[] source, int from, int length) {
    int start = offsets[count];
    reserveBytes(start, length);
    if (count + 1 == offsets.length) {
      offsets = Arrays.copyOf(offsets, Math.max(16, 2 * offsets.length));
    }
    System.arraycopy(source, from, bytes, start, length);
    count++;
    offsets[count] = start + length;
  }

  /** Appends element {@code index} of {@code source}, which has the same type. */
  public void append(Elements source, int index) {
    if (source instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) source;
      int start = extend(1);
      System.arraycopy(fixed.bytes(), fixed.offset() + index * width, bytes, start, width);
    } else {
      VariableWidthElements text = (VariableWidthElements) source;
      int from = text.offsets()[index];
      appendBytes(text.bytes(), from, text.offsets()[index + 1] - from);
    }
  }

  /** Keeps of the elements from {@code first} on those with these ascending numbers. */
  void retain(int first, int[] kept, int n) {
    if (width == 8 || width == 4) {
      for (int k = 0; k < n; k++) {
        IntegerElements.move(bytes, kept[k] * width, bytes, (first + k) * width, width);
      }
    } else {
      for (int k = 0; k < n; k++) {
        move(kept[k], first + k);
      }
    }
    truncate(first + n);
  }

  /** Appends all elements of another buffer of the same type. */
  void append(ElementBuffer more) {
    if (width > 0) {
      int start = extend(more.count);
      System.arraycopy(more.bytes, 0, bytes, start, more.count * width);
      return;
    }
    for (int i = 0; i < more.count; i++) {
      appendBytes(more.bytes, more.offsets[i], more.offsets[i + 1] - more.offsets[i]);
    }
  }

  /** Appends the first elements of a vector of the same type. */
  void appendFirst(Elements more, int n) {
    if (width > 0) {
      FixedWidthElements fixed = (FixedWidthElements) more;
      int start = extend(n);
      System.arraycopy(fixed.bytes(), fixed.offset(), bytes, start, n * width);
      return;
    }
    for (int i = 0; i < n; i++) {
      append(more, i);
    }
  }

  private void move(int from, int to) {
    if (width > 0) {
      System.arraycopy(bytes, from * width, bytes, to * width, width);
    } else {
      int length = offsets[from + 1] - offsets[from];
      System.arraycopy(bytes, offsets[from], bytes, offsets[to], length);
      offsets[to + 1] = offsets[to] + length;
    }
  }

  /** Forgets the elements from {@code newCount} on. */
  void truncate(int newCount) {
    count = newCount;
  }

  /** The elements as a vector that shares this buffer; do not append afterwards. */
  public Elements toElements() {
    return toElements(Shape.of(count));
  }

  /** The elements in C order of a shape with as many elements; do not append afterwards. */
  public Elements toElements(Shape shape) {
    return width > 0
        ? new FixedWidthElements(type, shape, bytes, 0)
        : new VariableWidthElements(
            type, shape, Arrays.copyOf(offsets, count + 1), Arrays.copyOf(bytes, offsets[count]));
  }

  private void reserveBytes(int used, long more) {
    long needed = used + more;
    if (needed > MAX_BYTES) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "values of " + needed + " bytes do not fit into one buffer",
          "Read or write a smaller slice at a time");
    }
    if (needed > bytes.length) {
      bytes =
          Arrays.copyOf(bytes, (int) Math.min(MAX_BYTES, Math.max(needed, bytes.length * 3L / 2)));
    }
  }
}
