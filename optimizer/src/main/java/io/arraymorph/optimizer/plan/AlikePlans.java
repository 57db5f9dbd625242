package io.arraymorph.optimizer.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How objects were planned that are read at the same time, for those of which nearly the same is
 * needed and is known later, as of shards whose indexes come one after the other: they are read in
 * the same way. Not thread-safe.
 */
public final class AlikePlans {
  /** With more kinds looking them up saves nothing. */
  private static final int MOST_KINDS = 8;

  /** Plans for so many more or fewer objects, as a factor, are others. */
  private static final double SAME_COUNT = 1.25;

  private record Known(NeededParts parts, ChunkAccess way, long of) {}

  private final List<Known> known = new ArrayList<>();

  /** Nothing is planned yet. */
  public AlikePlans() {}

  /** As an object like it is read; empty if there is none. */
  Optional<ChunkAccess> access(ObjectNeed need, long of) {
    if (known.isEmpty() || need.objectBytes().isPresent()) {
      return Optional.empty();
    }
    return NeededParts.of(need)
        .flatMap(parts -> find(parts, of).flatMap(like -> like.parts.moved(like.way, need, parts)));
  }

  private Optional<Known> find(NeededParts parts, long of) {
    return known.stream()
        .filter(one -> Math.max(of, one.of) <= SAME_COUNT * Math.min(of, one.of))
        .filter(one -> one.parts.isAlike(parts))
        .findFirst();
  }

  /** An object is read so. */
  void add(ChunkAccess access, long of) {
    if (known.size() < MOST_KINDS && access.need().objectBytes().isEmpty()) {
      NeededParts.of(access.need())
          .filter(parts -> find(parts, of).isEmpty())
          .ifPresent(parts -> known.add(new Known(parts, access, of)));
    }
  }
}
