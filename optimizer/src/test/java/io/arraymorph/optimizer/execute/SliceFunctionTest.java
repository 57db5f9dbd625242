package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.FunctionPlanner;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads by a slice function that runs in this process, beside the store it reads. */
class SliceFunctionTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final Shape SHAPE = Shape.of(96, 80);
  private static final Shape CHUNK = Shape.of(32, 40);

  private final MemoryObjectStore memory = new MemoryObjectStore("sliced");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);
  private final AtomicInteger calls = new AtomicInteger();

  @AfterEach
  void close() {
    store.close();
  }

  private ZarrArray array() {
    ZarrArray array =
        ZarrArray.of(
            new StorePath(store, "a"),
            new ZarrArraySpec(
                INT32,
                SHAPE,
                CHUNK,
                Optional.empty(),
                Compression.NONE,
                ZarrArraySpec.defaultFill(INT32),
                List.of("y", "x"),
                JsonNodeFactory.instance.objectNode()));
    for (long i = 0; i < 3; i++) {
      for (long j = 0; j < 2; j++) {
        ByteBuffer bytes = ByteBuffer.allocate(32 * 40 * 4).order(ByteOrder.LITTLE_ENDIAN);
        for (int y = 0; y < 32; y++) {
          for (int x = 0; x < 40; x++) {
            bytes.putInt((int) ((i * 32 + y) * 80 + j * 40 + x));
          }
        }
        String key = array.chunkObject(ChunkCoordinates.of(i, j)).key();
        memory.put(key, bytes.flip(), WriteCondition.NONE).join();
      }
    }
    return array;
  }

  /** Answers as a function should. */
  private CompletableFuture<SliceFunction.Answer> answer(
      StorePath object, Optional<String> etag, List<ByteRuns> runs) {
    calls.incrementAndGet();
    ReadCondition condition = etag.map(ReadCondition::ifMatch).orElse(ReadCondition.NONE);
    return memory
        .get(object.key(), ByteRange.WHOLE, condition)
        .thenApply(
            (ObjectBytes all) -> {
              long total = runs.stream().mapToLong(ByteRuns::byteCount).sum();
              ByteBuffer out = ByteBuffer.allocate((int) total);
              for (ByteRuns part : runs) {
                for (PrimitiveIterator.OfLong it = part.starts(); it.hasNext(); ) {
                  out.put(all.bytes().slice((int) it.nextLong(), (int) part.runLength()));
                }
              }
              return new SliceFunction.Answer(out.flip(), all.etag(), all.objectSize());
            });
  }

  private static ReadSettings functionOnly(long maxAnswer) {
    StoreProfile wan = StoreProfiles.of("s3.wan");
    FunctionProfile function = wan.function().orElseThrow();
    FunctionProfile limited =
        new FunctionProfile(
            function.speed(),
            new FunctionProfile.Answer(maxAnswer, 6_000_000, 2e6),
            function.concurrency(),
            function.maxSeconds(),
            function.prices());
    return ReadSettings.DEFAULT.withPlanner(
        new FunctionPlanner(new OverlapCostModel(wan.withFunction(Optional.of(limited)))));
  }

  private static void check(FixedWidthElements elements, Hyperslab slab) {
    ByteBuffer bytes =
        ByteBuffer.wrap(elements.bytes(), elements.offset(), (int) elements.byteSize())
            .order(ByteOrder.LITTLE_ENDIAN);
    for (long y = slab.range(0).start(); y < slab.range(0).stop(); y += slab.range(0).stride()) {
      for (long x = slab.range(1).start(); x < slab.range(1).stop(); x += slab.range(1).stride()) {
        assertThat(bytes.getInt()).isEqualTo((int) (y * 80 + x));
      }
    }
    assertThat(bytes.hasRemaining()).isFalse();
  }

  private static final Hyperslab COLUMNS =
      Hyperslab.of(IndexRange.of(0, 96), new IndexRange(35, 78, 3));

  @Test
  void oneCallAChunkMovesOnlyWhatIsNeeded() {
    ZarrArray array = array();
    store.clear();
    try (HyperslabReader reader =
        new HyperslabReader(functionOnly(1 << 20), Optional.of(this::answer))) {
      check((FixedWidthElements) reader.read(array, COLUMNS), COLUMNS);
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(6);
      assertThat(reader.metrics().bytesRead()).isEqualTo(COLUMNS.elementCount() * 4);
    }
    assertThat(calls).hasValue(6);
    assertThat(store.requests(StoreOperation.GET)).isEmpty();
  }

  @Test
  void answersAboveTheLimitTakeSeveralCalls() {
    ZarrArray array = array();
    try (HyperslabReader reader =
        new HyperslabReader(functionOnly(1000), Optional.of(this::answer))) {
      check((FixedWidthElements) reader.read(array, COLUMNS), COLUMNS);
    }
    // 2 columns of 32 rows to the left of the edge, 13 to the right: 256 and 1664 bytes.
    assertThat(calls).hasValue(3 + 3 * 2);
  }

  @Test
  void whateverTheFunctionDoesTheValuesAreRight() {
    ZarrArray array = array();
    SliceFunction down =
        (object, etag, runs) -> CompletableFuture.failedFuture(new IllegalStateException("down"));
    SliceFunction throwing =
        (object, etag, runs) -> {
          throw new IllegalStateException("broken");
        };
    SliceFunction shortAnswer =
        (object, etag, runs) ->
            answer(object, etag, runs)
                .thenApply(
                    a ->
                        new SliceFunction.Answer(
                            a.bytes().slice(0, a.bytes().remaining() - 1),
                            a.etag(),
                            a.objectBytes()));
    for (SliceFunction function : List.of(down, throwing, shortAnswer)) {
      store.clear();
      try (HyperslabReader reader =
          new HyperslabReader(functionOnly(1 << 20), Optional.of(function))) {
        check((FixedWidthElements) reader.read(array, COLUMNS), COLUMNS);
      }
      assertThat(store.requests(StoreOperation.GET)).isNotEmpty();
    }
  }

  @Test
  void anAbsentObjectIsFillValue() {
    ZarrArray array = array();
    memory.delete(array.chunkObject(ChunkCoordinates.of(0, 0)).key(), WriteCondition.NONE).join();
    Hyperslab box = Hyperslab.of(IndexRange.of(3, 4), IndexRange.of(3, 7));
    try (HyperslabReader reader =
        new HyperslabReader(functionOnly(1 << 20), Optional.of(this::answer))) {
      FixedWidthElements elements = (FixedWidthElements) reader.read(array, box);
      assertThat(ByteBuffer.wrap(elements.bytes(), elements.offset(), 16))
          .isEqualTo(ByteBuffer.allocate(16));
    }
  }

  @Test
  void anObjectThatChangedFailsTheRead() {
    ZarrArray array = array();
    SliceFunction changing =
        (object, etag, runs) -> {
          String version = "version " + calls.get();
          return answer(object, etag, runs)
              .thenApply(a -> new SliceFunction.Answer(a.bytes(), version, a.objectBytes()));
        };
    try (HyperslabReader reader = new HyperslabReader(functionOnly(1000), Optional.of(changing))) {
      assertThatThrownBy(() -> reader.read(array, COLUMNS))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_OBJECT_CHANGED");
    }
  }

  @Test
  void severalFailuresInARowPauseTheCalls() {
    AtomicLong now = new AtomicLong();
    AtomicInteger sent = new AtomicInteger();
    FunctionCalls calls =
        new FunctionCalls(this::answer, new CircuitBreaker(now::get), 4, new ReadMetrics());
    for (int i = 0; i < 5; i++) {
      assertThat(calls.isAvailable()).isTrue();
      assertThat(call(calls, sent)).isCompletedExceptionally();
    }
    assertThat(calls.isAvailable()).isFalse();
    now.addAndGet(30_000_000_000L);
    assertThat(calls.isAvailable()).isTrue();
    assertThat(call(calls, sent)).isCompletedExceptionally();
    assertThat(calls.isAvailable()).isFalse();
    assertThat(sent).hasValue(6);
  }

  private static CompletableFuture<SliceFunction.Answer> call(
      FunctionCalls calls, AtomicInteger sent) {
    return calls.call(
        () -> {
          sent.incrementAndGet();
          return CompletableFuture.failedFuture(new IllegalStateException("down"));
        },
        1,
        Duration.ofSeconds(2));
  }

  @Test
  void absentObjectsDoNotPauseTheCalls() {
    CircuitBreaker breaker = new CircuitBreaker(System::nanoTime);
    ReadMetrics metrics = new ReadMetrics();
    FunctionCalls calls = new FunctionCalls(this::answer, breaker, 4, metrics);
    for (int i = 0; i < 20; i++) {
      assertThat(
              calls.call(
                  () ->
                      CompletableFuture.failedFuture(
                          new StoreException(StoreException.Kind.NOT_FOUND, "x", "none", null)),
                  1,
                  Duration.ofSeconds(2)))
          .isCompletedExceptionally();
    }
    assertThat(breaker.isClosed()).isTrue();
    assertThat(metrics.sliceFunctionFailures()).isZero();
  }

  @Test
  void aFunctionThatNeverAnswersIsLeftAfterItsTime() {
    ZarrArray array = array();
    CompletableFuture<SliceFunction.Answer> never = new CompletableFuture<>();
    long start = System.nanoTime();
    try (HyperslabReader reader =
        new HyperslabReader(functionOnly(1 << 20), Optional.of((object, etag, runs) -> never))) {
      check((FixedWidthElements) reader.read(array, COLUMNS), COLUMNS);
      assertThat(reader.metrics().sliceFunctionFailures()).isEqualTo(6);
    }
    assertThat(never).isCancelled();
    assertThat((System.nanoTime() - start) / 1e9).isBetween(1.9, 20.0);
  }

  @Test
  void closingAReaderAbortsItsCalls() throws InterruptedException {
    ZarrArray array = array();
    CompletableFuture<SliceFunction.Answer> never = new CompletableFuture<>();
    AtomicReference<Throwable> seen = new AtomicReference<>();
    HyperslabReader reader =
        new HyperslabReader(
            functionOnly(1 << 20),
            Optional.of(
                (object, etag, runs) -> {
                  calls.incrementAndGet();
                  return never;
                }));
    Thread consumer =
        new Thread(
            () -> {
              try {
                reader.read(array, COLUMNS);
              } catch (RuntimeException e) {
                seen.set(e);
              }
            });
    consumer.start();
    while (calls.get() == 0) {
      Thread.sleep(5);
    }
    reader.close();
    consumer.join(5000);
    assertThat(never).isCancelled();
    assertThat(seen.get()).hasMessageContaining("ARRAYMORPH_CANCELLED");
  }

  @Test
  void aRequiredFunctionThatFailsFailsTheRead() {
    ZarrArray array = array();
    SliceFunction required =
        new SliceFunction() {
          @Override
          public CompletableFuture<Answer> slice(
              StorePath object, Optional<String> etag, List<ByteRuns> runs) {
            return CompletableFuture.failedFuture(new IllegalStateException("down"));
          }

          @Override
          public boolean isRequired() {
            return true;
          }
        };
    try (HyperslabReader reader =
        new HyperslabReader(functionOnly(1 << 20), Optional.of(required))) {
      assertThatThrownBy(() -> reader.read(array, COLUMNS))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_SLICE_FUNCTION_FAILED")
          .hasMessageContaining("down");
    }
  }
}
