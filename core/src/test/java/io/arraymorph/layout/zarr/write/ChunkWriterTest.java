package io.arraymorph.layout.zarr.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChunkWriterTest {
  private static final Shape CHUNKS = Shape.of(3, 4);

  private final MemoryObjectStore store = new MemoryObjectStore("chunks");
  private final StorePath target = new StorePath(store, "a");

  @AfterEach
  void close() {
    store.close();
  }

  /** A box of cells to be written. */
  private record Box(int row, int column, int rows, int columns) {}

  @Test
  void boxesOfAnyShapeInAnyTaskMakeTheArray() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      Grid grid =
          Grid.random(
              random, 1 + random.nextInt(14), 1 + random.nextInt(14), CHUNKS, random.nextBoolean());
      List<Box> boxes = cut(grid, random);
      Collections.shuffle(boxes, random);
      boolean known = random.nextBoolean();
      long openBytes = random.nextBoolean() ? 1 << 20 : 1;
      int tasks = 1 + random.nextInt(4);
      write(
          grid,
          known,
          WriteTicket.Duplicates.ERROR,
          (number, writer) -> {
            for (int i = number; i < boxes.size(); i += tasks) {
              put(writer, grid, boxes.get(i));
            }
          },
          tasks,
          openBytes);
      assertThat(read().sameValues(grid)).describedAs("seed %d", seed).isTrue();
      // Chunks of fill values are not stored, nothing else is there.
      assertThat(GridWrites.keys(store)).allMatch(key -> key.matches("a/(zarr.json|c/\\d+/\\d+)"));
      store.deleteAll(GridWrites.keys(store)).join();
    }
  }

  @Test
  void ofTwoValuesForACellTheLaterWinsIfAsked() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Grid first = Grid.random(random, 10, 9, CHUNKS, false);
      Grid second = Grid.random(random, 10, 9, CHUNKS, false);
      List<Integer> expected = new ArrayList<>(first.values());
      List<Box> over = cut(second, random).subList(0, 2);
      for (Box box : over) {
        for (int y = box.row(); y < box.row() + box.rows(); y++) {
          for (int x = box.column(); x < box.column() + box.columns(); x++) {
            expected.set(y * 9 + x, second.values().get(y * 9 + x));
          }
        }
      }
      int tasks = 1 + seed % 2;
      write(
          first,
          true,
          WriteTicket.Duplicates.LAST,
          (number, writer) -> {
            if (number == 0) {
              cut(first, new Random(1)).forEach(box -> put(writer, first, box));
            }
            if (number == tasks - 1) {
              over.forEach(box -> put(writer, second, box));
            }
          },
          tasks,
          random.nextBoolean() ? 1 : 1 << 20);
      assertThat(read().values()).describedAs("seed %d", seed).isEqualTo(expected);
      store.deleteAll(GridWrites.keys(store)).join();
    }
  }

  @Test
  void twoValuesForACellAreAnErrorInOneTaskAndAcrossTasks() {
    Grid grid = Grid.random(new Random(1), 10, 9, CHUNKS, false);
    for (int tasks = 1; tasks <= 2; tasks++) {
      for (Box twice : List.of(new Box(4, 4, 1, 1), new Box(3, 4, 3, 4), new Box(0, 0, 10, 9))) {
        int last = tasks - 1;
        assertThatThrownBy(
                () ->
                    write(
                        grid,
                        true,
                        WriteTicket.Duplicates.ERROR,
                        (number, writer) -> {
                          if (number == 0) {
                            put(writer, grid, new Box(0, 0, 10, 9));
                          }
                          if (number == last) {
                            put(writer, grid, twice);
                          }
                        },
                        last + 1,
                        1 << 20))
            .isInstanceOf(ArrayMorphException.class)
            .hasMessageContaining("ARRAYMORPH_DUPLICATE_CELL")
            .hasMessageContaining("duplicates=last");
        assertThat(GridWrites.keys(store)).isEmpty();
      }
    }
  }

  @Test
  void cellsOutsideTheArrayAreRefusedByIndex() {
    Grid grid = Grid.random(new Random(1), 10, 9, CHUNKS, false);
    assertThatThrownBy(
            () ->
                write(
                    grid,
                    true,
                    WriteTicket.Duplicates.ERROR,
                    (number, writer) -> writer.write(new long[] {9, 0}, grid.box(8, 0, 2, 9)),
                    1,
                    1 << 20))
        .hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS")
        .hasMessageContaining("index 10 of dimension y");
    assertThat(GridWrites.keys(store)).isEmpty();
  }

  @Test
  void clusteredCellsNeedOneOpenChunkAndMakeNoPieces() {
    Grid grid = Grid.random(new Random(3), 10, 9, CHUNKS, false);
    try (TargetClaim claim = TargetClaim.take(target, "test", "save", ClaimPolicy.DEFAULT)) {
      NodeCreation write = claim.create(List.of(""));
      byte[] document = grid.document(claim.uuid());
      List<WrittenArray> arrays =
          List.of(WrittenArray.whole("", ZarrArray.parse(target, document), 10, 9));
      WriteTicket ticket = write.ticket(arrays, WriteTicket.Duplicates.ERROR);
      TaskWrite task = new TaskWrite(target, arrays, ticket, 0, "t0", 1, true);
      ChunkWriter writer = task.writer(0);
      for (long row = 0; row < 10; row += 3) {
        for (long column = 0; column < 9; column += 4) {
          for (long y = row; y < Math.min(10, row + 3); y++) {
            for (long x = column; x < Math.min(9, column + 4); x++) {
              long[] index = {y, x};
              OpenChunk chunk = writer.chunkAt(index);
              int offset = chunk.offset(index);
              writer.give(chunk, offset);
              int value = grid.values().get((int) (y * 9 + x));
              chunk.set(
                  offset,
                  new byte[] {
                    (byte) value, (byte) (value >> 8), (byte) (value >> 16), (byte) (value >> 24)
                  });
            }
          }
        }
      }
      TaskChunks chunks = task.finish();
      assertThat(chunks.entries())
          .hasSize(12)
          .noneMatch(entry -> entry.state() == ChunkEntry.State.PIECE);
      write.commit(ticket, arrays, List.of(chunks), NodeDocuments.array(document));
    }
    assertThat(read().sameValues(grid)).isTrue();
  }

  @Test
  void whatFailedAndSpeculativeAttemptsWroteIsNotVisible() {
    Grid grid = Grid.random(new Random(3), 10, 9, CHUNKS, false);
    Grid other = Grid.random(new Random(4), 10, 9, CHUNKS, false);
    try (TargetClaim claim = TargetClaim.take(target, "test", "save", ClaimPolicy.DEFAULT)) {
      NodeCreation write = claim.create(List.of(""));
      byte[] document = grid.document(claim.uuid());
      List<WrittenArray> arrays =
          List.of(WrittenArray.whole("", ZarrArray.parse(target, document), 10, 9));
      WriteTicket ticket = write.ticket(arrays, WriteTicket.Duplicates.ERROR);
      // An attempt that dies without a word, one that is slow, and the one that commits.
      TaskWrite dead = new TaskWrite(target, arrays, ticket, 0, "0-0", 1, false);
      put(dead.writer(0), other, new Box(0, 0, 6, 9));
      dead.puts().finish();
      TaskWrite committed = new TaskWrite(target, arrays, ticket, 0, "0-1", 1, false);
      put(committed.writer(0), grid, new Box(0, 0, 10, 9));
      TaskWrite slow = new TaskWrite(target, arrays, ticket, 0, "0-2", 1, false);
      put(slow.writer(0), other, new Box(0, 0, 10, 9));
      TaskChunks result = committed.finish();
      slow.finish();
      write.commit(ticket, arrays, List.of(result), NodeDocuments.array(document));
    }
    assertThat(read().sameValues(grid)).isTrue();
    assertThat(GridWrites.keys(store)).allMatch(key -> key.matches("a/(zarr.json|c/\\d+/\\d+)"));
  }

  /** What a task does. */
  private interface Task {
    void run(int number, ChunkWriter writer);
  }

  private void write(
      Grid grid,
      boolean knownShape,
      WriteTicket.Duplicates duplicates,
      Task work,
      int tasks,
      long openBytes) {
    try (TargetClaim claim = TargetClaim.take(target, "test", "save", ClaimPolicy.DEFAULT)) {
      NodeCreation write = claim.create(List.of(""));
      byte[] document = grid.document(claim.uuid());
      ZarrArray array = ZarrArray.parse(target, document);
      long[] limit =
          knownShape ? grid.shape().toArray() : new long[] {Long.MAX_VALUE, Long.MAX_VALUE};
      List<WrittenArray> arrays = List.of(WrittenArray.whole("", array, limit));
      WriteTicket ticket = write.ticket(arrays, duplicates);
      try {
        List<TaskChunks> results = new ArrayList<>();
        for (int i = 0; i < tasks; i++) {
          TaskWrite task = new TaskWrite(target, arrays, ticket, i, "t" + i, openBytes, false);
          work.run(i, task.writer(0));
          results.add(task.finish());
        }
        write.commit(ticket, arrays, results, NodeDocuments.array(document));
      } catch (RuntimeException failure) {
        write.abort();
        throw failure;
      }
    }
  }

  private Grid read() {
    return Grid.read(target, ZarrNodes.openArray(target));
  }

  private static void put(ChunkWriter writer, Grid grid, Box box) {
    writer.write(
        new long[] {box.row(), box.column()},
        grid.box(box.row(), box.column(), box.rows(), box.columns()));
  }

  /** Cuts a grid into boxes, some of them exactly chunks. */
  private static List<Box> cut(Grid grid, Random random) {
    int rows = (int) grid.shape().length(0);
    int columns = (int) grid.shape().length(1);
    boolean aligned = random.nextBoolean();
    List<Integer> ys = cuts(rows, aligned ? Optional.of(3) : Optional.empty(), random);
    List<Integer> xs = cuts(columns, aligned ? Optional.of(4) : Optional.empty(), random);
    List<Box> boxes = new ArrayList<>();
    for (int i = 0; i + 1 < ys.size(); i++) {
      for (int j = 0; j + 1 < xs.size(); j++) {
        boxes.add(
            new Box(ys.get(i), xs.get(j), ys.get(i + 1) - ys.get(i), xs.get(j + 1) - xs.get(j)));
      }
    }
    return boxes;
  }

  private static List<Integer> cuts(int length, Optional<Integer> step, Random random) {
    List<Integer> cuts = new ArrayList<>(List.of(0));
    while (cuts.get(cuts.size() - 1) < length) {
      int last = cuts.get(cuts.size() - 1);
      cuts.add(Math.min(length, last + step.orElseGet(() -> 1 + random.nextInt(6))));
    }
    return cuts;
  }
}
