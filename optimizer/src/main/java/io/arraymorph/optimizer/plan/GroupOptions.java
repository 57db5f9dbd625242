package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** What may be chosen for the objects of a group, and what each choice amounts to. */
final class GroupOptions {

  private final NeedGroup group;
  private final CostModel model;
  private final RangeOptions ranges;
  private final Optional<CallTotals> calls;
  private final boolean remembers;
  private final Map<AccessChoice, AccessTotals> known;
  private final Map<CutSequence.Order, CutSequence> sequences;

  /**
   * @param unknownBytes assumed of objects all of whose unknown number of bytes are needed
   * @param function true if the slice function may be chosen
   * @param remembers true to work out each choice once only
   */
  private GroupOptions(
      NeedGroup group, CostModel model, boolean function, long unknownBytes, boolean remembers) {
    this.group = group;
    this.model = model;
    ObjectNeed need = group.need();
    this.ranges =
        need.bytes() instanceof NeededBytes.Runs
            ? RangeOptions.of(((NeededBytes.Runs) need.bytes()).parts())
            : RangeOptions.of(List.of(ByteRuns.of(0, need.assumedBytes(unknownBytes))));
    this.calls = function ? need.sliceCall().flatMap(model::calls) : Optional.empty();
    this.remembers = remembers || ranges instanceof ListedOptions;
    this.known = new HashMap<>();
    this.sequences = new EnumMap<>(CutSequence.Order.class);
  }

  private GroupOptions(NeedGroup group, GroupOptions like) {
    this.group = group;
    this.model = like.model;
    this.ranges = like.ranges;
    this.calls = like.calls;
    this.remembers = like.remembers;
    this.known = like.known;
    this.sequences = like.sequences;
  }

  /** The options of groups; those that are alike share what they know. */
  static List<GroupOptions> of(
      List<NeedGroup> groups, CostModel model, boolean function, long unknownBytes) {
    List<GroupOptions> options = new ArrayList<>();
    Map<List<Object>, GroupOptions> kinds = new HashMap<>();
    boolean few = groups.size() <= PlanSearch.MANY_GROUPS;
    for (NeedGroup group : groups) {
      if (!few) {
        options.add(new GroupOptions(group, model, function, unknownBytes, false));
        continue;
      }
      ObjectNeed need = group.need();
      List<Object> kind =
          List.of(group.objects(), need.objectBytes(), need.bytes(), need.decoded());
      GroupOptions like = kinds.get(kind);
      if (like == null) {
        like = new GroupOptions(group, model, function, unknownBytes, true);
        kinds.put(kind, like);
        options.add(like);
      } else {
        options.add(new GroupOptions(group, like));
      }
    }
    return options;
  }

  /** True for as many objects of which the same is needed. */
  boolean isLike(GroupOptions other) {
    return known == other.known;
  }

  NeedGroup group() {
    return group;
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

  /** The ways to read an object by any number of ranges. */
  CutSequence sequence(CutSequence.Order order) {
    return sequences.computeIfAbsent(order, ranges::sequence);
  }

  private CutSequence sequence(AccessChoice choice) {
    return sequence(choice.counted().order());
  }

  /** The needed bytes of one object. */
  double neededBytes() {
    return (double) cut(AccessChoice.ranges(0, RangeOptions.UNBOUNDED)).bytes();
  }

  /** True if the bytes of an object can be read by any number of ranges. */
  boolean isDivisible() {
    return longest(0) == 0;
  }

  /** True if reading whole objects is another choice than reading all their needed bytes. */
  boolean hasWhole() {
    return group.need().bytes() instanceof NeededBytes.Runs
        && group.need().objectBytes().isPresent();
  }

  /** True if the pipe takes less time for all of an object than for so many parts of it. */
  boolean isWholeSooner(AccessChoice parts) {
    Transport transport = model.profile().transport();
    if (transport.partSeconds() == 0 || !hasWhole()) {
      return false;
    }
    double part = transport.requestSeconds() + transport.partSeconds();
    double second = transport.bandwidth().maximum();
    RangeOptions.Cut cut = cut(parts);
    return transport.requestSeconds() + cut(parts.withWhole()).bytes() / second
        < cut.ranges() * part + cut.bytes() / second;
  }

  /** Sums over the ranges of one object. */
  RangeOptions.Cut cut(AccessChoice choice) {
    if (choice.whole() && hasWhole()) {
      long bytes = group.need().objectBytes().getAsLong();
      return new RangeOptions.Cut(1, bytes, bytes);
    }
    return choice.isCounted()
        ? sequence(choice).cut(choice.counted().cuts(), choice.counted().pieces())
        : ranges.cut(choice.gap(), longest(choice.longest()));
  }

  private List<ByteRange.Bounded> ranges(AccessChoice choice) {
    return choice.isCounted()
        ? sequence(choice).ranges(choice.counted().cuts(), choice.counted().pieces())
        : ranges.ranges(choice.gap(), longest(choice.longest()));
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
    if (!remembers) {
      return sum(choice);
    }
    AccessTotals totals = known.get(choice);
    if (totals == null) {
      totals = sum(choice);
      known.put(choice, totals);
    }
    return totals;
  }

  private AccessTotals sum(AccessChoice choice) {
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
    for (ByteRange.Bounded range : ranges(choice)) {
      charged += prices.meteredRequests(range.length());
    }
    return charged;
  }

  /** How one object is read that is not left to the slice function. */
  ChunkAccess readAccess(AccessChoice choice) {
    ObjectNeed need = group.need();
    return isWhole(cut(choice))
        ? new ChunkAccess.WholeObject(need)
        : new ChunkAccess.Ranges(need, ranges(choice));
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
