package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ElementRuns;
import java.util.Objects;
import java.util.PrimitiveIterator;

/**
 * Needed bytes of an object as regular runs: element runs in units of bytes.
 *
 * <p>Takes memory in the rank only, however many runs there are. Immutable.
 *
 * @param runs offsets and lengths in bytes from the object's start; not empty
 */
public record ByteRuns(ElementRuns runs) {

  /** Throws {@link IllegalArgumentException} if there are no bytes. */
  public ByteRuns {
    Objects.requireNonNull(runs);
    if (runs.runLength() == 0) {
      throw new IllegalArgumentException("no bytes");
    }
  }

  /** The bytes {@code [start, end)}. */
  public static ByteRuns of(long start, long end) {
    return new ByteRuns(ElementRuns.single(start, end));
  }

  /** The bytes of elements of a fixed width that are stored from {@code offset} on. */
  public static ByteRuns of(ElementRuns elements, int elementBytes, long offset) {
    return new ByteRuns(elements.scale(elementBytes, offset));
  }

  /** The first byte. */
  public long first() {
    return runs.first();
  }

  /** One past the last byte. */
  public long end() {
    return runs.end();
  }

  /** The number of bytes in all runs. */
  public long byteCount() {
    return runs.elementCount();
  }

  /** The number of runs. */
  public long runCount() {
    return runs.runCount();
  }

  /** The bytes of each run. */
  public long runLength() {
    return runs.runLength();
  }

  /** The first byte of each run, ascending. */
  public PrimitiveIterator.OfLong starts() {
    return runs.starts();
  }
}
