package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.FunctionPlanner;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call of the slice function names at most 65,536 runs: what needs more is not asked of it. */
@Timeout(60)
class ManyRunsTest {
  private static final int LENGTH = 400_000;

  private final MemoryObjectStore memory = new MemoryObjectStore("runs");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @AfterEach
  void close() {
    store.close();
  }

  private static Hyperslab everySecond(long start, long count) {
    return Hyperslab.of(new IndexRange(start, start + 2 * count, 2));
  }

  /**
   * Reads some boxes of one chunk together, all of them rightly.
   *
   * @param maxAnswer bytes of an answer
   * @return the number of calls, none of which failed
   */
  private long calls(long maxAnswer, Hyperslab... boxes) {
    ZarrArray array =
        HyperslabReaderTest.store(
            new StorePath(store, "a"), Shape.of(LENGTH), Shape.of(LENGTH), null, Compression.NONE);
    store.clear();
    StoreProfile wan = StoreProfiles.of("s3.wan");
    FunctionProfile function = wan.function().orElseThrow();
    FunctionProfile limited =
        new FunctionProfile(
            function.speed(),
            new FunctionProfile.Answer(maxAnswer, maxAnswer, 2e6),
            function.concurrency(),
            function.maxSeconds(),
            function.prices());
    FunctionPlanner planner =
        new FunctionPlanner(new OverlapCostModel(wan.withFunction(Optional.of(limited))));
    try (RawFunction raw = new RawFunction(memory, call -> call.write(call.right()));
        HyperslabReader reader =
            new HyperslabReader(
                ReadSettings.DEFAULT.withPlanner(planner), Optional.of(raw.function(false)));
        ElementStream stream =
            reader.stream(
                Arrays.stream(boxes).map(box -> new ReadRequest(array, box)).iterator())) {
      for (Hyperslab box : List.of(boxes)) {
        assertThat(RandomZarr.comparable(stream.next()))
            .isEqualTo(
                RandomZarr.comparable(
                    HyperslabCopy.pack(HyperslabReaderTest.counted(Shape.of(LENGTH)), box)));
      }
      assertThat(reader.metrics().sliceFunctionFailures()).isZero();
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(raw.calls());
      assertThat(store.requests(StoreOperation.GET)).hasSize(raw.calls() == 0 ? 1 : 0);
      return raw.calls();
    }
  }

  /** Answers slices of the store in memory, and knows the most runs that a call named. */
  private final class Together implements SliceFunction {
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger mostRuns = new AtomicInteger();

    @Override
    public int mostTogether() {
      return SliceBatch.MAX_SLICES;
    }

    @Override
    public CompletableFuture<Answer> slice(
        StorePath object, Optional<String> etag, List<ByteRuns> runs) {
      return memory
          .get(object.key(), ByteRange.WHOLE, ReadCondition.NONE)
          .thenApply(
              all -> {
                long total = runs.stream().mapToLong(ByteRuns::byteCount).sum();
                ByteBuffer out = ByteBuffer.allocate((int) total);
                for (ByteRuns part : runs) {
                  part.starts()
                      .forEachRemaining(
                          (long start) ->
                              out.put(all.bytes().slice((int) start, (int) part.runLength())));
                }
                return new Answer(out.flip(), all.etag(), all.objectSize());
              });
    }

    @Override
    public CompletableFuture<List<Optional<Answer>>> sliceAll(List<Slice> slices) {
      calls.incrementAndGet();
      mostRuns.accumulateAndGet(
          slices.stream().mapToInt(slice -> slice.runs().size()).sum(), Math::max);
      List<CompletableFuture<Answer>> each = slices.stream().map(this::slice).toList();
      return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
          .thenApply(ignored -> each.stream().map(one -> Optional.of(one.join())).toList());
    }
  }

  /** A request has at most 4 MiB, so however many slices share it they name no more than one. */
  @Test
  void slicesShareCallsAsLongAsTheirRunsFit() {
    int chunks = 64;
    int runs = 5_000;
    int chunk = 4 * runs + 10;
    Shape shape = Shape.of(chunks * (long) chunk);
    ZarrArray array =
        HyperslabReaderTest.store(
            new StorePath(store, "b"), shape, Shape.of(chunk), null, Compression.NONE);
    store.clear();
    List<ReadRequest> boxes = new ArrayList<>();
    for (long i = 0; i < chunks; i++) {
      boxes.add(new ReadRequest(array, everySecond(i * chunk, runs)));
      boxes.add(new ReadRequest(array, everySecond(i * chunk + 2L * runs + 5, runs)));
    }
    Together function = new Together();
    try (HyperslabReader reader =
            new HyperslabReader(FunctionReading.settings(), Optional.of(function));
        ElementStream stream = reader.stream(boxes.iterator())) {
      FixedWidthElements all = HyperslabReaderTest.counted(shape);
      for (ReadRequest box : boxes) {
        assertThat(RandomZarr.comparable(stream.next()))
            .isEqualTo(RandomZarr.comparable(HyperslabCopy.pack(all, box.hyperslab())));
      }
    }
    assertThat(store.requests(StoreOperation.GET)).isEmpty();
    assertThat(function.mostRuns.get()).isBetween(2 * 2 * runs, SliceRequest.MAX_PARTS);
    assertThat(function.calls.get()).isBetween(8, 12);
  }

  @Test
  void regularRunsAreNamedAtOnceHoweverMany() {
    assertThat(calls(1 << 20, everySecond(1, 199_999))).isEqualTo(1);
  }

  @Test
  void twoBoxesAreNamedRunByRun() {
    assertThat(calls(1 << 20, everySecond(0, 32_768), everySecond(200_000, 32_768))).isEqualTo(1);
    assertThat(calls(1 << 20, everySecond(0, 32_768), everySecond(200_000, 32_769))).isZero();
  }

  @Test
  void soAreSharesOfOneBox() {
    assertThat(calls(240_000, everySecond(0, 120_000))).isEqualTo(2);
    assertThat(calls(264_000, everySecond(0, 132_000))).isZero();
  }
}
