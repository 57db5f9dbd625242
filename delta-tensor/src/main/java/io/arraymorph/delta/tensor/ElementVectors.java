package io.arraymorph.delta.tensor;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.util.Arrays;

/** Operations on single elements of {@link Elements}: same bytes, gather, fill. */
public final class ElementVectors {
  private ElementVectors() {}

  /** True if the two elements have the same bytes: NaN equals NaN, 0.0 differs from -0.0. */
  public static boolean same(Elements a, int i, Elements b, int j) {
    if (a instanceof FixedWidthElements) {
      FixedWidthElements left = (FixedWidthElements) a;
      FixedWidthElements right = (FixedWidthElements) b;
      int width = left.type().byteWidth();
      int from = left.offset() + i * width;
      int other = right.offset() + j * width;
      return Arrays.equals(left.bytes(), from, from + width, right.bytes(), other, other + width);
    }
    VariableWidthElements left = (VariableWidthElements) a;
    VariableWidthElements right = (VariableWidthElements) b;
    return Arrays.equals(
        left.bytes(),
        left.offsets()[i],
        left.offsets()[i + 1],
        right.bytes(),
        right.offsets()[j],
        right.offsets()[j + 1]);
  }

  /** The elements at {@code indices[from .. to)}, as a vector of their own. */
  public static Elements gather(Elements source, int[] indices, int from, int to) {
    if (source instanceof FixedWidthElements) {
      return gatherFixed((FixedWidthElements) source, indices, from, to);
    }
    ElementBuffer out = new ElementBuffer(source.type());
    for (int i = from; i < to; i++) {
      out.append(source, indices[i]);
    }
    return out.toElements();
  }

  /** The elements {@code [from, to)}; shares the bytes where they have one width. */
  public static Elements range(Elements source, int from, int to) {
    if (source instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) source;
      int start = fixed.offset() + from * fixed.type().byteWidth();
      return new FixedWidthElements(fixed.type(), Shape.of(to - from), fixed.bytes(), start);
    }
    ElementBuffer out = new ElementBuffer(source.type());
    for (int i = from; i < to; i++) {
      out.append(source, i);
    }
    return out.toElements();
  }

  private static Elements gatherFixed(FixedWidthElements source, int[] indices, int from, int to) {
    int width = source.type().byteWidth();
    byte[] in = source.bytes();
    byte[] out = new byte[Math.multiplyExact(to - from, width)];
    int offset = source.offset();
    if (width == 1) {
      for (int i = from; i < to; i++) {
        out[i - from] = in[offset + indices[i]];
      }
    } else if (width == 8 || width == 4) {
      for (int i = from, at = 0; i < to; i++, at += width) {
        IntegerElements.move(in, offset + indices[i] * width, out, at, width);
      }
    } else {
      for (int i = from, at = 0; i < to; i++, at += width) {
        int start = offset + indices[i] * width;
        for (int b = 0; b < width; b++) {
          out[at + b] = in[start + b];
        }
      }
    }
    return new FixedWidthElements(source.type(), Shape.of(to - from), out, 0);
  }

  /** A dense array of this shape in which every element is {@code fill}'s only one. */
  public static Elements filled(DataType type, Shape shape, Elements fill) {
    int count = Math.toIntExact(shape.elementCount());
    if (fill instanceof VariableWidthElements) {
      VariableWidthElements text = (VariableWidthElements) fill;
      int length = text.offsets()[1] - text.offsets()[0];
      int[] offsets = new int[count + 1];
      byte[] bytes = new byte[Math.multiplyExact(count, length)];
      for (int i = 0; i < count; i++) {
        System.arraycopy(text.bytes(), text.offsets()[0], bytes, i * length, length);
        offsets[i + 1] = (i + 1) * length;
      }
      return new VariableWidthElements(type, shape, offsets, bytes);
    }
    FixedWidthElements one = (FixedWidthElements) fill;
    int width = type.byteWidth();
    byte[] bytes = new byte[Math.multiplyExact(count, width)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = one.bytes()[one.offset() + i % width];
    }
    return new FixedWidthElements(type, shape, bytes, 0);
  }
}
