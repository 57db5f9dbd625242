package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.cost.CostModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Plans of objects that become known one after the other: nothing is searched exactly. */
class PlannedInTurnTest {
  @Test
  void objectsAlikeArePlannedInTurnAsTheyAreTogether() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      CostModel model = CostPlannerTest.model(random);
      double phi = CostPlannerTest.PHIS[random.nextInt(CostPlannerTest.PHIS.length)];
      CostPlanner planner = new CostPlanner(model, phi, false);
      ObjectNeed need = CostPlannerTest.needs(random, 1, 9, 4).get(0);
      int count = 1 + random.nextInt(40);

      List<ChunkAccess> inTurn = new ArrayList<>();
      while (inTurn.size() < count) {
        int some = 1 + random.nextInt(count - inTurn.size());
        inTurn.addAll(planner.planSome(Collections.nCopies(some, need), count).accesses());
      }

      AccessPlan plan = new AccessPlan("in turn", inTurn);
      double together =
          planner.searchedGroups(List.of(new NeedGroup(need, count))).cost().weighted(phi);
      assertThat(CostPlannerTest.cost(plan, model, phi))
          .as("seed %s, %s of %s", seed, count, need)
          .isLessThanOrEqualTo(together * (1 + 1e-9));
    }
  }

  @Test
  void everyPlanOfSomeCoversExactlyWhatIsNeeded() {
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      CostModel model = CostPlannerTest.model(random);
      double phi = CostPlannerTest.PHIS[random.nextInt(CostPlannerTest.PHIS.length)];
      List<ObjectNeed> needs = CostPlannerTest.needs(random, 1 + random.nextInt(6), 9, 4);
      AccessPlan plan =
          new CostPlanner(model, phi, random.nextBoolean())
              .planSome(needs, needs.size() + random.nextInt(50));
      assertThat(plan.accesses()).as("seed %s", seed).hasSize(needs.size());
      for (int i = 0; i < needs.size(); i++) {
        CostPlannerTest.check("seed " + seed + ", " + plan, needs.get(i), plan.accesses().get(i));
      }
    }
  }
}
