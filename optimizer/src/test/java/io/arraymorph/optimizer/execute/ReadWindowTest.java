package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An object that two batches read at once is held twice, and takes room twice. */
@Timeout(60)
class ReadWindowTest {
  private static final Shape SHAPE = Shape.of(128, 64);
  private static final long CHUNK_BYTES = 64 * 64 * 4;

  @Test
  void eachBatchTakesRoomForTheObjectsItReads() {
    ReadWindow window =
        new ReadWindow(ReadSettings.DEFAULT.withWindow(64, 1000).withDecodeThreads(1));
    ReadWindow.Room first = new ReadWindow.Room(600);
    assertThat(window.admit(400, first)).isTrue();
    assertThat(window.admit(400, first)).as("200 more").isTrue();
    assertThat(window.admit(400, first)).as("nothing more").isTrue();
    ReadWindow.Room second = new ReadWindow.Room(600);
    assertThat(window.admit(400, second)).as("400 more").isTrue();
    assertThat(window.admit(400, second)).as("200 more, of which there are none").isFalse();
    window.ended(400, first);
    window.ended(400, first);
    assertThat(window.admit(400, second)).as("200 were given back").isTrue();
  }

  /** Far away; answers for the second object when the test says so. */
  private static final class HeldStore extends ForwardingObjectStore {
    private final AtomicInteger asked = new AtomicInteger();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    HeldStore() {
      super(new MemoryObjectStore("t"));
    }

    @Override
    public String uri() {
      return "s3://t";
    }

    @Override
    public CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      if (key.endsWith("c/0/0")) {
        return super.get(key, range, condition);
      }
      asked.incrementAndGet();
      return released.thenCompose(ignored -> super.get(key, range, condition));
    }
  }

  /**
   * Two boxes of the first chunk and four of the second, at most four under way: when the first
   * have been read, there is room for another batch if its bytes are.
   *
   * @return how often the second chunk is asked for before it comes
   */
  private static int heldAtOnce(long windowBytes) throws InterruptedException {
    HeldStore store = new HeldStore();
    ZarrArray array =
        HyperslabReaderTest.store(
            new StorePath(store, "a"), SHAPE, Shape.of(64, 64), null, Compression.parse("zstd:1"));
    List<ReadRequest> boxes =
        IntStream.range(0, 6)
            .mapToObj(
                i ->
                    new ReadRequest(
                        array,
                        Hyperslab.of(
                            IndexRange.of(i < 2 ? i : 64 + i, i < 2 ? i + 1 : 65 + i),
                            IndexRange.of(0, 8))))
            .toList();
    ReadSettings settings =
        ReadSettings.DEFAULT.withWindow(4, windowBytes).withCaches(0, 0).withDecodeThreads(1);
    try (HyperslabReader reader = new HyperslabReader(settings);
        ElementStream stream = reader.stream(boxes.iterator())) {
      CompletableFuture<Void> read =
          CompletableFuture.runAsync(
              () -> {
                for (ReadRequest box : boxes) {
                  assertThat(RandomZarr.comparable(stream.next()))
                      .isEqualTo(
                          RandomZarr.comparable(
                              HyperslabCopy.pack(
                                  HyperslabReaderTest.counted(SHAPE), box.hyperslab())));
                }
              });
      int asked = 0;
      for (int quiet = 0; quiet < 20; quiet++) {
        TimeUnit.MILLISECONDS.sleep(10);
        quiet = asked == 0 || store.asked.get() > asked ? 0 : quiet;
        asked = store.asked.get();
      }
      store.released.complete(null);
      read.join();
      return asked;
    }
  }

  @Test
  void anObjectIsHeldTwiceOnlyIfTheWindowHasRoomForBoth() throws InterruptedException {
    // An object fetched and decoded counts twice its decoded bytes.
    assertThat(heldAtOnce(2 * CHUNK_BYTES)).isEqualTo(1);
    assertThat(heldAtOnce(4 * CHUNK_BYTES - 100)).isEqualTo(1);
    assertThat(heldAtOnce(5 * CHUNK_BYTES)).isEqualTo(2);
  }
}
