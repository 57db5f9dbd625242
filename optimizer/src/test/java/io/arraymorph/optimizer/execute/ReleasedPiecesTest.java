package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What was delivered and consumed is held by nobody, while the rest of its batch is still on its
 * way: weighed by the buffers of answers that can be reached.
 */
@Timeout(60)
class ReleasedPiecesTest {
  private static final int OBJECTS = 8;
  private static final int ROWS = 64;
  private static final Shape SHAPE = Shape.of(OBJECTS * ROWS, 256);
  private static final int FIRST = 5;

  private static final Shape INNER = Shape.of(16, 64);

  /**
   * How the rows of one object are stored and read.
   *
   * @param inner the shape of inner chunks, null for a plain chunk
   */
  private record Layout(String name, Shape inner, String codec, AccessPlanner planner) {}

  private static final List<Layout> LAYOUTS =
      List.of(
          new Layout("raw chunks by ranges", null, "none", FixedPlanner.RANGE),
          new Layout("raw chunks whole", null, "none", FixedPlanner.GET),
          new Layout("compressed chunks", null, "zstd:1", FixedPlanner.RANGE),
          new Layout("shards whole", INNER, "zstd:1", FixedPlanner.GET),
          new Layout("shards by ranges", INNER, "zstd:1", FixedPlanner.RANGE),
          new Layout("raw shards by ranges", INNER, "none", FixedPlanner.RANGE));

  /** Answers some objects at once, the others when the test says so, in new buffers. */
  private static final class HeldStore extends ForwardingObjectStore {
    private final List<WeakReference<byte[]>> answers =
        Collections.synchronizedList(new ArrayList<>());
    private final List<CompletableFuture<ObjectBytes>> held =
        Collections.synchronizedList(new ArrayList<>());
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private final IntPredicate answered;

    /**
     * @param answered the objects whose answers come at once, by number
     */
    HeldStore(IntPredicate answered) {
      super(new MemoryObjectStore("t"));
      this.answered = answered;
    }

    private static int number(String key) {
      return Integer.parseInt(key.split("/")[2]);
    }

    @Override
    public CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      if (answered.test(number(key)) || released.isDone()) {
        return super.get(key, range, condition).thenApply(this::remembered);
      }
      CompletableFuture<ObjectBytes> later =
          released
              .thenCompose(ignored -> super.get(key, range, condition))
              .thenApply(this::remembered);
      held.add(later);
      return later;
    }

    /** Waits until so many objects, or parts of them, were asked for in vain. */
    void awaitHeld(int count) throws InterruptedException {
      while (held.size() < count) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }

    /** Answers what was held; nothing here holds the answers. */
    void release() {
      held.clear();
      released.complete(null);
    }

    private ObjectBytes remembered(ObjectBytes answer) {
      byte[] copy = new byte[answer.bytes().remaining()];
      answer.bytes().duplicate().get(copy);
      answers.add(new WeakReference<>(copy));
      return new ObjectBytes(
          ByteBuffer.wrap(copy), answer.start(), answer.objectSize(), answer.etag());
    }

    /** Bytes of answers that somebody can reach, when there are at most so many. */
    long reachable(long most) throws InterruptedException {
      long bytes = Long.MAX_VALUE;
      for (int i = 0; i < 200 && bytes > most; i++) {
        System.gc();
        bytes = 0;
        for (WeakReference<byte[]> answer : List.copyOf(answers)) {
          byte[] alive = answer.get();
          bytes += alive == null ? 0 : alive.length;
        }
        TimeUnit.MILLISECONDS.sleep(i == 0 ? 0 : 10);
      }
      return bytes;
    }
  }

  private static ZarrArray stored(Layout layout, HeldStore store) {
    Shape object = Shape.of(ROWS, SHAPE.length(1));
    return HyperslabReaderTest.store(
        new StorePath(store, "a"),
        SHAPE,
        layout.inner == null ? object : layout.inner,
        layout.inner == null ? null : object,
        Compression.parse(layout.codec));
  }

  /** A part of one object. */
  private static Hyperslab box(int object) {
    return Hyperslab.of(
        IndexRange.of((long) ROWS * object + 3, (long) ROWS * object + 60), IndexRange.of(5, 200));
  }

  private static ElementStream stream(HyperslabReader reader, ZarrArray array) {
    return reader.stream(
        IntStream.range(0, OBJECTS).mapToObj(i -> new ReadRequest(array, box(i))).iterator());
  }

  /** Indexes are kept, but no decoded chunk: that is what a cache is for. */
  private static HyperslabReader reader(Layout layout) {
    return new HyperslabReader(
        ReadSettings.DEFAULT.withPlanner(layout.planner).withCaches(0, 1 << 20));
  }

  /** Elements that nobody keeps. */
  private static void consume(ElementStream stream, int object) {
    assertThat(RandomZarr.comparable(stream.next()))
        .isEqualTo(
            RandomZarr.comparable(
                HyperslabCopy.pack(HyperslabReaderTest.counted(SHAPE), box(object))));
  }

  @Test
  void deliveredPiecesHoldNothingWhileOthersOfTheirBatchAreWaitedFor() throws Exception {
    for (Layout layout : LAYOUTS) {
      HeldStore store = new HeldStore(object -> object < FIRST);
      ZarrArray array = stored(layout, store);
      try (HyperslabReader reader = reader(layout);
          ElementStream stream = stream(reader, array)) {
        for (int i = 0; i < FIRST; i++) {
          consume(stream, i);
        }
        store.awaitHeld(OBJECTS - FIRST); // They are of the same batch.
        assertThat(store.answers).as(layout.name()).hasSizeGreaterThanOrEqualTo(FIRST);
        assertThat(store.reachable(0)).as(layout.name()).isZero();
        store.release();
        for (int i = FIRST; i < OBJECTS; i++) {
          consume(stream, i);
        }
        assertThat(stream.hasNext()).isFalse();
        assertThat(store.reachable(0)).as(layout.name()).isZero();
      }
    }
  }

  /** What is ahead of the consumer is decoded and in its place; only that is held. */
  @Test
  void deliveredPiecesHoldNothingWhileAnEarlierOneIsWaitedFor() throws Exception {
    for (Layout layout : LAYOUTS) {
      HeldStore store = new HeldStore(object -> object > 0);
      ZarrArray array = stored(layout, store);
      try (HyperslabReader reader = reader(layout);
          ElementStream stream = stream(reader, array)) {
        CompletableFuture<Void> consumer =
            CompletableFuture.runAsync(
                () -> {
                  for (int i = 0; i < OBJECTS; i++) {
                    consume(stream, i);
                  }
                });
        while (reader.metrics().chunks() < OBJECTS - 1) {
          TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(store.reachable(0)).as(layout.name()).isZero();
        store.release();
        consumer.join();
      }
    }
  }

  @Test
  void aReaderThatIsClosedHalfWayHoldsNothing() throws Exception {
    for (Layout layout : LAYOUTS) {
      HeldStore store = new HeldStore(object -> object < FIRST);
      ZarrArray array = stored(layout, store);
      HyperslabReader reader = reader(layout);
      ElementStream stream = stream(reader, array);
      consume(stream, 0);
      store.awaitHeld(OBJECTS - FIRST); // What was asked for before may have come.
      reader.close();
      assertThat(store.held)
          .as(layout.name())
          .allSatisfy(answer -> assertThat(answer).isCancelled());
      store.release();
      WeakReference<ElementStream> closed = new WeakReference<>(stream);
      stream = null;
      assertThat(store.reachable(0)).as(layout.name()).isZero();
      assertThat(closed.get()).as(layout.name() + ": " + reader.metrics()).isNull();
    }
  }
}
