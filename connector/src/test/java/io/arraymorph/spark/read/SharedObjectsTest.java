package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which chunks several partitions touch, beside looking at every cell. */
class SharedObjectsTest {

  @Test
  void exactlyTheChunksOfCellsInSeveralPartitionsAreShared() {
    int withShared = 0;
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      int rank = 1 + random.nextInt(3);
      Shape shape = Shape.of(PartitionPlannerTest.lengths(random, rank, 1, 12));
      ChunkGrid units = PartitionPlannerTest.grid(random, shape);
      Selection selection = PartitionPlannerTest.selection(random, shape);
      List<Integer> dimensions =
          IntStream.range(0, rank)
              .filter(d -> random.nextInt(4) > 0)
              .boxed()
              .collect(Collectors.toList());
      if (dimensions.isEmpty()) {
        dimensions.add(0);
      }
      long[] lengths = dimensions.stream().mapToLong(shape::length).toArray();
      ChunkGrid chunks = PartitionPlannerTest.grid(random, Shape.of(lengths));
      List<ChunkPartition> partitions =
          new PartitionPlanner(units, 1, 1 + random.nextInt(20), 1).plan(selection);
      Map<List<Long>, Set<Integer>> tasks = new HashMap<>();
      for (int task = 0; task < partitions.size(); task++) {
        PieceSequence pieces = new PieceSequence(partitions.get(task), selection, units, units);
        while (pieces.hasNext()) {
          Selection piece = Selection.of(pieces.next().cells());
          for (List<Long> cell : PartitionPlannerTest.cells(piece, shape)) {
            List<Long> chunk = new ArrayList<>();
            for (int d = 0; d < dimensions.size(); d++) {
              chunk.add(chunks.chunkOf(d, cell.get(dimensions.get(d))));
            }
            tasks.computeIfAbsent(chunk, c -> new HashSet<>()).add(task);
          }
        }
      }
      Set<List<Long>> expected =
          tasks.entrySet().stream()
              .filter(e -> e.getValue().size() > 1)
              .map(Map.Entry::getKey)
              .collect(Collectors.toSet());
      Optional<Set<ChunkCoordinates>> found =
          new SharedObjects.Search(selection, units, partitions)
              .shared(chunks, new Projection(rank, dimensions));
      Set<List<Long>> shared = new HashSet<>();
      for (ChunkCoordinates chunk : found.orElseThrow()) {
        List<Long> at = new ArrayList<>();
        for (int d = 0; d < chunk.rank(); d++) {
          at.add(chunk.index(d));
        }
        shared.add(at);
      }
      assertThat(shared).as("seed %s", seed).isEqualTo(expected);
      withShared += expected.isEmpty() ? 0 : 1;
    }
    assertThat(withShared).isGreaterThan(100);
  }

  @Test
  void runsOfUnitsAreFewBoxesThatHoldNothingElse() {
    Shape shape = Shape.of(40, 30, 20);
    ChunkGrid units = new RegularChunkGrid(shape, Shape.of(3, 4, 5));
    Random random = new Random(3);
    for (int i = 0; i < 200; i++) {
      Selection selection = PartitionPlannerTest.selection(random, shape);
      TouchedUnits touched = new TouchedUnits(units, selection.parts().get(0));
      long from = (long) (random.nextDouble() * touched.count());
      long to = from + (long) (random.nextDouble() * (touched.count() - from)) + 1;
      List<Hyperslab> boxes = touched.boxes(from, Math.min(to, touched.count()));
      assertThat(boxes).hasSizeLessThanOrEqualTo(5);
      for (long u = 0; u < touched.count(); u++) {
        Hyperslab unit = units.chunkBox(touched.unit(u));
        long holding =
            boxes.stream().filter(b -> !OrthogonalSelection.of(b).clip(unit).isEmpty()).count();
        assertThat(holding).isEqualTo(u >= from && u < to ? 1 : 0);
      }
    }
  }

  @Test
  void manyChunksAreFoundWithoutEnumeratingThem() {
    Shape shape = Shape.of(1L << 30, 1L << 30);
    ChunkGrid chunks = new RegularChunkGrid(shape, Shape.of(1 << 20, 1 << 20));
    ChunkGrid units = new RegularChunkGrid(shape, Shape.of(1 << 19, 1L << 30));
    List<ChunkPartition> partitions =
        new PartitionPlanner(units, 1, 1L << 55, 1).plan(Selection.all(shape));
    assertThat(partitions.size()).isBetween(30, 40);
    Set<ChunkCoordinates> shared =
        new SharedObjects.Search(Selection.all(shape), units, partitions)
            .shared(chunks, new Projection(2, List.of(0, 1)))
            .orElseThrow();
    // 2^20 chunks in all; a task that begins within a row of chunks shares that row.
    assertThat(shared.size() % 1024).isZero();
    assertThat(shared).hasSizeLessThanOrEqualTo(partitions.size() * 1024);
  }
}
