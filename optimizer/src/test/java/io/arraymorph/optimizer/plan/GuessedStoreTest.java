package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.profile.ObservedTransport;
import io.arraymorph.optimizer.profile.Refinement;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When shards are read whole of a store whose profile nobody named. */
class GuessedStoreTest {
  private static final int INNER = 64;
  private static final long SHARD_BYTES = 1 << 20;

  @Test
  void ofAStoreNeverSeenIndexesComeFirst() {
    AccessPlanner guessed = PlannerOptions.DEFAULT.planner();
    StorePath shard = shard("never-seen");
    assertThat(guessed.readsWhole(need(shard, 8, 64))).isFalse();
    assertThat(guessed.readsWhole(need(shard, 8, 1))).as("little is read in vain").isTrue();
    assertThat(guessed.readsWhole(need(shard, INNER, 64))).as("nothing is").isTrue();

    answered(shard, 0.03);
    assertThat(guessed.readsWhole(need(shard, 8, 64))).as("in the region").isTrue();
  }

  @Test
  void ofAStoreThatAnswersLateOnlyWhatIsNeededIsRead() {
    AccessPlanner guessed = PlannerOptions.DEFAULT.planner();
    StorePath shard = shard("far");
    for (int i = 0; i < 64; i++) {
      answered(shard, 0.09);
    }
    assertThat(guessed.readsWhole(need(shard, 8, 64))).isFalse();
    assertThat(guessed.model(shard.storeUri()).profile().transport().bandwidth().maximum())
        .as("as over the internet")
        .isLessThan(200e6);
  }

  @Test
  void aPlannerLearnsWhileItIsUsed() {
    AccessPlanner guessed = PlannerOptions.DEFAULT.planner();
    StorePath shard = shard("turns-out-far");
    answered(shard, 0.03);
    assertThat(guessed.readsWhole(need(shard, 8, 64))).isTrue();
    // The fastest of the last few hundred counts.
    for (int i = 0; i < 1000; i++) {
      answered(shard, 0.09);
    }
    assertThat(guessed.readsWhole(need(shard, 8, 64))).isFalse();
  }

  @Test
  void whatIsNamedOrFixedStays() {
    PlannerOptions named = PlannerOptions.of("auto", Optional.of("s3.in-region"), 0);
    PlannerOptions fixed = PlannerOptions.DEFAULT.withRefinement(Refinement.OFF);
    StorePath shard = shard("named");
    for (int i = 0; i < 64; i++) {
      assertThat(named.planner().readsWhole(need(shard, 8, 64))).isTrue();
      assertThat(fixed.planner().readsWhole(need(shard, 8, 64))).isTrue();
      answered(shard, 0.09);
    }
  }

  private static ShardNeed need(StorePath shard, long inner, long together) {
    return new ShardNeed(
        INNER, inner, SHARD_BYTES, together, (double) together * SHARD_BYTES, false, shard);
  }

  private static void answered(StorePath shard, double seconds) {
    ObservedTransport.of(shard.storeUri()).answered(1000, seconds, 1, 0);
  }

  private static StorePath shard(String bucket) {
    return new StorePath(
        new ForwardingObjectStore(new MemoryObjectStore(bucket)) {
          @Override
          public String uri() {
            return "s3://" + bucket;
          }
        },
        "a/c/0/0");
  }
}
