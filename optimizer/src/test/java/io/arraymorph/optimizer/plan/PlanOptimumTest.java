package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/**
 * How far plans are from the best of all, and from those of other planners, on small instances.
 *
 * <p>Not every plan is within 1 % of the best. Of 15,353 plans of seeds 0 to 20,000 that read all
 * at once 118 (0.8 %) were dearer by more, 54 by over 5 %, the dearest 1.28 times as dear; 0.6 %
 * under shipped profiles (at most 1.15 times), 0.9 % under random ones. Without dividing ranges 76
 * of 16,012 (0.5 %). The search is at fault, not the model: it cuts all gaps of one length or none,
 * divides at gaps only, and changes one object at a time, where the number of requests must just
 * fill the connections, or two objects must change together. Dividing across gaps too takes away
 * two fifths of the misses of the overlap model, and takes up to a quarter more time for every
 * plan.
 *
 * <p>Where indexes are read first 64 of 3,000 (2.1 %) were dearer than the best by over 1 %, 46 by
 * over 5 %, one more than 1.4 times as dear (3.49): in most the model counts an index in one round
 * with its ranges, which the search for ranges does not; in others objects would have to change
 * between function and ranges together.
 */
class PlanOptimumTest {

  /** Ratios of what plans cost to what the best cost, ascending. */
  private static List<Double> ratios(boolean indexed, int instances) {
    List<Double> ratios = new ArrayList<>();
    for (long seed = 0; ratios.size() < instances; seed++) {
      PlanInstance instance = PlanInstance.of(seed);
      if (instance.indexBytes() > 0 != indexed) {
        continue;
      }
      OptionalDouble best = ExhaustiveOptimum.of(instance);
      if (best.isPresent()) {
        double cost = ExhaustiveOptimum.cost(instance, instance.plan());
        ratios.add(cost == 0 ? 1 : cost / best.getAsDouble());
        assertThat(ratios.get(ratios.size() - 1))
            .as("seed %s: %s", seed, instance)
            .isLessThan(indexed ? 1.3 : 1.2);
      }
    }
    ratios.sort(null);
    System.out.printf(
        "plans %s: %d of %d dearer than the best by over 1 %%, at most %.3f times as dear%n",
        indexed ? "after indexes" : "at once",
        dearer(ratios),
        instances,
        ratios.get(instances - 1));
    return ratios;
  }

  private static long dearer(List<Double> ratios) {
    return ratios.stream().filter(ratio -> ratio > 1.01).count();
  }

  @Test
  void plansAreWithinOnePercentOfTheBestOfAllButForVeryFew() {
    assertThat(dearer(ratios(false, 500))).isLessThanOrEqualTo(4);
  }

  @Test
  void plansThatWaitForIndexesAreWithinOnePercentOfTheBestButForFew() {
    assertThat(dearer(ratios(true, 300))).isLessThanOrEqualTo(15);
  }

  @Test
  void plansCostNoMoreThanThoseOfAnyOtherPlanner() {
    for (long seed = 0; seed < 1_000; seed++) {
      PlanInstance instance = PlanInstance.of(seed);
      CostModel model = instance.model();
      List<AccessPlanner> others = new ArrayList<>(List.of(FixedPlanner.values()));
      others.add(GapPlanner.DEFAULT);
      others.add(new PaperPlanner(model, instance.phi(), instance.function()));
      if (instance.function()) {
        others.add(new FunctionPlanner(model));
        others.add(new CostPlanner(model, instance.phi(), false));
      }
      double cost = cost(instance.planner().plan(instance.needs()), instance);
      for (AccessPlanner other : others) {
        AccessPlan plan = other.plan(instance.needs());
        if (plan.isWeighable()) {
          assertThat(cost)
              .as("seed %s, beside %s: %s", seed, other.label(), instance)
              .isLessThanOrEqualTo(cost(plan, instance) * (1 + 1e-9));
        }
      }
    }
  }

  private static double cost(AccessPlan plan, PlanInstance instance) {
    CostModel model = instance.model();
    return model.cost(plan.totals(model, GroupPlan.UNKNOWN_BYTES)).weighted(instance.phi());
  }
}
