package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.store.StorePath;
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
  private final PlannerOptions options;
  private final int concurrency;
  private final Map<String, AccessPlanner> byStore = new ConcurrentHashMap<>();

  /**
   * @param concurrency the most requests under way at once
   */
  StorePlanner(PlannerOptions options, int concurrency) {
    this.options = Objects.requireNonNull(options);
    this.concurrency = concurrency;
  }

  private AccessPlanner of(String uri) {
    return byStore.computeIfAbsent(uri, u -> options.planner(options.model(u, concurrency)));
  }

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
  public AccessPlan planSome(List<ObjectNeed> needs, long of) {
    return inOneStore(needs)
        .map(planner -> planner.planSome(needs, of))
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

  @Override
  public boolean readsWhole(ShardNeed shard) {
    // Without an object the profile that was named counts, else a store in the region.
    return of(shard.object().map(StorePath::storeUri).orElse("s3://any")).readsWhole(shard);
  }
}
