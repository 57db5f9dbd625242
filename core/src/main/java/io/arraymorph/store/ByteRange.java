package io.arraymorph.store;

/** Which bytes of an object to read. Offsets are in bytes, half-open. */
public sealed interface ByteRange {

  /** All bytes. */
  ByteRange WHOLE = new Whole();

  /** All bytes of the object. */
  record Whole() implements ByteRange {
    @Override
    public String toString() {
      return "whole";
    }
  }

  /** The bytes {@code [start, end)}. */
  record Bounded(long start, long end) implements ByteRange {
    /** Throws {@link IllegalArgumentException} unless {@code 0 <= start < end}. */
    public Bounded {
      if (start < 0 || end <= start) {
        throw new IllegalArgumentException("byte range [" + start + ", " + end + ")");
      }
    }

    /** The number of bytes. */
    public long length() {
      return end - start;
    }

    @Override
    public String toString() {
      return start + "-" + end;
    }
  }

  /** The last {@code length} bytes, or all if the object is shorter. */
  record Suffix(long length) implements ByteRange {
    /** Throws {@link IllegalArgumentException} unless the length is positive. */
    public Suffix {
      if (length < 1) {
        throw new IllegalArgumentException("suffix of " + length + " bytes");
      }
    }

    @Override
    public String toString() {
      return "last " + length;
    }
  }

  /** The bytes {@code [start, end)}. */
  static Bounded of(long start, long end) {
    return new Bounded(start, end);
  }
}
