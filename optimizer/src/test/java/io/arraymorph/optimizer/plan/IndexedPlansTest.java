package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.cost.CostModel;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IndexedPlansTest {

  @Test
  void shardsAreNotDividedBetweenFunctionAndReaderWhereEitherAloneIsCheaper() {
    int cheaper = 0;
    for (long seed = 0; seed < 1_500; seed++) {
      Random random = new Random(seed);
      CostModel model = CostPlannerTest.model(random);
      double phi = CostPlannerTest.PHIS[random.nextInt(CostPlannerTest.PHIS.length)];
      CostPlanner planner = new CostPlanner(model, phi, true);
      List<ObjectNeed> needs = CostPlannerTest.needs(random, 1 + random.nextInt(12), 9, 3);
      long indexBytes = 1L << random.nextInt(20);
      IndexedPlans indexed = new IndexedPlans(planner, indexBytes);
      double ours = cost(indexed, planner.planIndexed(needs, indexBytes));
      double atOnce = cost(indexed, planner.plan(needs));
      assertThat(ours)
          .as("seed %d", seed)
          .isLessThanOrEqualTo(atOnce)
          .isLessThanOrEqualTo(cost(indexed, new FunctionPlanner(model).plan(needs)) * (1 + 1e-9));
      cheaper += ours < atOnce * 0.99 ? 1 : 0;
    }
    assertThat(cheaper).isGreaterThan(20);
  }

  @Test
  void whatNeedsNoIndexIsPlannedAsEver() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      CostPlanner planner = new CostPlanner(CostPlannerTest.model(random), 1, random.nextBoolean());
      List<ObjectNeed> needs = CostPlannerTest.needs(random, 5, 9, 3);
      assertThat(planner.planIndexed(needs, 0)).as("seed %d", seed).isEqualTo(planner.plan(needs));
    }
  }

  @Test
  void groupsArePlannedAsTheirObjectsAre() {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      CostModel model = CostPlannerTest.model(random);
      CostPlanner planner = new CostPlanner(model, 0, true);
      List<ObjectNeed> needs = CostPlannerTest.needs(random, 5, 9, 3);
      List<NeedGroup> groups = needs.stream().map(need -> new NeedGroup(need, 1)).toList();
      IndexedPlans indexed = new IndexedPlans(planner, 4096);
      double grouped = indexed.cost(planner.planGroupsIndexed(groups, 4096));
      double functions = indexed.cost(new FunctionPlanner(model).planGroups(groups));
      assertThat(grouped).as("seed %d", seed).isLessThanOrEqualTo(functions * (1 + 1e-9));
      int[] numbers = IntStream.range(0, needs.size()).toArray();
      AccessPlan expanded = planner.planGroupsIndexed(groups, 4096).expand(needs, numbers);
      assertThat(cost(indexed, expanded)).as("seed %d", seed).isEqualTo(grouped);
    }
  }

  private static double cost(IndexedPlans indexed, AccessPlan plan) {
    return indexed.cost(GroupPlan.of(plan, indexed.planner().model()));
  }
}
