package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.ObservedTransport;
import io.arraymorph.optimizer.profile.Transport;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Plans with the cost model of the store in which the needed objects are. Thread-safe. */
final class StorePlanner implements AccessPlanner {
  /** The most requests between two looks at what was seen of a store. */
  private static final long LOOK_AGAIN = 256;

  /** What may be read in vain of a store of which nothing is known. */
  private static final long LITTLE_BYTES = 1 << 20;

  private final PlannerOptions options;
  private final int concurrency;
  private final Map<String, Known> byStore = new ConcurrentHashMap<>();

  /**
   * @param concurrency the most requests under way at once
   */
  StorePlanner(PlannerOptions options, int concurrency) {
    this.options = Objects.requireNonNull(options);
    this.concurrency = concurrency;
  }

  /** What is seen of a store may change its model: it is made anew as more was seen. */
  private AccessPlanner of(String uri) {
    Known known = byStore.get(uri);
    ObservedTransport store = known == null ? ObservedTransport.of(uri) : known.seen();
    long seen = store.requests();
    if (known == null || seen >= known.until()) {
      CostModel model = options.model(uri, concurrency);
      AccessPlanner planner =
          known != null && transport(known.planner().model(uri)).equals(transport(model))
              ? known.planner()
              : options.planner(model);
      known = new Known(planner, store, seen + Math.max(1, Math.min(seen, LOOK_AGAIN)));
      byStore.put(uri, known);
    }
    return known.planner();
  }

  private static Transport transport(CostModel model) {
    return model.profile().transport();
  }

  /**
   * A planner, what is seen of its store, and at how many requests the model is looked at again.
   */
  private record Known(AccessPlanner planner, ObservedTransport seen, long until) {}

  @Override
  public String label() {
    return options.method().name().toLowerCase(Locale.ROOT);
  }

  @Override
  public AccessPlanner withConcurrency(int requests) {
    return new StorePlanner(options, requests);
  }

  @Override
  public CostModel model(String uri) {
    return of(uri).model(uri);
  }

  @Override
  public GroupPlan planGroups(List<NeedGroup> groups) {
    String uri = groups.isEmpty() ? "" : groups.get(0).need().object().storeUri();
    return of(uri).planGroups(groups);
  }

  @Override
  public GroupPlan planGroupsIndexed(List<NeedGroup> groups, long indexBytes) {
    String uri = groups.isEmpty() ? "" : groups.get(0).need().object().storeUri();
    return of(uri).planGroupsIndexed(groups, indexBytes);
  }

  @Override
  public AccessPlan planIndexed(List<ObjectNeed> needs, long indexBytes) {
    return inOneStore(needs)
        .map(planner -> planner.planIndexed(needs, indexBytes))
        .orElseGet(() -> plan(needs));
  }

  @Override
  public AccessPlan planNext(List<ObjectNeed> needs, long of, AlikePlans before) {
    return inOneStore(needs)
        .map(planner -> planner.planNext(needs, of, before))
        .orElseGet(() -> plan(needs));
  }

  /** The planner of the store in which all objects are, if there is one. */
  private Optional<AccessPlanner> inOneStore(List<ObjectNeed> needs) {
    Set<String> stores = new HashSet<>();
    needs.forEach(need -> stores.add(need.object().storeUri()));
    return stores.size() == 1 ? Optional.of(of(stores.iterator().next())) : Optional.empty();
  }

  @Override
  public AccessPlan plan(List<ObjectNeed> needs) {
    Map<String, List<Integer>> byUri = new LinkedHashMap<>();
    for (int i = 0; i < needs.size(); i++) {
      String uri = needs.get(i).object().storeUri();
      byUri.computeIfAbsent(uri, u -> new ArrayList<>()).add(i);
    }
    ChunkAccess[] accesses = new ChunkAccess[needs.size()];
    byUri.forEach(
        (uri, members) -> {
          AccessPlan plan = of(uri).plan(members.stream().map(needs::get).toList());
          for (int i = 0; i < members.size(); i++) {
            accesses[members.get(i)] = plan.accesses().get(i);
          }
        });
    return new AccessPlan(label(), List.of(accesses));
  }

  /**
   * As the planner of the store says; but nothing is read beside what is needed of a store that was
   * guessed and never seen, unless it is little: indexes come first, and tell how far it is.
   */
  @Override
  public boolean readsWhole(ShardNeed shard) {
    String uri = shard.object().storeUri();
    return of(uri).readsWhole(shard)
        && (!options.mayBeCorrected(uri)
            || ObservedTransport.of(uri).requests() > 0
            || shard.bytesBeside() <= LITTLE_BYTES);
  }
}
