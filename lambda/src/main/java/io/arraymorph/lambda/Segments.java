package io.arraymorph.lambda;

import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The parts of an object that cover some needed bytes: gaps that cost less to read than another
 * request beside the store are read along, larger ones are not.
 */
final class Segments {
  private static final int MAX_BLOCKS = 1 << 16;

  private final List<byte[]> bytes = new ArrayList<>();

  /**
   * The place in the object of the first byte of each array, below 0 if the array starts before.
   */
  private final List<Long> origins = new ArrayList<>();

  private final List<Long> starts = new ArrayList<>();
  private final List<Long> ends = new ArrayList<>();

  /** An object that was read whole. */
  static Segments of(ObjectBytes whole) {
    Segments segments = new Segments();
    segments.add(0, whole.bytes());
    return segments;
  }

  /**
   * Reads the parts that cover all of these intervals.
   *
   * @param needed intervals in any order, possibly overlapping
   */
  static Segments read(PinnedObject object, List<ByteRange.Bounded> needed) {
    List<ByteRange.Bounded> merged = new ArrayList<>();
    for (ByteRange.Bounded interval :
        needed.stream().sorted(Comparator.comparingLong(ByteRange.Bounded::start)).toList()) {
      int last = merged.size() - 1;
      if (last >= 0 && interval.start() - merged.get(last).end() <= SliceProtocol.GAP_BYTES) {
        long end = Math.max(merged.get(last).end(), interval.end());
        merged.set(last, ByteRange.of(merged.get(last).start(), end));
      } else {
        merged.add(interval);
      }
    }
    Segments segments = new Segments();
    Optional<ObjectBytes> early = object.early();
    if (early.isPresent()) {
      segments.add(early.get().start(), early.get().bytes());
      return segments;
    }
    List<ObjectBytes> parts = object.getAll(merged);
    int at = 0;
    for (ByteRange.Bounded range : merged) {
      int first = at;
      while (at < parts.size() && parts.get(at).start() < range.end()) {
        at++;
      }
      segments.add(range.start(), joined(parts.subList(first, at), range.length()));
    }
    return segments;
  }

  /** The bytes of parts that follow one another. */
  private static ByteBuffer joined(List<ObjectBytes> parts, long length) {
    if (parts.size() == 1 && parts.get(0).bytes().remaining() == length) {
      return parts.get(0).bytes();
    }
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(length));
    for (ObjectBytes part : parts) {
      ByteBuffer bytes = part.bytes().duplicate();
      all.put(bytes.limit(bytes.position() + Math.min(bytes.remaining(), all.remaining())));
    }
    if (all.hasRemaining()) {
      throw ended(all.remaining());
    }
    return all.flip();
  }

  private static CodecException ended(long missing) {
    return new CodecException(
        "the object ends " + missing + " bytes before the last that is needed of it");
  }

  private void add(long start, ByteBuffer content) {
    ByteBuffer held = content;
    if (!held.hasArray()) {
      held = ByteBuffer.allocate(content.remaining()).put(content.duplicate()).flip();
    }
    starts.add(start);
    origins.add(start - held.arrayOffset() - held.position());
    ends.add(start + held.remaining());
    bytes.add(held.array());
  }

  /** The parts of runs that can lie in different segments, in order. */
  static List<SliceRuns> blocks(List<SliceRuns> runs) {
    long gap = SliceProtocol.GAP_BYTES;
    while (count(runs, gap) > Math.max(MAX_BLOCKS, runs.size()) && gap < 1L << 60) {
      gap *= 4;
    }
    List<SliceRuns> blocks = new ArrayList<>();
    for (SliceRuns one : runs) {
      blocks.addAll(one.blocks(gap));
    }
    return blocks;
  }

  private static double count(List<SliceRuns> runs, long gap) {
    return runs.stream().mapToDouble(one -> one.blockCount(gap)).sum();
  }

  /** The segment that holds the bytes {@code [start, end)} of the object. */
  private int indexOf(long start, long end) {
    int low = 0;
    int high = starts.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts.get(middle) <= start) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (end > ends.get(low)) {
      throw ended(end - ends.get(low));
    }
    return low;
  }

  /** Appends runs that lie in one segment; returns the position after. */
  int append(SliceRuns block, byte[] target, int at) {
    int segment = indexOf(block.start(), block.end());
    return block.append(bytes.get(segment), origins.get(segment), target, at);
  }

  /** The bytes {@code [start, end)}, which lie in one segment. */
  ByteBuffer slice(long start, long end) {
    int segment = indexOf(start, end);
    int from = (int) (start - origins.get(segment));
    return ByteBuffer.wrap(bytes.get(segment)).slice(from, (int) (end - start));
  }
}
