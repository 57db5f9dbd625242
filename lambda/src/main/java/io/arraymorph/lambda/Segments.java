package io.arraymorph.lambda;

import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The parts of an object that cover some needed bytes: gaps that cost less to read than another
 * request beside the store are read along, larger ones are not.
 */
final class Segments {
  /** What a request to the store beside takes, in bytes that could be moved meanwhile. */
  static final long GAP_BYTES = 256 << 10;

  private static final int MAX_BLOCKS = 1 << 16;

  private final List<byte[]> bytes = new ArrayList<>();
  private final List<Long> starts = new ArrayList<>();

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
      if (last >= 0 && interval.start() - merged.get(last).end() <= GAP_BYTES) {
        long end = Math.max(merged.get(last).end(), interval.end());
        merged.set(last, ByteRange.of(merged.get(last).start(), end));
      } else {
        merged.add(interval);
      }
    }
    Segments segments = new Segments();
    List<ObjectBytes> parts = object.getAll(merged);
    int at = 0;
    for (ByteRange.Bounded range : merged) {
      byte[] all = new byte[Math.toIntExact(range.length())];
      int filled = 0;
      while (at < parts.size() && parts.get(at).start() < range.end()) {
        ByteBuffer part = parts.get(at++).bytes().duplicate();
        int length = Math.min(part.remaining(), all.length - filled);
        part.get(all, filled, length);
        filled += length;
      }
      if (filled < all.length) {
        throw new CodecException(
            "the object ends "
                + (all.length - filled)
                + " bytes before the last that is needed of it");
      }
      segments.starts.add(range.start());
      segments.bytes.add(all);
    }
    return segments;
  }

  /** The parts of runs that can lie in different segments, in order. */
  static List<SliceRuns> blocks(List<SliceRuns> runs) {
    long gap = GAP_BYTES;
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

  /** The segment that holds the byte {@code start} of the object. */
  private int indexOf(long start) {
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
    return low;
  }

  /** Appends runs that lie in one segment; returns the position after. */
  int append(SliceRuns block, byte[] target, int at) {
    int segment = indexOf(block.start());
    return block.append(bytes.get(segment), starts.get(segment), target, at);
  }

  /** The bytes {@code [start, end)}, which lie in one segment. */
  ByteBuffer slice(long start, long end) {
    int segment = indexOf(start);
    int from = (int) (start - starts.get(segment));
    return ByteBuffer.wrap(bytes.get(segment)).slice(from, (int) (end - start));
  }
}
