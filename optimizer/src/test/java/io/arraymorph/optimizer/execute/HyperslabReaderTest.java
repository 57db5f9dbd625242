package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Exact requests and bytes of reads. */
class HyperslabReaderTest {
  private static final DataType INT32 = new DataType.Int(32, true);

  private final RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("t"));
  private final HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT);

  /** Small shards are best read whole; this one always reads their inner chunks. */
  private final HyperslabReader gaps =
      new HyperslabReader(ReadSettings.DEFAULT.withPlanner(GapPlanner.DEFAULT));

  @AfterEach
  void close() {
    reader.close();
    gaps.close();
    store.close();
  }

  /** Stores an int32 array whose element {@code i} in C order is {@code i}. */
  static ZarrArray store(StorePath path, Shape shape, Shape chunk, Shape shard, Compression codec) {
    ZarrArray array =
        ZarrArray.of(
            path,
            new ZarrArraySpec(
                INT32,
                shape,
                chunk,
                Optional.ofNullable(shard),
                codec,
                ZarrArraySpec.parseFill("-1", INT32),
                IntStream.range(0, shape.rank()).mapToObj(d -> "d" + d).toList(),
                JsonNodeFactory.instance.objectNode()));
    FixedWidthElements all = counted(shape);
    for (ChunkSelection part : ChunkSelections.of(array.grid(), Hyperslab.all(shape))) {
      Shape chunkShape = array.grid().chunkShape(part.chunk());
      byte[] bytes = new byte[(int) chunkShape.elementCount() * 4];
      FixedWidthElements box = (FixedWidthElements) HyperslabCopy.pack(all, part.absolute());
      HyperslabCopy.place(box.bytes(), box.offset(), bytes, 0, chunkShape, part.within(), 4);
      RandomZarr.put(
          array.chunkObject(part.chunk()),
          array.pipeline(chunkShape).encode(new FixedWidthElements(INT32, chunkShape, bytes, 0)));
    }
    return array;
  }

  static FixedWidthElements counted(Shape shape) {
    ByteBuffer bytes =
        ByteBuffer.allocate((int) shape.elementCount() * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < shape.elementCount(); i++) {
      bytes.putInt(4 * i, i);
    }
    return new FixedWidthElements(INT32, shape, bytes.array(), 0);
  }

  private ZarrArray stored(Shape shape, Shape chunk, Shape shard, Compression codec) {
    ZarrArray array = store(new StorePath(store, "a"), shape, chunk, shard, codec);
    store.clear();
    return array;
  }

  private void assertReads(ZarrArray array, Hyperslab slab) {
    assertReads(reader, array, slab);
  }

  static void assertReads(HyperslabReader reader, ZarrArray array, Hyperslab slab) {
    assertThat(RandomZarr.comparable(reader.read(array, slab)))
        .isEqualTo(
            RandomZarr.comparable(HyperslabCopy.pack(counted(array.schema().shape()), slab)));
  }

  private static Hyperslab box(long... edges) {
    IndexRange[] ranges = new IndexRange[edges.length / 2];
    for (int d = 0; d < ranges.length; d++) {
      ranges[d] = IndexRange.of(edges[2 * d], edges[2 * d + 1]);
    }
    return Hyperslab.of(ranges);
  }

  @Test
  void aSmallBoxTakesOneRangeOfEachRawChunk() {
    ZarrArray array = stored(Shape.of(1024, 1024), Shape.of(512, 512), null, Compression.NONE);
    assertReads(array, box(502, 523, 502, 523));
    assertThat(store.requests()).hasSize(4).allMatch(r -> r.range() instanceof ByteRange.Bounded);
    assertThat(store.bytesRead()).isEqualTo(77_992);
    assertThat(reader.metrics())
        .hasToString("4 chunks, 4 requests (4 ranges), 77992 bytes read for 1764 needed");
  }

  @Test
  void aWholeRawChunkIsOneRequestAndNoCopy() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(32, 32), null, Compression.NONE);
    List<byte[]> answers = new ArrayList<>();
    try (CapturingStore capturing = new CapturingStore(store, answers)) {
      ZarrArray same = ZarrArray.of(new StorePath(capturing, "a"), spec(array));
      FixedWidthElements read = (FixedWidthElements) reader.read(same, box(0, 32, 32, 64));
      assertThat(answers).hasSize(1);
      assertThat(read.bytes()).isSameAs(answers.get(0));
    }
    assertThat(store.requests())
        .containsExactly(
            new RecordingObjectStore.Request(
                StoreOperation.GET, "a/c/0/1", ByteRange.WHOLE, 4096, Optional.empty()));
  }

  private static ZarrArraySpec spec(ZarrArray array) {
    return new ZarrArraySpec(
        INT32,
        array.schema().shape(),
        array.readChunkShape(),
        Optional.empty(),
        Compression.NONE,
        array.schema().fill(),
        array.schema().dimensionNames(),
        array.attributes());
  }

  @Test
  void anIndexIsReadOnceAndNeighbouringInnerChunksInOneRange() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(8, 8), Shape.of(64, 64), Compression.ZSTD);
    assertReads(gaps, array, box(9, 15, 9, 40));
    assertThat(store.requests()).hasSize(2);
    assertThat(store.requests().get(0).range()).isEqualTo(new ByteRange.Suffix(64 * 16 + 4));
    assertThat(store.requests().get(1).range()).isInstanceOf(ByteRange.Bounded.class);
    store.clear();
    assertReads(gaps, array, box(30, 31, 0, 64));
    assertThat(store.requests()).hasSize(1);
    assertThat(gaps.metrics().cacheHits()).isEqualTo(1);
  }

  @Test
  void aShardIsReadWholeWithoutItsIndexIfMostOfItIsNeeded() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(8, 8), Shape.of(64, 64), Compression.ZSTD);
    assertReads(array, box(0, 40, 0, 64));
    assertThat(store.requests()).hasSize(1);
    assertThat(store.requests().get(0).range()).isEqualTo(ByteRange.WHOLE);
  }

  @Test
  void innerChunksOfOneShardAreReadTogetherForSeveralRequests() {
    ZarrArray array = stored(Shape.of(64, 64), Shape.of(8, 8), Shape.of(64, 64), Compression.NONE);
    List<ReadRequest> requests = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      requests.add(new ReadRequest(array, box(0, 8, 8L * i, 8L * i + 8)));
    }
    try (ElementStream stream = gaps.stream(requests.iterator())) {
      for (int i = 0; i < 8; i++) {
        FixedWidthElements piece = (FixedWidthElements) stream.next();
        assertThat(
                ByteBuffer.wrap(piece.bytes(), piece.offset(), 4)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .getInt())
            .isEqualTo(8 * i);
      }
    }
    assertThat(store.requests()).hasSize(2);
  }

  @Test
  void aChunkIsFetchedOnceForAllRequestsThatNeedIt() {
    ZarrArray array = stored(Shape.of(16, 16), Shape.of(16, 16), null, Compression.ZSTD);
    List<ReadRequest> rows = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      rows.add(new ReadRequest(array, box(i, i + 1, 0, 16)));
    }
    HyperslabReader narrow = new HyperslabReader(ReadSettings.DEFAULT.withWindow(2, 1 << 20));
    try (narrow;
        ElementStream stream = narrow.stream(rows.iterator())) {
      stream.forEachRemaining(row -> assertThat(row.count()).isEqualTo(16));
    }
    assertThat(store.requests()).hasSize(1);
    assertThat(narrow.metrics().cacheHits()).isEqualTo(15);
    assertThat(narrow.metrics().chunks()).isEqualTo(16);
  }

  @Test
  void manyBoxesTakeAtMostOneRequestForEachChunk() {
    ZarrArray array = stored(Shape.of(512, 512), Shape.of(128, 128), null, Compression.NONE);
    Random random = new Random(7);
    Selection boxes = Selection.none(2);
    for (int i = 0; i < 60; i++) {
      long row = random.nextInt(490);
      long column = random.nextInt(490);
      boxes = boxes.union(Selection.of(box(row, row + 21, column, column + 21)));
    }
    long[] elements = new long[1];
    reader.read(array, boxes, (part, packed) -> elements[0] += packed.count());
    assertThat(elements[0]).isEqualTo(boxes.elementCount());
    assertThat(store.requests()).hasSizeLessThanOrEqualTo(16);
  }

  @Test
  void absentChunksAreFillValuesAndAskedForOnce() {
    ZarrArray array = stored(Shape.of(16, 16), Shape.of(8, 8), null, Compression.NONE);
    store.delete("a/c/1/1", WriteCondition.NONE).join();
    store.clear();
    for (int i = 0; i < 2; i++) {
      FixedWidthElements read = (FixedWidthElements) reader.read(array, box(7, 9, 7, 9));
      ByteBuffer values =
          ByteBuffer.wrap(read.bytes(), read.offset(), 16).order(ByteOrder.LITTLE_ENDIAN);
      assertThat(values.getInt()).isEqualTo(7 * 16 + 7);
      assertThat(values.getInt()).isEqualTo(7 * 16 + 8);
      assertThat(values.getInt()).isEqualTo(8 * 16 + 7);
      assertThat(values.getInt()).isEqualTo(-1);
    }
    assertThat(store.requests()).hasSize(7);
    assertThat(reader.metrics().filledChunks()).isEqualTo(2);
  }

  @Test
  void forcedPlannersSendTheirKindOfRequest() {
    ZarrArray array = stored(Shape.of(32, 32), Shape.of(32, 32), null, Compression.NONE);
    Hyperslab slab = box(4, 8, 4, 8);
    assertRequests(array, slab, FixedPlanner.GET, 1, 4096);
    assertRequests(array, slab, FixedPlanner.RANGE, 4, 64);
    assertRequests(array, slab, FixedPlanner.MERGE, 1, 3 * 128 + 16);
  }

  private void assertRequests(
      ZarrArray array, Hyperslab slab, FixedPlanner planner, int requests, long bytes) {
    store.clear();
    try (HyperslabReader forced = new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
      assertReads(forced, array, slab);
    }
    assertThat(store.requests()).as(planner.label()).hasSize(requests);
    assertThat(store.bytesRead()).as(planner.label()).isEqualTo(bytes);
  }

  @Test
  void badSelectionsFailBeforeAnyRequest() {
    ZarrArray array = stored(Shape.of(32, 32), Shape.of(32, 32), null, Compression.NONE);
    assertThatThrownBy(() -> reader.read(array, box(0, 33, 0, 1)))
        .hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS")
        .hasMessageContaining("[0:33, 0:1]")
        .hasMessageContaining("memory://t/a of shape (32, 32)");
    assertThatThrownBy(() -> reader.read(array, box(0, 1)))
        .hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS");
    try (HyperslabReader small =
        new HyperslabReader(ReadSettings.DEFAULT.withMaxChunkBytes(1000))) {
      ZarrArray packed =
          ZarrArray.of(
              new StorePath(store, "z"),
              new ZarrArraySpec(
                  INT32,
                  Shape.of(1L << 40),
                  Shape.of(1 << 20),
                  Optional.empty(),
                  Compression.ZSTD,
                  array.schema().fill(),
                  List.of("x"),
                  array.attributes()));
      assertThatThrownBy(() -> small.read(packed, box(0, 1)))
          .hasMessageContaining("ARRAYMORPH_TOO_LARGE")
          .hasMessageContaining("z/c/0");
      assertThatThrownBy(() -> small.read(packed, box(0, 1L << 40)))
          .hasMessageContaining("ARRAYMORPH_TOO_LARGE");
      assertThatThrownBy(() -> small.read(array, box(0, 32, 0, 32)))
          .hasMessageContaining("ARRAYMORPH_TOO_LARGE");
    }
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void emptySelectionsTakeNoRequest() {
    ZarrArray array = stored(Shape.of(32, 32), Shape.of(32, 32), null, Compression.NONE);
    assertThat(reader.read(array, box(3, 3, 0, 9)).shape()).isEqualTo(Shape.of(0, 9));
    reader.read(array, Selection.none(2), (part, packed) -> assertThat(part).isNull());
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aNarrowWindowNeverStalls() {
    ZarrArray array = stored(Shape.of(4096, 8), Shape.of(4, 8), null, Compression.NONE);
    for (int chunks = 1; chunks <= 3; chunks++) {
      ReadSettings narrow = ReadSettings.DEFAULT.withWindow(chunks, 0);
      try (HyperslabReader tight = new HyperslabReader(narrow)) {
        int[] rows = new int[1];
        tight.read(array, Selection.all(array.schema().shape()), (part, packed) -> rows[0] += 4);
        assertThat(rows[0]).isEqualTo(4096);
      }
    }
  }
}
