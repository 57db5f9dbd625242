package io.arraymorph.optimizer.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.ProfileJson;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaperProcedureTest {
  private static final StoreProfile BASE = StoreProfiles.of("paper.s3");
  private static final PaperProcedure PROCEDURE =
      new PaperProcedure(new StoreProbe(Duration.ofSeconds(30), 20_000_000));

  @Test
  void aLineIsFoundAgain() {
    PaperProcedure.Line line =
        PaperProcedure.Line.fit(new double[] {1, 2, 4, 8}, new double[] {5, 7, 11, 19});
    assertThat(line.slope()).isCloseTo(2, within(1e-12));
    assertThat(line.intercept()).isCloseTo(3, within(1e-12));
    assertThat(line.r2()).isCloseTo(1, within(1e-12));
  }

  @Test
  void measuresBandwidthByRequestsAndTheFunctionWithinItsBounds() {
    try (RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("paper"))) {
      store.put("a/large", ByteBuffer.allocate(4 << 20), WriteCondition.NONE).join();
      store.clear();
      // 2 ms, and 10 ms for each MiB from the first to the last byte.
      SliceFunction function =
          (object, etag, runs) -> {
            long span = runs.get(runs.size() - 1).end() - runs.get(0).first();
            return CompletableFuture.supplyAsync(
                () -> new SliceFunction.Answer(ByteBuffer.allocate(0), "x", span),
                CompletableFuture.delayedExecutor(
                    2_000_000 + span * 10_000_000 / (1 << 20), TimeUnit.NANOSECONDS));
          };
      StoreProfile profile =
          PROCEDURE.measure(new StorePath(store, "a"), BASE, "mine", Optional.of(function));
      assertThat(store.bytesRead()).isLessThanOrEqualTo(20_000_000);
      assertThat(profile.transport().bandwidth().points()).hasSize(11);
      assertThat(profile.provenance().text())
          .contains("N_min", "N_max", "T_lambda", "R2", "each with");
      // Never faster than the function sleeps; a busy machine may take longer.
      assertThat(profile.function().orElseThrow().speed().alphaSecondsPerByte() * (1 << 20))
          .isBetween(0.005, 0.05);
      assertThat(ProfileJson.parse(ProfileJson.write(profile), "mine")).isEqualTo(profile);
      StoreProfile without =
          PROCEDURE.measure(new StorePath(store, "a"), BASE, "mine", Optional.empty());
      assertThat(without.function()).isEqualTo(BASE.function());
    }
  }

  /** Everything that the procedure measures is known; a busy machine only adds time. */
  @Test
  void theConstantsOfAKnownStoreAreFoundAgain() {
    int bytes = 2 << 20;
    double latency = 0.04;
    TreeMap<Long, Double> bandwidth =
        new TreeMap<>(
            Map.of(
                1L, 4e6, 2L, 6e6, 4L, 8e6, 8L, 12e6, 16L, 20e6, 32L, 14e6, 64L, 10e6, 128L, 12e6));
    ObjectStore known =
        new ForwardingObjectStore(new MemoryObjectStore("known")) {
          @Override
          public CompletableFuture<ObjectBytes> get(
              String key, ByteRange range, ReadCondition condition) {
            CompletableFuture<ObjectBytes> answer = super.get(key, range, condition);
            long length = answer.join().bytes().remaining();
            double flows =
                length < 1024 ? 0 : bytes / bandwidth.floorEntry(bytes / length).getValue();
            return answer.thenApplyAsync(
                found -> found,
                CompletableFuture.delayedExecutor(
                    (long) ((latency + flows) * 1e9), TimeUnit.NANOSECONDS));
          }
        };
    double alpha = 0.1 / (1 << 20);
    double beta = 0.03;
    SliceFunction function =
        (object, etag, runs) -> {
          long span = runs.get(runs.size() - 1).end() - runs.get(0).first();
          return CompletableFuture.supplyAsync(
              () -> new SliceFunction.Answer(ByteBuffer.allocate(0), "x", span),
              CompletableFuture.delayedExecutor(
                  (long) ((beta + alpha * span) * 1e9), TimeUnit.NANOSECONDS));
        };
    try (known) {
      known.put("a/large", ByteBuffer.allocate(bytes), WriteCondition.NONE).join();
      StoreProfile found =
          new PaperProcedure(new StoreProbe(Duration.ofSeconds(400), 40L * bytes))
              .measure(new StorePath(known, "a"), BASE, "mine", Optional.of(function));
      BandwidthCurve curve = found.transport().bandwidth();
      assertThat(curve.fewestRequests(0.9)).isEqualTo(16);
      assertThat(curve.mostRequests(0.9)).isEqualTo(16);
      bandwidth
          .headMap(17L)
          .forEach((n, rate) -> assertThat(curve.at(n)).isBetween(0.7 * rate, 1.1 * rate));
      assertThat(found.transport().latencySeconds()).isBetween(latency, 1.5 * latency);
      FunctionProfile.Speed speed = found.function().orElseThrow().speed();
      assertThat(speed.alphaSecondsPerByte()).isCloseTo(alpha, withinPercentage(25));
      assertThat(speed.betaSeconds()).isCloseTo(beta, within(0.02));
      assertThat(found.provenance().text()).contains("N_min 16, N_max 16 at 90 %");
    }
  }

  @Test
  void aFunctionThatDoesNotAnswerIsACodedError() {
    try (MemoryObjectStore store = new MemoryObjectStore("paper")) {
      store.put("a/large", ByteBuffer.allocate(1 << 20), WriteCondition.NONE).join();
      SliceFunction down =
          (object, etag, runs) ->
              CompletableFuture.failedFuture(new IllegalStateException("connection refused"));
      assertThatThrownBy(
              () -> PROCEDURE.measure(new StorePath(store, "a"), BASE, "m", Optional.of(down)))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_SLICE_FUNCTION_FAILED")
          .hasMessageContaining("connection refused");
    }
  }
}
