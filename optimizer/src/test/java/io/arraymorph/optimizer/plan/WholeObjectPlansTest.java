package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** When objects are read whole of which not all is needed. */
class WholeObjectPlansTest {
  private static final StorePath OBJECT = new StorePath(new MemoryObjectStore("plans"), "a/c/0/0");

  @Test
  void wholeObjectsAreReadWherePartsCostTheServerMore() {
    StoreProfile s3 = StoreProfiles.of("s3.in-region");
    ByteRuns most = ByteRuns.of(1_000, 200_000);
    ByteRuns little = ByteRuns.of(1_000, 2_000);
    for (double part : new double[] {0, 2e-3}) {
      CostModel model =
          new OverlapCostModel(s3.withTransport(s3.transport().withRequestSeconds(0, part)));
      CostPlanner planner = new CostPlanner(model, 0, false);
      List<ObjectNeed> needs = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        ByteRuns runs = i % 2 == 0 ? most : little;
        NeededBytes bytes = NeededBytes.runs(List.of(runs));
        needs.add(new ObjectNeed(OBJECT, OptionalLong.of(i % 2 == 0 ? 200_500 : 64 << 20), bytes));
      }
      AccessPlan plan = planner.plan(needs);
      assertThat(plan.accesses().get(0) instanceof ChunkAccess.WholeObject).isEqualTo(part > 0);
      assertThat(plan.accesses().get(1)).isInstanceOf(ChunkAccess.Ranges.class);
    }
  }

  @Test
  void objectsOfUnknownLengthAreNotReadWholeForAPartOfThem() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      CostModel model = CostPlannerTest.model(random);
      List<ObjectNeed> needs = new ArrayList<>();
      for (int i = random.nextInt(20); i >= 0; i--) {
        List<ByteRuns> runs = new ArrayList<>();
        long at = random.nextInt(1 << 20);
        for (int k = random.nextInt(9); k >= 0; k--) {
          long end = at + 1 + random.nextInt(1 << 17);
          runs.add(ByteRuns.of(at, end));
          at = end + 1 + random.nextInt(1 << 18);
        }
        needs.add(new ObjectNeed(OBJECT, OptionalLong.empty(), NeededBytes.runs(runs)));
      }
      for (AccessPlanner planner :
          List.of(new CostPlanner(model, 0, false), new PaperPlanner(model, 0, false))) {
        assertThat(planner.plan(needs).accesses())
            .as("seed %s, %s", seed, planner)
            .allMatch(access -> access instanceof ChunkAccess.Ranges);
      }
    }
  }

  @Test
  void ofAShardOfWhichAllIsNeededLessIsLikelyStored() {
    Transport transport = StoreProfiles.of("s3.in-region").transport();
    double each = 1 / transport.connectionBytesPerSecond();
    // Longer than this takes less time in parts, after the index, that share all the pipe.
    double equal = transport.latencySeconds() / (each - 1 / transport.bandwidth().maximum());
    CostPlanner planner =
        new CostPlanner(new OverlapCostModel(StoreProfiles.of("s3.in-region")), 0, false);
    long bytes = (long) (1.5 * equal);
    for (boolean compressed : new boolean[] {false, true}) {
      assertThat(planner.readsWhole(shard(64, bytes, compressed))).isEqualTo(compressed);
      assertThat(planner.readsWhole(shard(63, bytes, compressed))).isFalse();
      assertThat(planner.readsWhole(shard(64, 3 * bytes, compressed))).isFalse();
    }
  }

  private static ShardNeed shard(long needed, long bytes, boolean compressed) {
    return new ShardNeed(64, needed, bytes, 1, (double) bytes, compressed, OBJECT);
  }
}
