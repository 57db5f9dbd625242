package io.arraymorph.optimizer.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.arraymorph.optimizer.plan.PlannerOptions;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObservedTransportTest {
  private static final Transport BELIEVED = StoreProfiles.of("s3.in-region").transport();

  @Test
  void nothingSeenChangesNothing() {
    assertThat(new ObservedTransport().refine(BELIEVED).latencySeconds())
        .isEqualTo(BELIEVED.latencySeconds());
    assertThat(new ObservedTransport().refine(BELIEVED).bandwidth())
        .isEqualTo(BELIEVED.bandwidth());
  }

  @Test
  void whatWasSeenCountsMoreTheMoreWasSeenButNeverAlone() {
    ObservedTransport seen = new ObservedTransport();
    double before = BELIEVED.latencySeconds();
    for (int i = 0; i < 50; i++) {
      seen.answered(1000, 1.0, 1);
    }
    // Half the way on a scale of factors.
    double half = seen.refine(BELIEVED).latencySeconds();
    assertThat(half).isCloseTo(Math.sqrt(before), within(1e-9));
    for (int i = 0; i < 100_000; i++) {
      seen.answered(1000, 1.0, 1);
    }
    double most = seen.refine(BELIEVED).latencySeconds();
    assertThat(most).isCloseTo(Math.pow(before, 0.2), within(1e-9));
    assertThat(seen.requests()).isEqualTo(100_050);
    assertThat(seen.refine(BELIEVED).tailLatencySeconds()).isGreaterThan(most);
  }

  @Test
  void largeAnswersRefineBandwidth() {
    ObservedTransport seen = new ObservedTransport();
    for (int i = 0; i < 200; i++) {
      seen.answered(8 << 20, 1.0, 8);
    }
    Transport refined = seen.refine(BELIEVED);
    assertThat(refined.connectionBytesPerSecond())
        .isBetween((double) (8 << 20), BELIEVED.connectionBytesPerSecond());
    assertThat(refined.bandwidth().maximum())
        .isBetween(8.0 * (8 << 20), BELIEVED.bandwidth().maximum());
    assertThat(refined.latencySeconds()).isEqualTo(BELIEVED.latencySeconds());
  }

  @Test
  void refinedPlansSaySo() {
    ObservedTransport.of("s3://seen-bucket/a/b").answered(100, 0.5, 1);
    PlannerOptions options = PlannerOptions.of("auto", Optional.of("s3.in-region"), 0);
    StoreProfile refined = options.withRefinement(true).model("s3://seen-bucket/c", 64).profile();
    assertThat(refined.name()).isEqualTo("s3.in-region refined by 1 requests");
    assertThat(refined.transport().latencySeconds()).isGreaterThan(BELIEVED.latencySeconds());
    assertThat(options.model("s3://seen-bucket/c", 64).profile().name()).isEqualTo("s3.in-region");
  }
}
