package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RectilinearChunkGrid;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class PartitionPlannerTest {

  @RepeatedTest(300)
  void partitionsHoldEverySelectedCellExactlyOnce(RepetitionInfo info) {
    long seed = 7_000L + info.getCurrentRepetition();
    Random random = new Random(seed);
    int rank = random.nextInt(4);
    Shape shape = Shape.of(lengths(random, rank, 0, 12));
    ChunkGrid units = grid(random, shape);
    ChunkGrid pieces = random.nextBoolean() ? units : grid(random, shape);
    Selection selection = selection(random, shape);
    List<ChunkPartition> partitions =
        new PartitionPlanner(units, 1 << 20, 1 + random.nextInt(20 << 20), 1 + random.nextInt(8))
            .plan(selection);

    List<List<Long>> seen = new ArrayList<>();
    for (ChunkPartition partition : partitions) {
      PieceSequence sequence = new PieceSequence(partition, selection, units, pieces);
      while (sequence.hasNext()) {
        PieceSequence.PieceSelection piece = sequence.next();
        assertThat(piece.cells().isEmpty()).isFalse();
        Hyperslab box = pieces.chunkBox(piece.piece());
        for (List<Long> cell : cells(Selection.of(piece.cells()), shape)) {
          assertThat(box.contains(array(cell))).isTrue();
          seen.add(cell);
        }
      }
    }
    assertThat(seen).as("seed " + seed).doesNotHaveDuplicates();
    assertThat(new HashSet<>(seen)).as("seed " + seed).isEqualTo(cells(selection, shape));
  }

  @Test
  void partitionsAreBalancedByBytes() {
    Shape shape = Shape.of(1000, 1000);
    ChunkGrid grid = new RegularChunkGrid(shape, Shape.of(10, 10));
    Selection selection = Selection.of(Hyperslab.box(new long[] {5, 0}, new long[] {1000, 777}));
    List<ChunkPartition> partitions = new PartitionPlanner(grid, 8, 100_000, 2).plan(selection);
    assertThat(partitions).hasSize(62);
    for (ChunkPartition partition : partitions) {
      long cells = 0;
      PieceSequence sequence = new PieceSequence(partition, selection, grid, grid);
      while (sequence.hasNext()) {
        cells += sequence.next().cells().elementCount();
      }
      assertThat(cells * 8).isBetween(97_000L, 103_000L);
    }
  }

  @Test
  void partitionsAreBalancedBySecondsWhereUnitsCostMoreThanCells() {
    // Three whole rows of chunks, then a row of which a single line is selected.
    ChunkGrid grid = new RegularChunkGrid(Shape.of(400, 1000), Shape.of(100, 10));
    Selection selection = Selection.of(Hyperslab.of(IndexRange.of(0, 301), IndexRange.of(0, 1000)));
    // Cells alone: the single line weighs next to nothing, one partition ends with all of it.
    List<ChunkPartition> byCells = new PartitionPlanner(grid, 8, 600_000, 4).plan(selection);
    assertThat(units(byCells.get(byCells.size() - 1))).isGreaterThan(150);
    // Whole chunks cost the same, however little is selected of them.
    List<ChunkPartition> byUnits =
        new PartitionPlanner(grid, 8, 600_000, 4, new ScanCost.UnitCost(0.1, 0)).plan(selection);
    assertThat(byUnits).hasSize(byCells.size());
    for (ChunkPartition partition : byUnits) {
      assertThat(units(partition)).isBetween(79L, 81L);
    }
  }

  @Test
  void tasksThatWouldTakeLongAreDivided() {
    ChunkGrid grid = new RegularChunkGrid(Shape.of(400, 1000), Shape.of(100, 10));
    Selection all = Selection.all(Shape.of(400, 1000));
    ScanCost.UnitCost slow = new ScanCost.UnitCost(1.5, 0);
    List<ChunkPartition> partitions = new PartitionPlanner(grid, 8, 1L << 30, 1, slow).plan(all);
    assertThat(partitions).hasSize(20);
    partitions.forEach(partition -> assertThat(units(partition)).isEqualTo(20));
  }

  @Test
  void tasksShareTheirHost() {
    TaskSlots slots = new TaskSlots(4, 3);
    assertThat(slots.share(1)).isEqualTo(1);
    assertThat(slots.share(3)).isEqualTo(1);
    assertThat(slots.share(4)).isEqualTo(0.5);
    assertThat(slots.share(1000)).isEqualTo(0.25);
    assertThat(slots.share(Integer.MAX_VALUE)).isEqualTo(0.25);
    assertThat(slots.atOnce(5)).isEqualTo(5);
    assertThat(slots.atOnce(1000)).isEqualTo(12);
  }

  private static long units(ChunkPartition partition) {
    return LongStream.range(0, partition.size())
        .mapToObj(i -> partition.segment((int) i))
        .mapToLong(s -> s.to() - s.from())
        .sum();
  }

  @Test
  void smallReadsAreOnePartitionAndLargeOnesUseAllCores() {
    Shape shape = Shape.of(100, 1 << 20);
    ChunkGrid grid = new RegularChunkGrid(shape, Shape.of(1, 1 << 20));
    PartitionPlanner planner = new PartitionPlanner(grid, 1, 1L << 30, 8);
    assertThat(planner.plan(Selection.all(shape))).hasSize(8);
    assertThat(planner.plan(Selection.of(Hyperslab.box(new long[] {0, 0}, new long[] {2, 5}))))
        .hasSize(1);
  }

  @Test
  void aBillionChunksArePlannedInNoTimeAndIteratedLazily() {
    Shape shape = Shape.of(1_000_000, 1_000_000, 1_000);
    ChunkGrid grid = new RegularChunkGrid(shape, Shape.of(100, 100, 100));
    Selection selection = Selection.all(shape);
    PartitionPlanner planner = new PartitionPlanner(grid, 4, 128L << 20, 16);
    List<ChunkPartition> partitions = planner.plan(selection);
    Duration took = Duration.ofDays(1);
    for (int run = 0; run < 5; run++) { // the best of some, for the machine has other work
      Instant start = Instant.now();
      assertThat(planner.plan(selection)).isEqualTo(partitions);
      Duration one = Duration.between(start, Instant.now());
      took = one.compareTo(took) < 0 ? one : took;
    }
    assertThat(partitions).hasSize(PartitionPlanner.MAX_PARTITIONS);
    assertThat(took).isLessThan(Duration.ofMillis(200));
    assertThat(partitions.get(19_999).segment(0).to()).isEqualTo(1_000_000_000L);
    PieceSequence last = new PieceSequence(partitions.get(12_345), selection, grid, grid);
    assertThat(last.next().cells().elementCount()).isEqualTo(1_000_000L);
  }

  static long[] lengths(Random random, int rank, int least, int most) {
    return LongStream.generate(() -> least + random.nextInt(most - least + 1))
        .limit(rank)
        .toArray();
  }

  static ChunkGrid grid(Random random, Shape shape) {
    if (random.nextInt(3) > 0) {
      return new RegularChunkGrid(shape, Shape.of(lengths(random, shape.rank(), 1, 6)));
    }
    List<long[]> chunks = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      List<Long> along = new ArrayList<>();
      for (long sum = 0; sum < shape.length(d); sum += along.get(along.size() - 1)) {
        along.add(1L + random.nextInt(5));
      }
      chunks.add(array(along));
    }
    return new RectilinearChunkGrid(shape, chunks);
  }

  static Selection selection(Random random, Shape shape) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    for (int p = 1 + random.nextInt(3); p > 0; p--) {
      List<IndexSet> sets = new ArrayList<>();
      for (int d = 0; d < shape.rank(); d++) {
        List<IndexRange> ranges = new ArrayList<>();
        for (int r = 1 + random.nextInt(3); r > 0 && shape.length(d) > 0; r--) {
          int from = random.nextInt((int) shape.length(d));
          int to = from + 1 + random.nextInt((int) shape.length(d) - from);
          ranges.add(new IndexRange(from, to, 1 + random.nextInt(4)));
        }
        sets.add(IndexSet.of(ranges));
      }
      parts.add(OrthogonalSelection.of(sets));
    }
    return Selection.of(shape.rank(), parts);
  }

  static Set<List<Long>> cells(Selection selection, Shape shape) {
    Set<List<Long>> cells = new HashSet<>();
    for (long e = 0; e < shape.elementCount(); e++) {
      List<Long> cell = new ArrayList<>();
      long rest = e;
      for (int d = shape.rank() - 1; d >= 0; d--) {
        cell.add(0, rest % shape.length(d));
        rest /= shape.length(d);
      }
      boolean selected =
          selection.parts().stream()
              .anyMatch(
                  part -> {
                    for (int d = 0; d < cell.size(); d++) {
                      if (!part.indices(d).contains(cell.get(d))) {
                        return false;
                      }
                    }
                    return true;
                  });
      if (selected) {
        cells.add(cell);
      }
    }
    return cells;
  }

  private static long[] array(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }
}
