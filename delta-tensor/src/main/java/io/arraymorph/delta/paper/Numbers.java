package io.arraymorph.delta.paper;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.util.Arrays;

/** A growing list of numbers as they come out of a column. Not thread-safe. */
public final class Numbers {
  private long[] bits = new long[16];
  private int size;
  private boolean floating;
  private int[] starts = new int[8];
  private int lists;

  /** Forgets all numbers. */
  public void clear() {
    size = 0;
    lists = 0;
  }

  /** Begins an inner list. */
  public void beginList() {
    if (lists == starts.length) {
      starts = Arrays.copyOf(starts, 2 * lists);
    }
    starts[lists++] = size;
  }

  /** Adds an integer. */
  public void add(long value) {
    floating = false;
    append(value);
  }

  /** Adds a floating point number. */
  public void add(double value) {
    floating = true;
    append(Double.doubleToRawLongBits(value));
  }

  private void append(long value) {
    if (size == bits.length) {
      bits = Arrays.copyOf(bits, Math.addExact(size, size / 2 + 16));
    }
    bits[size++] = value;
  }

  /** Adds all numbers of another list. */
  void addAll(Numbers more) {
    bits = Arrays.copyOf(bits, Math.max(bits.length, Math.addExact(size, more.size)));
    System.arraycopy(more.bits, 0, bits, size, more.size);
    size += more.size;
    floating = more.size > 0 ? more.floating : floating;
  }

  /** How many numbers there are. */
  public int size() {
    return size;
  }

  /** How many inner lists there are. */
  int lists() {
    return lists;
  }

  /** Where an inner list begins; where the last one ends for the number of lists. */
  int start(int list) {
    return list == lists ? size : starts[list];
  }

  /** True if numbers are {@link #real}, not {@link #integer}. */
  boolean isFloating() {
    return floating;
  }

  /** An integer as it is, or the bits of a double. */
  long bits(int i) {
    return bits[i];
  }

  /** A number as a double. */
  double real(int i) {
    return floating ? Double.longBitsToDouble(bits[i]) : bits[i];
  }

  /** A number that must be an integer. */
  public long integer(int i) {
    if (!floating) {
      return bits[i];
    }
    double value = Double.longBitsToDouble(bits[i]);
    if (value != Math.rint(value) || Math.abs(value) > 0x1p53) {
      throw corrupt("has " + value + " for an index");
    }
    return (long) value;
  }

  /** The numbers as the lengths of a shape. */
  public Shape shape() {
    long[] lengths = new long[size];
    for (int d = 0; d < size; d++) {
      lengths[d] = integer(d);
      if (lengths[d] < 0) {
        throw corrupt("has " + lengths[d] + " for a length");
      }
    }
    return Shape.of(lengths);
  }

  static ArrayMorphException corrupt(String what) {
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "a row in the paper's layout " + what,
        "Correct or delete the tensor, or go back to an earlier version of the table");
  }
}
