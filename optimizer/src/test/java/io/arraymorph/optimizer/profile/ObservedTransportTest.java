package io.arraymorph.optimizer.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.arraymorph.optimizer.plan.PlannerOptions;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ObservedTransportTest {
  private static final Transport BELIEVED = StoreProfiles.of("s3.in-region").transport();

  private final ObservedTransport seen = new ObservedTransport();

  @Test
  void nothingSeenChangesNothing() {
    assertThat(seen.refine(BELIEVED)).isEqualTo(BELIEVED);
    assertThat(seen.correct(BELIEVED)).isEqualTo(BELIEVED);
  }

  @Test
  void whatWasSeenCountsMoreTheMoreWasSeenButNeverAlone() {
    double before = BELIEVED.latencySeconds();
    answers(8, 1000, 1.0, 1);
    // Half the way on a scale of factors.
    assertThat(seen.refine(BELIEVED).latencySeconds()).isCloseTo(Math.sqrt(before), within(1e-9));
    answers(100_000, 1000, 1.0, 1);
    double most = seen.refine(BELIEVED).latencySeconds();
    assertThat(most).isCloseTo(Math.pow(before, 0.1), within(1e-9));
    assertThat(seen.requests()).isEqualTo(100_008);
    assertThat(seen.refine(BELIEVED).tailLatencySeconds()).isGreaterThan(most);
  }

  @Test
  void queuesAddToTheTimeOfSmallAnswersNotToTheLatency() {
    for (int i = 0; i < 200; i++) {
      answers(1, 16 << 10, 0.09 + i * 0.001, 200 - i);
    }
    assertThat(seen.correct(BELIEVED).latencySeconds()).isBetween(0.08, 0.09);
  }

  @Test
  void aWidePipeOfWhichLittleWasAskedStaysWide() {
    // 16 of 1 MiB, as fast as one connection gives them.
    answers(8, 1000, 0.028, 1);
    sideBySide(16, 1 << 20, 0.028 + (1 << 20) / 90e6);
    assertThat(seen.correct(BELIEVED)).isEqualTo(BELIEVED);
  }

  @Test
  void answersThatWaitedForOneAnotherTellHowWideThePipeIs() {
    answers(8, 1000, 0.09, 1);
    // 64 of 1 MiB together over 20 MB/s.
    double seconds = 64.0 * (1 << 20) / 20e6;
    sideBySide(64, 1 << 20, seconds);
    Transport corrected = seen.correct(BELIEVED);
    assertThat(corrected.bandwidth().maximum()).isBetween(20e6, 32e6);
    assertThat(corrected.connectionBytesPerSecond()).isLessThanOrEqualTo(32e6);
    assertThat(corrected.bandwidth().points()).hasSameSizeAs(BELIEVED.bandwidth().points());
  }

  @Test
  void onlyWhatIsSurelySlowerIsCorrected() {
    answers(100, 1000, 1.5 * BELIEVED.latencySeconds(), 1);
    sideBySide(64, 1 << 20, 64.0 * (1 << 20) / 700e6);
    assertThat(seen.correct(BELIEVED)).isEqualTo(BELIEVED);
    assertThat(seen.refine(BELIEVED).latencySeconds()).isGreaterThan(BELIEVED.latencySeconds());
  }

  @Test
  void aProfileThatNobodyNamedIsCorrectedAndSaysSo() {
    for (int i = 0; i < 64; i++) {
      ObservedTransport.of("s3://seen-bucket/a/b").answered(100, 0.5, 1, 0);
    }
    PlannerOptions guessed = PlannerOptions.DEFAULT;
    StoreProfile profile = guessed.model("s3://seen-bucket/c", 64).profile();
    assertThat(profile.name())
        .isEqualTo("s3.in-region refined by 64 requests (0.500 s) to 0.408 s, 1.10e+08 bytes/s");
    assertThat(profile.transport().latencySeconds()).isGreaterThan(0.3);

    PlannerOptions named = PlannerOptions.of("auto", Optional.of("s3.in-region"), 0);
    assertThat(name(named)).isEqualTo("s3.in-region");
    assertThat(name(named.withRefinement(Refinement.ON)))
        .startsWith("s3.in-region refined by 64 requests (0.500 s) to ");
    assertThat(name(guessed.withRefinement(Refinement.OFF))).isEqualTo("s3.in-region");
  }

  @Test
  void whatWasSeenIsSaidInNumbers() {
    assertThat(seen).hasToString("0 requests");
    answers(100, 1000, 0.25, 1);
    sideBySide(64, 1 << 20, 64.0 * (1 << 20) / 1e6);
    assertThat(seen.toString()).startsWith("164 requests (0.250 s, ").endsWith("bytes/s)");
  }

  private static String name(PlannerOptions options) {
    return options.model("s3://seen-bucket/c", 64).profile().name();
  }

  private void answers(int count, long bytes, double seconds, int underWay) {
    for (int i = 0; i < count; i++) {
      seen.answered(bytes, seconds, underWay, seen.arrived());
    }
  }

  /** So many that are sent together and end together. */
  private void sideBySide(int count, long bytes, double seconds) {
    long before = seen.arrived();
    for (int i = 0; i < count; i++) {
      seen.answered(bytes, seconds, count - i, before);
    }
  }
}
