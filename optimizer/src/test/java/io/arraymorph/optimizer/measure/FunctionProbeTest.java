package io.arraymorph.optimizer.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.ProfileJson;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FunctionProbeTest {
  private static final StoreProfile BASE = StoreProfiles.of("s3.in-region");
  private static final FunctionProbe PROBE =
      new FunctionProbe(new StoreProbe(Duration.ofSeconds(20), 100_000_000));
  private static final long OBJECT_NANOS = 200_000;

  private final byte[] noise = new byte[1 << 20];
  private final RecordingObjectStore store =
      new RecordingObjectStore(new MemoryObjectStore("probed"));
  private final StorePath path = new StorePath(store, "a");

  @BeforeEach
  void write() {
    new Random(31).nextBytes(noise);
    store.put("a/large", ByteBuffer.wrap(noise), WriteCondition.NONE).join();
    store.put("a/small", ByteBuffer.allocate(10), WriteCondition.NONE).join();
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** Answers right, one slice after the other, each after a while. */
  private class Working implements SliceFunction {
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    private synchronized <T> CompletableFuture<T> after(long nanos, T answer) {
      CompletableFuture<T> done =
          last.thenApplyAsync(
              before -> answer, CompletableFuture.delayedExecutor(0, TimeUnit.NANOSECONDS));
      CompletableFuture<T> late =
          done.thenApply(
              value -> {
                long end = System.nanoTime() + nanos;
                while (System.nanoTime() < end) {
                  Thread.onSpinWait();
                }
                return value;
              });
      last = late;
      return late;
    }

    Answer answer(Slice slice) {
      ByteBuffer bytes = ByteBuffer.allocate((int) slice.bytes());
      boolean large = slice.object().key().endsWith("large");
      for (ByteRuns part : slice.runs()) {
        for (PrimitiveIterator.OfLong starts = part.starts(); starts.hasNext(); ) {
          int from = (int) starts.nextLong();
          bytes.put(large ? noise : new byte[10], from, (int) part.runLength());
        }
      }
      return new Answer(bytes.flip(), "v", large ? noise.length : 10);
    }

    @Override
    public CompletableFuture<Answer> slice(Slice slice) {
      return after(OBJECT_NANOS, answer(slice));
    }

    @Override
    public int mostTogether() {
      return 64;
    }

    @Override
    public CompletableFuture<List<Optional<Answer>>> sliceAll(List<Slice> slices) {
      return after(
          OBJECT_NANOS * slices.size(),
          slices.stream().map(slice -> Optional.of(answer(slice))).toList());
    }

    @Override
    public CompletableFuture<Answer> slice(
        StorePath object, Optional<String> etag, List<ByteRuns> runs) {
      throw new UnsupportedOperationException("asked for by slice(Slice)");
    }
  }

  @Test
  void measuresWhatEachObjectTakesWithinItsBounds() {
    store.clear();
    StoreProfile profile = PROBE.measure(path, BASE, new Working());
    assertThat(store.bytesRead()).isLessThan(100_000_000);
    FunctionProfile found = profile.function().orElseThrow();
    FunctionProfile before = BASE.function().orElseThrow();
    // Never less than it takes; a busy machine may take longer.
    assertThat(found.host().objectSeconds()).isBetween(0.9 * OBJECT_NANOS / 1e9, 0.005);
    assertThat(found.answer()).isEqualTo(before.answer());
    assertThat(found.prices()).isEqualTo(before.prices());
    assertThat(found.concurrency()).isEqualTo(before.concurrency());
    assertThat(profile.transport()).isEqualTo(BASE.transport());
    assertThat(profile.provenance().text()).contains("256 objects in 8 calls");
    assertThat(ProfileJson.parse(ProfileJson.write(profile), "mine")).isEqualTo(profile);
  }

  @Test
  void aFunctionOfBeforeIsAskedForFewerObjects() {
    SliceFunction old =
        new Working() {
          @Override
          public int mostTogether() {
            return 1;
          }
        };
    assertThat(PROBE.measure(path, BASE, old).provenance().text()).contains("8 objects in 8 calls");
  }

  private void refuses(SliceFunction function, String... problem) {
    assertThatThrownBy(() -> PROBE.measure(path, BASE, function))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_SLICE_FUNCTION_FAILED")
        .hasMessageContainingAll(problem);
  }

  @Test
  void aFunctionThatIsDownIsACodedError() {
    refuses(
        (object, etag, runs) ->
            CompletableFuture.failedFuture(new IllegalStateException("connection refused")),
        "connection refused");
  }

  @Test
  void aFunctionThatAnswersOtherBytesIsACodedError() {
    refuses(
        new Working() {
          @Override
          Answer answer(Slice slice) {
            Answer right = super.answer(slice);
            right.bytes().put(0, (byte) (right.bytes().get(0) + 1));
            return right;
          }
        },
        "other bytes than the store");
  }

  @Test
  void aFunctionThatAnswersTooLittleIsACodedError() {
    refuses(
        new Working() {
          @Override
          Answer answer(Slice slice) {
            Answer right = super.answer(slice);
            return new Answer(right.bytes().slice(0, 0), right.etag(), right.objectBytes());
          }
        },
        "answered 0 bytes for");
  }

  @Test
  void aFunctionThatFindsNothingInAnAnswerForManyIsACodedError() {
    refuses(
        new Working() {
          @Override
          public CompletableFuture<List<Optional<Answer>>> sliceAll(List<Slice> slices) {
            return CompletableFuture.completedFuture(
                slices.stream().map(slice -> Optional.<Answer>empty()).toList());
          }
        },
        "did not find");
  }

  @Test
  void aFunctionThatNeverAnswersEndsWithTheTime() {
    FunctionProbe brief = new FunctionProbe(new StoreProbe(Duration.ofSeconds(1), 10_000_000));
    long start = System.nanoTime();
    assertThatThrownBy(
            () -> brief.measure(path, BASE, (object, etag, runs) -> new CompletableFuture<>()))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_SLICE_FUNCTION_FAILED");
    assertThat((System.nanoTime() - start) / 1e9).isLessThan(10);
  }

  @Test
  void aStoreWithoutFunctionsIsACodedError() {
    StoreProfile none = BASE.withFunction(Optional.empty());
    assertThatThrownBy(() -> PROBE.measure(path, none, new Working()))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_INVALID_OPTION");
  }
}
