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

  private AlikeNeeds(List<ObjectNeed> needs) {
    this.needs = needs;
    this.parts = new ArrayList<>();
    this.kindOf = new int[needs.size()];
  }

  /**
   * The kinds of needs, where each is of single runs of an object whose length is not known, and
   * there are fewer kinds than needs.
   */
  static Optional<AlikeNeeds> of(List<ObjectNeed> needs) {
    AlikeNeeds alike = new AlikeNeeds(needs);
    for (int i = 0; i < needs.size(); i++) {
      if (!alike.add(i)) {
        return Optional.empty();
      }
    }
    return alike.kinds.size() < needs.size() ? Optional.of(alike) : Optional.empty();
  }

  /** Finds the kind of a need; false if it has none, or there are too many to be worth looking. */
  private boolean add(int i) {
    Optional<NeededParts> found =
        needs.get(i).objectBytes().isEmpty() ? NeededParts.of(needs.get(i)) : Optional.empty();
    if (found.isEmpty()) {
      return false;
    }
    parts.add(found.get());
    int kind = 0;
    while (kind < kinds.size() && !parts.get(kinds.get(kind)).isAlike(found.get())) {
      kind++;
    }
    if (kind == kinds.size()) {
      kinds.add(i);
    }
    kindOf[i] = kind;
    return kinds.size() <= MOST_KINDS;
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
