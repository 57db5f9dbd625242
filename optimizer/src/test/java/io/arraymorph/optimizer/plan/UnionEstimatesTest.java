package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Estimates of many, large and near boxes, of arrays that are not stored. */
class UnionEstimatesTest {
  private static final Compression ZSTD = Compression.parse("zstd:1");

  private static ZarrArray array(
      Shape shape, Shape chunk, Optional<Shape> shard, Compression codec) {
    StorePath path = new StorePath(new MemoryObjectStore("t"), "a");
    return Int32Arrays.at(path, shape, chunk, shard, codec);
  }

  private static Selection union(int rank, Hyperslab... boxes) {
    return Selection.of(rank, Arrays.stream(boxes).map(OrthogonalSelection::of).toList());
  }

  private static Hyperslab box(long y0, long y1, long x0, long x1) {
    return Hyperslab.of(IndexRange.of(y0, y1), IndexRange.of(x0, x1));
  }

  @Test
  void twoBoxesInOneChunkAreExplainedAsOneRequest() {
    ZarrArray chunks = array(Shape.of(64, 64), Shape.of(32, 32), Optional.empty(), ZSTD);
    Selection two = union(2, box(1, 3, 1, 3), box(5, 9, 5, 9));
    assertThat(PlanEstimator.estimate(chunks, two, FixedPlanner.RANGE).explain())
        .isEqualTo("1 of 4 chunks, 1 requests (whole 1), at most 4096 bytes to move for 80 needed");
    ZarrArray shards =
        array(Shape.of(64, 64), Shape.of(16, 16), Optional.of(Shape.of(32, 32)), ZSTD);
    assertThat(PlanEstimator.estimate(shards, two, FixedPlanner.RANGE).explain())
        .isEqualTo(
            "1 of 4 chunks, 2 requests (index 1, ranges 1), at most 1092 bytes to move for 80"
                + " needed");
  }

  /** Boxes along the diagonal of a plane, neighbours of which often share a chunk. */
  private static List<Hyperslab> diagonal(Random random) {
    List<Hyperslab> boxes = new ArrayList<>();
    for (long i = 0; i < 100; i++) {
      long y = 40 * i + random.nextInt(30);
      long x = 40 * i + random.nextInt(30);
      boxes.add(box(y, y + 3 + random.nextInt(7), x, x + 3 + random.nextInt(7)));
    }
    return boxes;
  }

  /** Boxes of the plane of two dimensions, with all that is beside them along two others. */
  private static Selection beside(List<Hyperslab> boxes, int first) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    for (Hyperslab box : boxes) {
      IndexRange[] ranges = new IndexRange[4];
      Arrays.fill(ranges, IndexRange.of(0, 4000));
      ranges[first] = box.range(0);
      ranges[first + 1] = box.range(1);
      parts.add(OrthogonalSelection.of(Hyperslab.of(ranges)));
    }
    return Selection.of(4, parts);
  }

  @Test
  void tenThousandBoxesArePlannedInTimeWithEachChunkOnce() {
    Random random = new Random(6);
    List<Hyperslab> one = diagonal(random);
    List<Hyperslab> other = diagonal(random);
    Selection boxes = beside(one, 0).intersect(beside(other, 2));
    assertThat(boxes.parts()).hasSize(10_000);
    ChunkGrid plane = new RegularChunkGrid(Shape.of(4000, 4000), Shape.of(25, 25));
    long chunks =
        ChunkSelections.touchedChunks(plane, union(2, one.toArray(Hyperslab[]::new)))
            * ChunkSelections.touchedChunks(plane, union(2, other.toArray(Hyperslab[]::new)));
    ZarrArray array =
        array(
            Shape.of(4000, 4000, 4000, 4000),
            Shape.of(25, 25, 25, 25),
            Optional.empty(),
            Compression.NONE);
    long start = System.nanoTime();
    PlanEstimate whole = PlanEstimator.estimate(array, boxes, FixedPlanner.GET);
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.println("10,000 boxes in " + chunks + " chunks: " + seconds + " s");
    assertThat(seconds).isLessThan(5);
    assertThat(whole.chunks()).isEqualTo(chunks);
    assertThat(whole.requestsByMethod()).isEqualTo(Map.of("whole", chunks));
    assertThat(whole.bytesToMove()).isEqualTo(chunks * 25 * 25 * 25 * 25 * 4);
    assertThat(whole.sampled()).isFalse();
  }

  @Test
  void boxesThatShareAnEdgeOfAMillionChunksCountItOnce() {
    Shape shape = Shape.of(10_000, 10_000);
    ZarrArray array = array(shape, Shape.of(10, 10), Optional.empty(), Compression.NONE);
    Selection two = union(2, box(0, 5003, 0, 10_000), box(5005, 10_000, 0, 9_995));
    PlanEstimate whole = PlanEstimator.estimate(array, two, FixedPlanner.GET);
    assertThat(whole.explain()).startsWith("1000000 of 1000000 chunks, 1000000 requests (whole");
    assertThat(whole.upperBound()).isFalse();
    // Ten rows of a chunk are one range, three and five of them two.
    PlanEstimate ranges = PlanEstimator.estimate(array, two, FixedPlanner.RANGE);
    assertThat(ranges.requests()).isEqualTo(999_000 - 499 + 2 * 1000 - 1 + 499L * 10 + 5);
  }

  @Test
  void chunksThatBoxesShareAreNamedOnceAndNoMoreThanAskedFor() {
    ZarrArray array =
        array(Shape.of(8, 100_000_000), Shape.of(8, 10), Optional.empty(), Compression.NONE);
    Selection two = union(2, box(0, 2, 0, 40), box(5, 7, 3, 50));
    assertThat(PlannedChunk.of(array, two, FixedPlanner.GET, 5)).hasSize(5);
    assertThatThrownBy(() -> PlannedChunk.of(array, two, FixedPlanner.GET, 4))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("TOO_LARGE");
    Selection all = union(2, box(0, 2, 0, 100_000_000), box(5, 7, 3, 99_999_999));
    assertThatThrownBy(() -> PlannedChunk.of(array, all, FixedPlanner.GET, 1000))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("TOO_LARGE");
  }

  @Test
  void whereTooManyChunksAreSharedEachBoxCountsAndTheEstimateSaysSo() {
    Shape shape = Shape.of(10, 1_000_000);
    ZarrArray array = array(shape, Shape.of(10, 10), Optional.empty(), Compression.NONE);
    Selection two = union(2, box(0, 3, 0, 1_000_000), box(5, 8, 0, 999_999));
    PlanEstimate estimate = PlanEstimator.estimate(array, two, FixedPlanner.MERGE);
    assertThat(estimate.explain())
        .startsWith("100000 of 100000 chunks, about 200000 requests (ranges 200000), at most ");
  }

  @Test
  void whereSharedChunksHaveTooManyRunsSomeKindsStandForAll() {
    Random random = new Random(7);
    Shape shape = Shape.of(100_000, 100_000);
    ZarrArray array = array(shape, Shape.of(1000, 1000), Optional.empty(), Compression.NONE);
    Hyperslab[] boxes = new Hyperslab[4000];
    for (int i = 0; i < boxes.length; i++) {
      long y = random.nextInt(98_000);
      long x = random.nextInt(99_000);
      boxes[i] = box(y, y + 1500, x, x + 20);
    }
    Selection all = union(2, boxes);
    long start = System.nanoTime();
    PlanEstimate ranges = PlanEstimator.estimate(array, all, FixedPlanner.RANGE);
    PlanEstimate best =
        PlanEstimator.estimate(
            array, all, PlannerOptions.parse("auto", Optional.empty(), Optional.empty()).planner());
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.println(ranges.explain() + ": " + seconds + " s");
    assertThat(ranges.sampled()).isTrue();
    assertThat(ranges.chunks()).isEqualTo(ChunkSelections.touchedChunks(array.grid(), all));
    // Rows of boxes, those that cross into the next chunk twice, less those of overlaps.
    assertThat((double) ranges.requests()).isBetween(0.9 * 4000 * 1500, 1.1 * 4000 * 1500);
    assertThat(best.requests()).isLessThanOrEqualTo(ranges.requests());
    assertThat(seconds).isLessThan(20);
  }
}
