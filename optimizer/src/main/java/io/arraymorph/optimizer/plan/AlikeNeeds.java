package io.arraymorph.optimizer.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Objects of which nearly the same is needed, as of shards whose inner chunks were compressed to
 * about the same lengths: one is planned for all of its kind, and its ranges are those of the
 * others, part by part. Immutable.
 */
final class AlikeNeeds {
  /** With more kinds nothing is saved. */
  private static final int MOST_KINDS = 8;

  private final List<ObjectNeed> needs;
  private final List<NeededParts> parts;

  /** The first of each kind, and of each need which one is like it. */
  private final List<Integer> kinds = new ArrayList<>();

  private final int[] kindOf;

  private AlikeNeeds(List<ObjectNeed> needs, List<NeededParts> parts) {
    this.needs = needs;
    this.parts = parts;
    this.kindOf = new int[needs.size()];
    for (int i = 0; i < kindOf.length; i++) {
      int kind = 0;
      while (kind < kinds.size() && !isAlike(kinds.get(kind), i)) {
        kind++;
      }
      if (kind == kinds.size()) {
        kinds.add(i);
      }
      kindOf[i] = kind;
    }
  }

  /** The kinds of needs, where each is of single runs, and fewer kinds than needs. */
  static Optional<AlikeNeeds> of(List<ObjectNeed> needs) {
    List<NeededParts> parts = new ArrayList<>();
    for (ObjectNeed need : needs) {
      Optional<NeededParts> found = NeededParts.of(need);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      parts.add(found.get());
    }
    AlikeNeeds alike = new AlikeNeeds(needs, parts);
    return alike.kinds.size() < needs.size() && alike.kinds.size() <= MOST_KINDS
        ? Optional.of(alike)
        : Optional.empty();
  }

  private boolean isAlike(int one, int other) {
    return needs.get(one).objectBytes().isEmpty()
        && needs.get(other).objectBytes().isEmpty()
        && parts.get(one).isAlike(parts.get(other));
  }

  /**
   * One group for each kind.
   *
   * @param of how many objects there are in all, at least as many as these
   */
  List<NeedGroup> groups(long of) {
    long[] members = new long[kinds.size()];
    for (int kind : kindOf) {
      members[kind]++;
    }
    List<NeedGroup> groups = new ArrayList<>();
    for (int kind = 0; kind < members.length; kind++) {
      long share = Math.max(members[kind], members[kind] * of / needs.size());
      groups.add(new NeedGroup(needs.get(kinds.get(kind)), share));
    }
    return groups;
  }

  /**
   * The access of each object as its kind's.
   *
   * @param ways an access for each of the {@link #groups}
   * @return empty if a way is not to be had for others
   */
  Optional<List<ChunkAccess>> accesses(List<ChunkAccess> ways) {
    List<ChunkAccess> accesses = new ArrayList<>();
    for (int i = 0; i < kindOf.length; i++) {
      NeededParts from = parts.get(kinds.get(kindOf[i]));
      Optional<ChunkAccess> access = from.moved(ways.get(kindOf[i]), needs.get(i), parts.get(i));
      if (access.isEmpty()) {
        return Optional.empty();
      }
      accesses.add(access.get());
    }
    return Optional.of(accesses);
  }
}
