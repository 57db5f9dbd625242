package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Chooses whole objects, ranges or the slice function by what all requests together cost: {@code T
 * + phi F} (ArrayMorph, section 4), under a cost model of the store.
 *
 * <p>Objects of which the same bytes are needed are planned as one, so that a plan takes time and
 * memory by the kinds of chunks, not by their number. Under its own model a plan is never dearer
 * than that of any {@link FixedPlanner}, the {@link GapPlanner}, the {@link PaperPlanner} or, if
 * there is a function, the {@link FunctionPlanner} and one that does without the function: where
 * there are few enough ranges, up to some thousand of up to 64 objects, because these are planned
 * too and compared. Whole objects of unknown length are not compared with parts of them.
 *
 * <p>Up to 64 objects of up to 16 kinds with up to 192 runs in all are searched exactly ({@link
 * ExactSearch}), also where they wait for indexes: within 1 % of the best there is in all instances
 * small enough to try every plan. In larger ones the search may end before it has looked at each
 * way to share objects between reads and the function. Objects that become known one after the
 * other are not searched so, for meanwhile nothing is on its way.
 *
 * @param model of the store
 * @param phi seconds that a dollar is worth, 0 or more
 * @param function true if there is a slice function to call
 */
public record CostPlanner(CostModel model, double phi, boolean function) implements AccessPlanner {
  private static final int INDEX_ENTRY_BYTES = 16;

  /** Ranges of a shard, where it is compared with all of it. */
  private static final int MOST_RANGES = 64;

  private static final int OWN_WAYS = 16;
  private static final int FEW_OBJECTS = 64;
  private static final long FEW_RUNS = 4096;

  /** Throws {@link IllegalArgumentException} if phi is negative or not a number. */
  public CostPlanner {
    Objects.requireNonNull(model);
    if (!(phi >= 0)) {
      throw new IllegalArgumentException("phi " + phi);
    }
  }

  @Override
  public String label() {
    return "auto";
  }

  @Override
  public CostModel model(String uri) {
    return model;
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    return cheapest(searched(needs), needs, needs.size());
  }

  /** The plan before it is compared with those of other planners. */
  private AccessPlan searched(List<ObjectNeed> needs) {
    // Few objects are told apart, so that each may be read in its own way.
    Kinds kinds = Kinds.of(needs, needs.size() <= OWN_WAYS);
    return planGroups(kinds.groups).expand(needs, kinds.numbers);
  }

  /**
   * The plan, or that of another planner which costs less: of all of them where there are few
   * enough ranges to plan them so.
   *
   * @param of how many objects are read like these
   */
  private AccessPlan cheapest(AccessPlan ours, List<ObjectNeed> needs, long of) {
    if (needs.isEmpty() || needs.size() > FEW_OBJECTS || runs(needs.stream()) > FEW_RUNS) {
      return ours;
    }
    double factor = (double) Math.max(of, needs.size()) / needs.size();
    AccessPlan best = ours;
    double least = cost(ours.totals(model, GroupPlan.UNKNOWN_BYTES).times(factor));
    for (Function<List<ObjectNeed>, AccessPlan> planner : others()) {
      AccessPlan other = planner.apply(needs);
      double cost = cost(other.totals(model, GroupPlan.UNKNOWN_BYTES).times(factor));
      if (cost < least * (1 - 1e-9) && other.isWeighable()) {
        least = cost;
        best = new AccessPlan(label(), other.accesses());
      }
    }
    return best;
  }

  /** The planners than which none of these plans is dearer. */
  private List<Function<List<ObjectNeed>, AccessPlan>> others() {
    List<Function<List<ObjectNeed>, AccessPlan>> others = new ArrayList<>();
    for (FixedPlanner planner : FixedPlanner.values()) {
      others.add(planner::plan);
    }
    others.add(GapPlanner.DEFAULT::plan);
    others.add(new PaperPlanner(model, phi, function)::plan);
    if (function) {
      others.add(new FunctionPlanner(model)::plan);
      others.add(new CostPlanner(model, phi, false)::searched);
    }
    return others;
  }

  /**
   * As {@link #planNext}, knowing of no earlier objects; those of which nearly the same is needed
   * are planned as one, by at most a few percent dearer than each for itself, for meanwhile nothing
   * is on its way.
   */
  AccessPlan planSome(List<ObjectNeed> needs, long of) {
    Optional<List<ChunkAccess>> alike =
        (function ? Optional.<AlikeNeeds>empty() : AlikeNeeds.of(needs))
            .flatMap(kinds -> kinds.accesses(ways(kinds.groups(Math.max(of, needs.size())))));
    if (alike.isPresent()) {
      return cheapest(new AccessPlan(label(), alike.get()), needs, of);
    }
    if (of <= needs.size()) {
      return plan(needs);
    }
    Kinds kinds = Kinds.of(needs, false);
    List<NeedGroup> groups = new ArrayList<>();
    for (NeedGroup group : kinds.groups) {
      long share = Math.max(group.objects(), group.objects() * of / needs.size());
      groups.add(new NeedGroup(group.need(), share));
    }
    List<ChunkAccess> ways = ways(groups);
    List<ChunkAccess> accesses = new ArrayList<>();
    for (int i = 0; i < needs.size(); i++) {
      accesses.add(ways.get(kinds.numbers[i]).of(needs.get(i)));
    }
    return cheapest(new AccessPlan(label(), accesses), needs, of);
  }

  /** As documented; with a slice function each object is planned anew. */
  @Override
  public AccessPlan planNext(List<ObjectNeed> needs, long of, AlikePlans before) {
    if (function) {
      return planSome(needs, of);
    }
    ChunkAccess[] accesses = new ChunkAccess[needs.size()];
    List<Integer> others = new ArrayList<>();
    for (int i = 0; i < accesses.length; i++) {
      accesses[i] = before.access(needs.get(i), of).orElse(null);
      if (accesses[i] == null) {
        others.add(i);
      }
    }
    if (others.isEmpty()) {
      return new AccessPlan(label(), List.of(accesses));
    }
    AccessPlan plan = planSome(others.stream().map(needs::get).toList(), of);
    for (int i = 0; i < others.size(); i++) {
      accesses[others.get(i)] = plan.accesses().get(i);
      before.add(plan.accesses().get(i), of);
    }
    return new AccessPlan(label(), List.of(accesses));
  }

  /** For each group the way in which most of its objects are read. */
  private List<ChunkAccess> ways(List<NeedGroup> groups) {
    ChunkAccess[] ways = new ChunkAccess[groups.size()];
    long[] objects = new long[ways.length];
    for (GroupPlan.Part part : searchedGroups(groups).parts()) {
      if (part.objects() > objects[part.group()]) {
        ways[part.group()] = part.access();
        objects[part.group()] = part.objects();
      }
    }
    return List.of(ways);
  }

  @Override
  public AccessPlan planIndexed(List<ObjectNeed> needs, long indexBytes) {
    GroupPlan plan =
        new IndexedPlans(this, indexBytes)
            .cheapest(
                GroupPlan.of(plan(needs), model),
                planner -> GroupPlan.of(planner.plan(needs), model));
    if (indexBytes > 0 && needs.stream().anyMatch(IndexedPlans::waits)) {
      List<NeedGroup> each = needs.stream().map(need -> new NeedGroup(need, 1)).toList();
      plan = new ExactSearch(this, each, indexBytes).cheaper(plan);
    }
    return new AccessPlan(label(), plan.parts().stream().map(GroupPlan.Part::access).toList());
  }

  /** Without a function as readers plan: ranges once their indexes have come. */
  @Override
  public GroupPlan planGroupsIndexed(List<NeedGroup> groups, long indexBytes) {
    GroupPlan plan =
        new IndexedPlans(this, indexBytes)
            .cheapest(planGroups(groups), planner -> planner.planGroups(groups));
    return function && indexBytes > 0
        ? new ExactSearch(this, groups, indexBytes).cheaper(plan)
        : plan;
  }

  /** Objects by what is needed of them; {@code numbers} has the group of each. */
  private static final class Kinds {
    private final List<NeedGroup> groups = new ArrayList<>();
    private final int[] numbers;

    private Kinds(int objects) {
      this.numbers = new int[objects];
    }

    static Kinds of(List<ObjectNeed> needs, boolean apart) {
      Kinds kinds = new Kinds(needs.size());
      Map<Object, Integer> known = new HashMap<>();
      for (int i = 0; i < needs.size(); i++) {
        ObjectNeed need = needs.get(i);
        Object kind = apart ? i : kind(need);
        int number = known.computeIfAbsent(kind, k -> kinds.groups.size());
        kinds.numbers[i] = number;
        if (number == kinds.groups.size()) {
          kinds.groups.add(new NeedGroup(need, 1));
        } else {
          NeedGroup group = kinds.groups.get(number);
          kinds.groups.set(number, new NeedGroup(group.need(), group.objects() + 1));
        }
      }
      return kinds;
    }
  }

  /** Equal for objects of which the same is needed. */
  static Object kind(ObjectNeed need) {
    return List.of(need.objectBytes(), need.bytes(), need.decoded(), need.held());
  }

  /** How many runs are needed of one of each. */
  static double runs(Stream<ObjectNeed> needs) {
    return needs
        .filter(need -> need.bytes() instanceof NeededBytes.Runs)
        .flatMap(need -> ((NeededBytes.Runs) need.bytes()).parts().stream())
        .mapToDouble(part -> (double) part.runCount())
        .sum();
  }

  /** Takes no time or memory in the number of objects. */
  @Override
  public GroupPlan planGroups(List<NeedGroup> groups) {
    return new ExactSearch(this, groups, 0).cheaper(searchedGroups(groups));
  }

  /** The plan before it is compared with the best of all. */
  GroupPlan searchedGroups(List<NeedGroup> groups) {
    List<GroupOptions> options = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    List<GroupPlan.Part> parts = new ArrayList<>();
    for (int i = 0; i < groups.size(); i++) {
      NeedGroup group = groups.get(i);
      if (group.need().isNothing()) {
        parts.add(new GroupPlan.Part(i, ChunkAccess.ofNothing(group.need()), group.objects()));
      } else {
        options.add(new GroupOptions(group, model, function, GroupPlan.UNKNOWN_BYTES));
        numbers.add(i);
      }
    }
    if (options.isEmpty()) {
      return GroupPlan.of(label(), parts, model);
    }
    PlanSearch search = new PlanSearch(options, model, phi);
    AccessChoice[] choices = search.run();
    List<ChunkAccess> fixed = fixedGaps(options, search.cost());
    for (int i = 0; i < choices.length; i++) {
      GroupOptions option = options.get(i);
      long byFunction = fixed.isEmpty() ? choices[i].byFunction() : 0;
      long byRanges = option.group().objects() - byFunction;
      if (byFunction > 0) {
        parts.add(new GroupPlan.Part(numbers.get(i), option.functionAccess(), byFunction));
      }
      if (byRanges > 0) {
        ChunkAccess access = fixed.isEmpty() ? option.readAccess(choices[i]) : fixed.get(i);
        parts.add(new GroupPlan.Part(numbers.get(i), access, byRanges));
      }
    }
    return GroupPlan.of(label(), parts, model);
  }

  /** The accesses of the gap planner if they cost less, else none. */
  private List<ChunkAccess> fixedGaps(List<GroupOptions> options, double cost) {
    List<ChunkAccess> accesses = new ArrayList<>();
    AccessTotals totals = AccessTotals.NONE;
    for (GroupOptions option : options) {
      NeedGroup group = option.group();
      ChunkAccess access = GapPlanner.DEFAULT.plan(List.of(group.need())).accesses().get(0);
      accesses.add(access);
      totals =
          totals.plus(
              access.totals(model, GroupPlan.UNKNOWN_BYTES).times((double) group.objects()));
    }
    return model.cost(totals).weighted(phi) < cost * (1 - 1e-9) ? accesses : List.of();
  }

  /**
   * True where all shards cost less when read whole, this one as the longest, than when their
   * indexes are read first and then, in the best case, nothing but what is needed, as much of each
   * as of this one, by as many ranges as are best: a connection may be slower than the pipe, and
   * the length of a whole shard is not known, so that it cannot be divided.
   */
  @Override
  public boolean readsWhole(ShardNeed shard) {
    double count = (double) shard.together();
    double together = shard.bytesTogether() * shard.likelyShare();
    double all = (double) shard.decodedBytes() * shard.likelyShare();
    double index = (double) INDEX_ENTRY_BYTES * shard.innerChunks();
    double whole = cost(new AccessTotals(count, 0, count, together, all, CallTotals.NONE));
    double needed = together * shard.needed();
    long most = Math.max(1, Math.min(MOST_RANGES, shard.neededInnerChunks()));
    double parts = Double.POSITIVE_INFINITY;
    for (long ranges = 1; ranges <= most; ranges *= 2) {
      double each = all * shard.needed() / ranges;
      parts = Math.min(parts, cost(AccessTotals.reads(count * ranges, needed, each)));
    }
    return whole <= cost(AccessTotals.reads(count, count * index, index)) + parts;
  }

  private double cost(AccessTotals totals) {
    return model.cost(totals).weighted(phi);
  }
}
