package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.FaultyObjectStore.Effect;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nothing that a store does makes wrong elements, a hang or a leak. */
@Timeout(60)
class ReadFaultsTest {
  private static final Shape SHAPE = Shape.of(32, 32);

  private final RecordingObjectStore recording =
      new RecordingObjectStore(new MemoryObjectStore("t"));
  private final FaultyObjectStore store = new FaultyObjectStore(recording);
  private final HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT);

  @AfterEach
  void close() {
    reader.close();
    store.close();
  }

  private ZarrArray stored(Compression codec) {
    return HyperslabReaderTest.store(new StorePath(store, "a"), SHAPE, Shape.of(8, 8), null, codec);
  }

  /** The same array seen through another store. */
  private static ZarrArray at(ObjectStore other, ZarrArray array) {
    return ZarrArray.of(
        new StorePath(other, "a"),
        new ZarrArraySpec(
            array.schema().dataType(),
            SHAPE,
            Shape.of(8, 8),
            Optional.empty(),
            Compression.parse(array.compressionText()),
            array.schema().fill(),
            array.schema().dimensionNames(),
            array.attributes()));
  }

  private static Hyperslab rows(long from, long to) {
    return Hyperslab.of(IndexRange.of(from, to), IndexRange.of(0, 32));
  }

  private static void assertFails(ErrorCode code, ThrowingCallable read, String... texts) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            ArrayMorphException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(texts);
  }

  @Test
  void refusedAndFailingRequestsAreNeverFillValues() {
    ZarrArray array = stored(Compression.NONE);
    store.inject(StoreOperation.GET, "c/1/2", new Effect.Fail(Kind.DENIED), 1);
    assertFails(ErrorCode.ACCESS_DENIED, () -> reader.read(array, rows(0, 32)), "a/c/1/2");
    store.inject(StoreOperation.GET, "c/1/2", new Effect.Fail(Kind.UNAVAILABLE), 1);
    assertFails(ErrorCode.STORE_UNAVAILABLE, () -> reader.read(array, rows(0, 32)), "a/c/1/2");
    HyperslabReaderTest.assertReads(reader, array, rows(0, 32));
  }

  @Test
  void transientFailuresAreRetriedByTheStoreAndCounted() {
    ZarrArray array = stored(Compression.ZSTD);
    RetryPolicy quick = RetryPolicy.DEFAULT.withFirstPause(Duration.ofMillis(1));
    RetryingObjectStore retrying = new RetryingObjectStore(store, quick);
    ZarrArray same = at(retrying, array);
    store.inject(StoreOperation.GET, "c/1/2", new Effect.Fail(Kind.THROTTLED), 2);
    store.inject(StoreOperation.GET, "c/2/2", new Effect.LoseAnswer(), 1);
    HyperslabReaderTest.assertReads(reader, same, rows(0, 32));
    assertThat(reader.metrics().retries()).isEqualTo(3);
    assertThat(reader.metrics().requests()).isEqualTo(16);
  }

  @Test
  void absentChunksFailIfAskedTo() {
    ZarrArray array = stored(Compression.NONE);
    store.delete("a/c/0/3", WriteCondition.NONE).join();
    try (HyperslabReader strict =
        new HyperslabReader(ReadSettings.DEFAULT.withMissing(MissingChunk.ERROR))) {
      HyperslabReaderTest.assertReads(strict, array, rows(8, 16));
      assertFails(
          ErrorCode.CHUNK_MISSING,
          () -> strict.read(array, rows(0, 8)),
          "chunk c/0/3 of memory://t/a does not exist",
          "missing=fill");
    }
  }

  @Test
  void whatIsNoFaultOfTheDataIsNotCalledCorrupt() {
    ZarrArray array = stored(Compression.ZSTD);
    for (Error error :
        List.of(new StackOverflowError(), new AssertionError("odd"), new LinkageError("codec"))) {
      ObjectStore broken =
          new ForwardingObjectStore(store) {
            @Override
            public CompletableFuture<ObjectBytes> get(
                String key, ByteRange range, ReadCondition condition) {
              return CompletableFuture.failedFuture(error);
            }
          };
      ZarrArray same = at(broken, array);
      assertFails(
          ErrorCode.INTERNAL_ERROR,
          () -> reader.read(same, rows(16, 24)),
          "of memory://t/a was not read because of " + error);
      assertThatThrownBy(() -> reader.read(same, rows(16, 24))).hasCause(error);
    }
    HyperslabReaderTest.assertReads(reader, array, rows(16, 24));
  }

  @Test
  void damagedChunksAreNamed() {
    ZarrArray array = stored(Compression.ZSTD);
    store.inject(StoreOperation.GET, "c/2/1", new Effect.Corrupt(), 1);
    assertFails(
        ErrorCode.CHUNK_CORRUPT,
        () -> reader.read(array, rows(16, 24)),
        "chunk c/2/1 of memory://t/a: ");
  }

  @Test
  void chunksOfTheWrongLengthAreCorrupt() {
    ZarrArray array = stored(Compression.NONE);
    RandomZarr.put(new StorePath(store, "a/c/0/0"), new byte[100]);
    RandomZarr.put(new StorePath(store, "a/c/1/0"), new byte[8 * 8 * 4 + 1]);
    RandomZarr.put(new StorePath(store, "a/c/2/0"), new byte[0]);
    for (long row : new long[] {0, 7, 8, 16}) {
      for (FixedPlanner planner : FixedPlanner.values()) {
        try (HyperslabReader forced =
            new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
          assertFails(
              ErrorCode.CHUNK_CORRUPT,
              () -> forced.read(array, rows(row, row + 1)),
              "chunk c/" + row / 8 + "/0");
        }
      }
    }
  }

  @Test
  void objectsThatChangeDuringAQueryFailIt() {
    ZarrArray array = stored(Compression.NONE);
    HyperslabReaderTest.assertReads(reader, array, rows(0, 1));
    RandomZarr.put(new StorePath(store, "a/c/0/2"), new byte[8 * 8 * 4]);
    assertFails(
        ErrorCode.OBJECT_CHANGED, () -> reader.read(array, rows(1, 2)), "memory://t/a/c/0/2");
    store.delete("a/c/1/2", WriteCondition.NONE).join();
    HyperslabReaderTest.assertReads(reader, array, rows(16, 17));
    store.delete("a/c/2/2", WriteCondition.NONE).join();
    assertFails(
        ErrorCode.OBJECT_CHANGED, () -> reader.read(array, rows(17, 18)), "memory://t/a/c/2/2");
  }

  @Test
  @SuppressWarnings("try") // A task that is closed twice counts once.
  void tasksOfOneQueryThatOverlapReadOneVersion() {
    ZarrArray array = stored(Compression.NONE);
    // Each task opens its own store.
    try (FaultyObjectStore other = new FaultyObjectStore(recording)) {
      ZarrArray again = at(other, array);
      try (HyperslabReader first = task("q");
          HyperslabReader second = task("q");
          HyperslabReader another = task("r")) {
        HyperslabReaderTest.assertReads(first, array, rows(0, 1));
        RandomZarr.put(new StorePath(store, "a/c/0/2"), new byte[8 * 8 * 4]);
        first.close();
        first.close();
        assertFails(
            ErrorCode.OBJECT_CHANGED, () -> second.read(again, rows(1, 2)), "memory://t/a/c/0/2");
        another.read(again, rows(1, 2));
      }
      // Run again when no task is open, the query reads what is there.
      try (HyperslabReader later = task("q")) {
        later.read(again, rows(1, 2));
      }
    }
  }

  private static HyperslabReader task(String query) {
    return new HyperslabReader(ReadSettings.DEFAULT, Optional.empty(), query, ObjectPins.NONE);
  }

  @Test
  void versionsAreNotMixedWithinOneRead() {
    ZarrArray array = stored(Compression.NONE);
    // Two ranges of one object are sent at once, before any ETag is known; one arrives late.
    try (HyperslabReader exact =
        new HyperslabReader(ReadSettings.DEFAULT.withPlanner(FixedPlanner.RANGE))) {
      store.inject(StoreOperation.GET, "c/0/0", new Effect.Delay(Duration.ofMillis(300)), 1);
      CompletableFuture<Object> read =
          CompletableFuture.supplyAsync(
              () -> exact.read(array, Hyperslab.of(IndexRange.of(0, 2), IndexRange.of(0, 2))));
      while (recording.count(StoreOperation.GET) == 0) {
        Thread.onSpinWait();
      }
      RandomZarr.put(new StorePath(store, "a/c/0/0"), new byte[8 * 8 * 4]);
      assertThatThrownBy(read::join).hasMessageContaining("ARRAYMORPH_OBJECT_CHANGED");
    }
  }

  @Test
  void resultsBeforeAFailureAreStillGiven() {
    ZarrArray array = stored(Compression.ZSTD);
    store.inject(StoreOperation.GET, "c/2/", new Effect.Corrupt(), 1);
    List<ReadRequest> requests =
        IntStream.range(0, 4)
            .mapToObj(i -> new ReadRequest(array, rows(8L * i, 8L * i + 8)))
            .toList();
    try (ElementStream stream = reader.stream(requests.iterator())) {
      assertThat(stream.next().count()).isEqualTo(256);
      assertThat(stream.next().count()).isEqualTo(256);
      assertFails(ErrorCode.CHUNK_CORRUPT, stream::next, "c/2/");
      assertFails(ErrorCode.CANCELLED, stream::next, "was cancelled");
    }
  }

  @Test
  void anInterruptEndsTheWait() throws InterruptedException {
    ZarrArray array = stored(Compression.NONE);
    store.inject(StoreOperation.GET, "c/1/1", new Effect.Hang(), 1);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                reader.read(array, rows(0, 32));
                interrupted.complete(false);
              } catch (ArrayMorphException e) {
                interrupted.complete(
                    e.code() == ErrorCode.CANCELLED && Thread.currentThread().isInterrupted());
              }
            });
    thread.start();
    while (recording.count(StoreOperation.GET) < 15) {
      Thread.onSpinWait();
    }
    thread.interrupt();
    thread.join(TimeUnit.SECONDS.toMillis(20));
    assertThat(interrupted).isCompletedWithValue(true);
  }

  @Test
  void closingEndsTheWaitOfAnotherThreadAndAllThreads() {
    ZarrArray array = stored(Compression.ZSTD);
    store.inject(StoreOperation.GET, "c/1/1", new Effect.Hang(), 1);
    CompletableFuture<Object> read =
        CompletableFuture.supplyAsync(() -> reader.read(array, rows(0, 32)));
    while (recording.count(StoreOperation.GET) < 15) {
      Thread.onSpinWait();
    }
    reader.close();
    assertThatThrownBy(read::join).hasMessageContaining("ARRAYMORPH_CANCELLED");
    assertThatThrownBy(() -> reader.read(array, rows(0, 1)))
        .hasMessageContaining("ARRAYMORPH_CANCELLED");
    while (decodeThreads() > 0) {
      Thread.onSpinWait();
    }
  }

  private static long decodeThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().startsWith("arraymorph-decode"))
        .count();
  }

  @Test
  void aStreamThatIsClosedEarlyDoesNotHarmOthersOfItsReader() {
    ZarrArray array = stored(Compression.ZSTD);
    store.inject(StoreOperation.GET, "c/", new Effect.Delay(Duration.ofMillis(100)), 16);
    List<ReadRequest> requests =
        List.of(new ReadRequest(array, rows(1, 2)), new ReadRequest(array, rows(9, 10)));
    try (ElementStream second = reader.stream(requests.iterator())) {
      ElementStream first = reader.stream(requests.iterator());
      CompletableFuture<Object> taken = CompletableFuture.supplyAsync(first::next);
      first.close();
      assertThat(second.next().count()).isEqualTo(32);
      assertThat(second.next().count()).isEqualTo(32);
      assertThat(taken.handle((value, failure) -> true).join()).isTrue();
    }
  }

  @Test
  void readsAheadWithinItsBoundsOnly() {
    ZarrArray array = stored(Compression.NONE);
    CapturingStore counting = new CapturingStore(store, new ArrayList<>());
    List<ReadRequest> requests = new ArrayList<>();
    ZarrArray same = at(counting, array);
    for (int i = 0; i < 32; i++) {
      requests.add(new ReadRequest(same, rows(i, i + 1)));
    }
    ReadSettings narrow = ReadSettings.DEFAULT.withConcurrency(3).withWindow(8, 1 << 20);
    try (HyperslabReader bounded = new HyperslabReader(narrow);
        ElementStream stream = bounded.stream(requests.iterator())) {
      assertThat(stream.next().count()).isEqualTo(32);
      assertThat(bounded.metrics().requests()).isLessThanOrEqualTo(8 * 4);
      stream.forEachRemaining(row -> assertThat(row.count()).isEqualTo(32));
      assertThat(bounded.metrics().chunks()).isEqualTo(32 * 4);
    }
    assertThat(counting.mostUnderWay()).isLessThanOrEqualTo(3);
  }
}
