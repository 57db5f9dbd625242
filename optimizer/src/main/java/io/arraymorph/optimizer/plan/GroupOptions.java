package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.store.ByteRange;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What may be chosen for the objects of a group, and what each choice amounts to. */
final class GroupOptions {
  private final NeedGroup group;
  private final CostModel model;
  private final RangeOptions ranges;
  private final Optional<CallTotals> calls;

  /**
   * @param unknownBytes assumed of objects all of whose unknown number of bytes are needed
   * @param function true if the slice function may be chosen
   */
  GroupOptions(NeedGroup group, CostModel model, boolean function, long unknownBytes) {
    this.group = group;
    this.model = model;
    ObjectNeed need = group.need();
    this.ranges =
        need.bytes() instanceof NeededBytes.Runs
            ? RangeOptions.of(((NeededBytes.Runs) need.bytes()).parts())
            : RangeOptions.of(List.of(ByteRuns.of(0, need.assumedBytes(unknownBytes))));
    this.calls = function ? need.sliceCall().flatMap(model::calls) : Optional.empty();
  }

  NeedGroup group() {
    return group;
  }

  RangeOptions ranges() {
    return ranges;
  }

  /** The calls that one object takes, if the slice function may be chosen. */
  Optional<CallTotals> calls() {
    return calls;
  }

  /** An object of unknown length cannot be divided. */
  private long longest(long wanted) {
    boolean whole = !(group.need().bytes() instanceof NeededBytes.Runs);
    return whole && group.need().objectBytes().isEmpty() ? RangeOptions.UNBOUNDED : wanted;
  }

  SortedSet<Long> gaps() {
    return ranges.gaps();
  }

  /** True if reading whole objects is another choice than reading all their needed bytes. */
  boolean hasWhole() {
    return group.need().bytes() instanceof NeededBytes.Runs
        && group.need().objectBytes().isPresent();
  }

  /** Sums over the ranges of one object. */
  RangeOptions.Cut cut(AccessChoice choice) {
    if (choice.whole() && hasWhole()) {
      long bytes = group.need().objectBytes().getAsLong();
      return new RangeOptions.Cut(1, bytes, bytes);
    }
    return ranges.cut(choice.gap(), longest(choice.longest()));
  }

  /** True for one request for all bytes of the object. */
  private boolean isWhole(RangeOptions.Cut cut) {
    ObjectNeed need = group.need();
    return cut.ranges() == 1
        && (!(need.bytes() instanceof NeededBytes.Runs)
            || cut.bytes() == need.objectBytes().orElse(-1));
  }

  /** Sums over all objects. */
  AccessTotals totals(AccessChoice choice) {
    AccessTotals totals = AccessTotals.NONE;
    long byRanges = group.objects() - choice.byFunction();
    if (byRanges > 0) {
      RangeOptions.Cut cut = cut(choice);
      totals =
          new AccessTotals(
                  cut.ranges(),
                  isWhole(cut) ? 0 : cut.ranges(),
                  charged(choice, cut),
                  cut.bytes(),
                  cut.longest(),
                  CallTotals.NONE)
              .times((double) byRanges);
    }
    if (choice.byFunction() > 0) {
      CallTotals function = calls.orElseThrow().times((double) choice.byFunction());
      totals = totals.plus(new AccessTotals(0, 0, 0, 0, 0, function));
    }
    return totals;
  }

  private double charged(AccessChoice choice, RangeOptions.Cut cut) {
    Prices prices = model.profile().prices();
    if (prices.meteredBytes() == 0 || cut.longest() <= prices.meteredBytes()) {
      return cut.ranges();
    }
    if (choice.whole()) {
      return prices.meteredRequests(cut.bytes());
    }
    double charged = 0;
    for (ByteRange.Bounded range : ranges.ranges(choice.gap(), longest(choice.longest()))) {
      charged += prices.meteredRequests(range.length());
    }
    return charged;
  }

  /** How one object is read that is not left to the slice function. */
  ChunkAccess readAccess(AccessChoice choice) {
    ObjectNeed need = group.need();
    return isWhole(cut(choice))
        ? new ChunkAccess.WholeObject(need)
        : new ChunkAccess.Ranges(need, ranges.ranges(choice.gap(), longest(choice.longest())));
  }

  /** How one object is read by the slice function. */
  ChunkAccess functionAccess() {
    return ChunkAccess.SliceFunction.of(group.need(), calls.orElseThrow());
  }

  /** Adds the gaps of these options. */
  static SortedSet<Long> gaps(List<GroupOptions> options) {
    SortedSet<Long> gaps = new TreeSet<>();
    options.forEach(option -> gaps.addAll(option.gaps()));
    return gaps;
  }
}
