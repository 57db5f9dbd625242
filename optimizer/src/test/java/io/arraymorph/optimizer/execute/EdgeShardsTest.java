package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Estimates of arrays that end within a shard, beside what reading them really takes. */
class EdgeShardsTest {
  private static final DataType INT32 = new DataType.Int(32, true);

  private final RecordingObjectStore store = new RecordingObjectStore(new MemoryObjectStore("t"));

  @AfterEach
  void close() {
    store.close();
  }

  /** Stored as writers do: beyond the array there is the fill value, and so no inner chunk. */
  private ZarrArray stored(
      Shape shape, Shape chunk, Shape shard, Compression codec, FixedWidthElements all) {
    ZarrArray array =
        ZarrArray.of(
            new StorePath(store, "a"),
            new ZarrArraySpec(
                INT32,
                shape,
                chunk,
                Optional.of(shard),
                codec,
                ZarrArraySpec.parseFill("-1", INT32),
                IntStream.range(0, shape.rank()).mapToObj(d -> "d" + d).toList(),
                JsonNodeFactory.instance.objectNode()));
    for (ChunkSelection part : ChunkSelections.of(array.grid(), Hyperslab.all(shape))) {
      byte[] bytes = new byte[(int) shard.elementCount() * 4];
      Arrays.fill(bytes, (byte) -1);
      FixedWidthElements box = (FixedWidthElements) HyperslabCopy.pack(all, part.absolute());
      HyperslabCopy.place(box.bytes(), box.offset(), bytes, 0, shard, part.within(), 4);
      RandomZarr.put(
          array.chunkObject(part.chunk()),
          array.pipeline(shard).encode(new FixedWidthElements(INT32, shard, bytes, 0)));
    }
    store.clear();
    return array;
  }

  private record Case(ZarrArray array, Selection selection, String text) {}

  /** Shapes are mostly no multiple of shards. */
  private Case random(long seed, Compression codec, int leastChunk) {
    Random random = new Random(seed);
    int rank = 1 + random.nextInt(3);
    long[] shape = new long[rank];
    long[] chunk = new long[rank];
    long[] shard = new long[rank];
    for (int d = 0; d < rank; d++) {
      chunk[d] = (long) leastChunk + random.nextInt(rank == 3 ? 3 : 6);
      shard[d] = chunk[d] * (1 + random.nextInt(4));
      shape[d] = 1L + random.nextInt((int) (3 * shard[d]));
    }
    OrthogonalSelection selection = RandomArrays.orthogonal(random, Shape.of(shape));
    // What shall be compressed is all the same: small inner chunks of other values would grow.
    FixedWidthElements values =
        codec.equals(Compression.NONE)
            ? HyperslabReaderTest.counted(Shape.of(shape))
            : new FixedWidthElements(
                INT32, Shape.of(shape), new byte[(int) Shape.of(shape).elementCount() * 4], 0);
    ZarrArray array = stored(Shape.of(shape), Shape.of(chunk), Shape.of(shard), codec, values);
    return new Case(
        array,
        Selection.of(selection),
        "seed "
            + seed
            + ": "
            + selection
            + " of "
            + Shape.of(shape)
            + ", chunks "
            + Shape.of(chunk)
            + ", shards "
            + Shape.of(shard));
  }

  /** What a new reader asks the store for. */
  private void read(Case one, AccessPlanner planner) {
    store.clear();
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
      reader.read(one.array(), one.selection(), (part, elements) -> {});
    }
  }

  private long indexes() {
    return store.requests().stream().filter(r -> r.range() instanceof ByteRange.Suffix).count();
  }

  @Test
  void rawInnerChunksAreReadExactlyAsEstimated() {
    long first = seed();
    List<AccessPlanner> planners =
        List.of(
            FixedPlanner.RANGE,
            FixedPlanner.MERGE,
            FixedPlanner.GET,
            new GapPlanner(4, 20, 3, 60, 30));
    for (long seed = first; seed < first + 300; seed++) {
      Case one = random(seed, Compression.NONE, 1);
      for (AccessPlanner planner : planners) {
        String text = planner.label() + ", " + one.text();
        PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
        read(one, planner);
        assertThat(estimate.requestsByMethod().getOrDefault("index", 0L))
            .as(text)
            .isEqualTo(indexes());
        assertThat(estimate.requests()).as(text).isEqualTo(store.requests().size());
        assertThat(estimate.bytesToMove()).as(text).isEqualTo(store.bytesRead());
      }
    }
  }

  private static long seed() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    return seed;
  }

  /** The planner sees all shards at once, as the reader does: they are few and small. */
  @Test
  void theCheapestWayIsThatOfTheEstimate() {
    long first = seed();
    AccessPlanner planner = PlannerOptions.DEFAULT.planner();
    for (long seed = first; seed < first + 300; seed++) {
      Case one = random(seed, Compression.NONE, 1);
      PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
      read(one, planner);
      assertThat(estimate.requests()).as(one.text()).isEqualTo(store.requests().size());
      assertThat(estimate.bytesToMove()).as(one.text()).isEqualTo(store.bytesRead());
    }
  }

  @Test
  void compressedInnerChunksTakeNoMoreThanEstimated() {
    long first = seed();
    for (long seed = first; seed < first + 100; seed++) {
      Case one = random(seed, Compression.parse("zstd:1"), 8);
      for (AccessPlanner planner : List.of(FixedPlanner.RANGE, FixedPlanner.GET)) {
        String text = planner.label() + ", " + one.text();
        PlanEstimate estimate = PlanEstimator.estimate(one.array(), one.selection(), planner);
        read(one, planner);
        assertThat(estimate.upperBound() || one.selection().isEmpty()).as(text).isTrue();
        assertThat(estimate.requests()).as(text).isEqualTo(store.requests().size());
        assertThat(store.bytesRead()).as(text).isLessThanOrEqualTo(estimate.bytesToMove());
      }
    }
  }
}
