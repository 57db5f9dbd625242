package io.arraymorph.optimizer.execute;

import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PrimitiveIterator;

/**
 * The bytes that were read of one object: segments of it, or the fact that it does not exist.
 *
 * <p>Immutable; buffers handed out are views or copies with positions of their own.
 */
final class Fetched {
  /** The object does not exist. */
  static final Fetched ABSENT = new Fetched(List.of());

  private final List<ObjectBytes> segments;

  private Fetched(List<ObjectBytes> segments) {
    this.segments = segments;
  }

  /** These segments of one object, in any order. */
  static Fetched of(List<ObjectBytes> segments) {
    List<ObjectBytes> sorted = new ArrayList<>(segments);
    sorted.sort(Comparator.comparingLong(ObjectBytes::start));
    return new Fetched(sorted);
  }

  boolean isAbsent() {
    return segments.isEmpty();
  }

  /** The length of the whole object. */
  long objectSize() {
    return segments.get(0).objectSize();
  }

  /**
   * The bytes {@code [start, end)}; a view where one segment has them, else a copy.
   *
   * @throws CodecException if the object ends before
   */
  ByteBuffer slice(long start, long end) {
    ObjectBytes first = segmentAt(start, end);
    long available = first.start() + first.bytes().remaining() - start;
    if (available >= end - start) {
      return view(first, start, end);
    }
    ByteBuffer joined = ByteBuffer.allocate(Math.toIntExact(end - start));
    for (long at = start; at < end; ) {
      ObjectBytes segment = segmentAt(at, end);
      long to = Math.min(end, segment.start() + segment.bytes().remaining());
      joined.put(view(segment, at, to));
      at = to;
    }
    return joined.flip();
  }

  private static ByteBuffer view(ObjectBytes segment, long start, long end) {
    int from = segment.bytes().position() + (int) (start - segment.start());
    return segment.bytes().slice(from, (int) (end - start));
  }

  private ObjectBytes segmentAt(long offset, long end) {
    int low = 0;
    int high = segments.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (segments.get(middle).start() <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    ObjectBytes segment = segments.get(low);
    if (offset < segment.start() || offset >= segment.start() + segment.bytes().remaining()) {
      throw new CodecException(
          "the object has "
              + segment.objectSize()
              + " bytes, those from "
              + offset
              + " to "
              + end
              + " are needed");
    }
    return segment;
  }

  /** The segment that holds all of {@code [start, end)}, or null if it takes several. */
  ObjectBytes covering(long start, long end) {
    ObjectBytes segment = segmentAt(start, end);
    return segment.start() + segment.bytes().remaining() >= end ? segment : null;
  }

  /** The bytes of all runs one after the other; a view if it is a single run. */
  ByteBuffer gather(ByteRuns runs) {
    if (runs.runCount() == 1) {
      return slice(runs.first(), runs.end());
    }
    ByteBuffer packed = ByteBuffer.allocate(Math.toIntExact(runs.byteCount()));
    for (PrimitiveIterator.OfLong starts = runs.starts(); starts.hasNext(); ) {
      long start = starts.nextLong();
      packed.put(slice(start, start + runs.runLength()));
    }
    return packed.flip();
  }
}
