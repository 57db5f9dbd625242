package io.arraymorph.optimizer.plan;

import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads needed bytes with the gaps between them while a gap costs less than another request, and
 * splits what is large into parallel requests.
 *
 * <p>A gap is read along up to {@code smallGap} bytes always, and up to {@code largeGap} where it
 * is no larger than the needed bytes before it, so that waste stays within bounds. Where that would
 * still take more than {@code maxRanges} requests for one object, larger gaps are read along too.
 *
 * @param smallGap bytes that are always worth a request saved
 * @param largeGap the largest gap ever read along by choice
 * @param maxRanges the most ranges of one object, before splitting
 * @param splitBytes a range or object of more bytes is split
 * @param partBytes about how large the parts are then
 */
public record GapPlanner(
    long smallGap, long largeGap, int maxRanges, long splitBytes, long partBytes)
    implements AccessPlanner {
  private static final int LISTED_RANGES = 1 << 16;

  /** Fits stores in the same region: a request costs about as much as 64 KiB to 1 MiB moved. */
  public static final GapPlanner DEFAULT =
      new GapPlanner(64 << 10, 1 << 20, 256, 16 << 20, 8 << 20);

  @Override
  public String label() {
    return "gap";
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    return new AccessPlan(label(), needs.stream().map(this::access).toList());
  }

  @Override
  public boolean readsWhole(ShardNeed shard) {
    return shard.neededInnerChunks() * 2 >= shard.innerChunks()
        && (shard.decodedBytes() <= splitBytes);
  }

  private ChunkAccess access(ObjectNeed need) {
    long size = need.objectBytes().orElse(-1);
    if (!(need.bytes() instanceof NeededBytes.Runs)) {
      return size > splitBytes
          ? new ChunkAccess.Ranges(need, split(List.of(ByteRange.of(0, size))))
          : new ChunkAccess.WholeObject(need);
    }
    List<ByteRuns> parts = ((NeededBytes.Runs) need.bytes()).parts();
    if (parts.isEmpty()) {
      return ChunkAccess.ofNothing(need);
    }
    GapRule rule = GapRule.upTo(smallGap, largeGap);
    long gap = largeGap;
    while (RangeMerge.spans(parts, rule) > LISTED_RANGES) {
      gap *= 4;
      rule = GapRule.upTo(gap, gap);
    }
    List<ByteRange.Bounded> ranges = RangeMerge.merge(parts, rule);
    while (ranges.size() > maxRanges) {
      gap *= 4;
      ranges = RangeMerge.merge(parts, GapRule.upTo(gap, gap));
    }
    boolean whole = ranges.size() == 1 && ranges.get(0).length() == size;
    return whole && size <= splitBytes
        ? new ChunkAccess.WholeObject(need)
        : new ChunkAccess.Ranges(need, split(ranges));
  }

  private List<ByteRange.Bounded> split(List<ByteRange.Bounded> ranges) {
    List<ByteRange.Bounded> parts = new ArrayList<>();
    for (ByteRange.Bounded range : ranges) {
      if (range.length() <= splitBytes) {
        parts.add(range);
      } else {
        long count = (range.length() + partBytes - 1) / partBytes;
        long length = (range.length() + count - 1) / count;
        for (long start = range.start(); start < range.end(); start += length) {
          parts.add(ByteRange.of(start, Math.min(range.end(), start + length)));
        }
      }
    }
    return parts;
  }
}
