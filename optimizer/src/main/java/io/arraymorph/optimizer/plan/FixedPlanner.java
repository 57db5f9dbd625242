package io.arraymorph.optimizer.plan;

import java.util.List;
import java.util.Locale;

/** Planners that always use one access method, for comparison and tests. */
public enum FixedPlanner implements AccessPlanner {
  /** Whole objects only. */
  GET {
    @Override
    ChunkAccess access(ObjectNeed need, List<ByteRuns> parts) {
      return new ChunkAccess.WholeObject(need);
    }

    @Override
    public boolean readsWhole(ShardNeed shard) {
      return true;
    }
  },
  /** Exactly the needed bytes: one range for each run of them. */
  RANGE {
    @Override
    ChunkAccess access(ObjectNeed need, List<ByteRuns> parts) {
      return new ChunkAccess.Ranges(need, RangeMerge.merge(parts, GapRule.EXACT));
    }
  },
  /** One range for each object, from the first to the last needed byte. */
  MERGE {
    @Override
    ChunkAccess access(ObjectNeed need, List<ByteRuns> parts) {
      return new ChunkAccess.Ranges(need, RangeMerge.merge(parts, GapRule.COVER));
    }
  };

  abstract ChunkAccess access(ObjectNeed need, List<ByteRuns> parts);

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    return new AccessPlan(label(), needs.stream().map(this::access).toList());
  }

  private ChunkAccess access(ObjectNeed need) {
    if (!(need.bytes() instanceof NeededBytes.Runs)) {
      return new ChunkAccess.WholeObject(need);
    }
    List<ByteRuns> parts = ((NeededBytes.Runs) need.bytes()).parts();
    return parts.isEmpty() ? ChunkAccess.ofNothing(need) : access(need, parts);
  }

  @Override
  public boolean readsWhole(ShardNeed shard) {
    return false;
  }
}
