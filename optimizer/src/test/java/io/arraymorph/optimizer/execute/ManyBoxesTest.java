package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Many boxes of few objects: each object is fetched once, whatever the window holds. */
class ManyBoxesTest {
  private static final Shape SHAPE = Shape.of(1024, 512);
  private static final int OBJECTS = 2;

  private final RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("t"));

  private ZarrArray stored(Shape chunk, Shape shard) {
    ZarrArray array =
        HyperslabReaderTest.store(
            new StorePath(store, "a"), SHAPE, chunk, shard, Compression.parse("zstd"));
    store.clear();
    return array;
  }

  /** Boxes of 5 x 5, of which {@code distinct} differ. */
  private static List<ReadRequest> boxes(ZarrArray array, int count, int distinct) {
    List<ReadRequest> boxes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Random random = new Random(i % distinct);
      long y = i % 2 == 0 ? random.nextInt(507) : 512 + random.nextInt(507);
      long x = random.nextInt(507);
      boxes.add(
          new ReadRequest(array, Hyperslab.of(IndexRange.of(y, y + 5), IndexRange.of(x, x + 5))));
    }
    return boxes;
  }

  private void assertReads(HyperslabReader reader, List<ReadRequest> boxes) {
    int read = 0;
    try (ElementStream stream = reader.stream(boxes.iterator())) {
      for (; stream.hasNext(); read++) {
        assertThat(RandomZarr.comparable(stream.next()))
            .isEqualTo(
                RandomZarr.comparable(
                    HyperslabCopy.pack(
                        HyperslabReaderTest.counted(SHAPE), boxes.get(read).hyperslab())));
      }
    }
    assertThat(read).isEqualTo(boxes.size());
  }

  /** Each of them alone would take a chunk's room, for all of which there is none. */
  @Test
  void boxesOfOneChunkTakeItsRoomOnce() {
    ZarrArray array = stored(Shape.of(512, 512), null);
    ReadSettings settings = ReadSettings.DEFAULT.withWindow(512, 6 << 20).withCaches(0, 0);
    try (HyperslabReader reader = new HyperslabReader(settings)) {
      assertReads(reader, boxes(array, 60, 60));
    }
    assertThat(store.count(StoreOperation.GET)).isEqualTo(OBJECTS);
  }

  @Test
  void laterBatchesTakeWholeShardsFromMemory() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(512, 512));
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(FixedPlanner.GET).withWindow(8, 64 << 20);
    try (HyperslabReader reader = new HyperslabReader(settings)) {
      assertReads(reader, boxes(array, 80, 4));
      assertThat(reader.metrics().cacheHits()).isPositive();
      assertThat(reader.metrics().estimatedSeconds()).isPositive();
    }
    assertThat(store.count(StoreOperation.GET)).isEqualTo(OBJECTS);
  }
}
