package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.OpenObject;
import io.arraymorph.store.ReadCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of a file are read as if they were packed. */
class StoredRunsTest {
  private static final int FILE_BYTES = 3 << 20;

  @TempDir Path directory;
  private final byte[] content = new byte[FILE_BYTES];
  private LocalObjectStore store;
  private OpenObject object;

  @BeforeEach
  void open() throws IOException {
    new Random(1).nextBytes(content);
    Files.write(directory.resolve("object"), content);
    store = new LocalObjectStore(directory);
    object = store.opener().orElseThrow().open("object", ReadCondition.NONE);
  }

  @AfterEach
  void close() {
    object.close();
    store.close();
  }

  @Test
  void anyStretchOfThePackedBytesIsRead() {
    for (long seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      ByteRuns bytes = bytes(random);
      byte[] expected = packed(bytes);
      StoredRuns runs = new StoredRuns(object, bytes);
      for (int i = 0; i < 4; i++) {
        int start = random.nextInt(expected.length);
        int stop = start + 1 + random.nextInt(expected.length - start);
        ByteBuffer found =
            random.nextBoolean()
                ? ByteBuffer.allocate(stop - start)
                : ByteBuffer.allocateDirect(stop - start);
        runs.read(start, found);
        assertThat(found.flip())
            .as("seed " + seed + ": [" + start + ", " + stop + ") of " + bytes)
            .isEqualTo(ByteBuffer.wrap(expected, start, stop - start));
      }
      assertThat(runs.bytesRead()).isLessThanOrEqualTo(4L * FILE_BYTES);
    }
  }

  /** Of rows from a few bytes to more than a block, and gaps from none to more than is read. */
  private static ByteRuns bytes(Random random) {
    int columns = 1 + random.nextInt(random.nextBoolean() ? 2000 : 300_000);
    int rows = Math.min(FILE_BYTES / columns, 1 + random.nextInt(600));
    int planes = Math.min(FILE_BYTES / columns / rows, 1 + random.nextInt(3));
    Shape shape = Shape.of(planes, rows, columns);
    int from = random.nextInt(columns);
    Hyperslab box =
        Hyperslab.of(
            IndexRange.of(0, planes),
            new IndexRange(random.nextInt(rows), rows, 1 + random.nextInt(4)),
            IndexRange.of(from, from + 1 + random.nextInt(columns - from)));
    return ByteRuns.of(ElementRuns.of(box, shape), 1, 0);
  }

  private byte[] packed(ByteRuns bytes) {
    ByteBuffer packed = ByteBuffer.allocate(Math.toIntExact(bytes.byteCount()));
    bytes
        .starts()
        .forEachRemaining(
            (long start) -> packed.put(content, (int) start, (int) bytes.runLength()));
    return packed.array();
  }

  @Test
  void farRunsAreReadOneByOneAndNearOnesTogether() {
    int row = 1024;
    for (int distance : new int[] {2 * row, 100 * row}) {
      ByteRuns bytes =
          ByteRuns.of(
              ElementRuns.of(
                  Hyperslab.of(IndexRange.of(0, 5), IndexRange.of(0, row)), Shape.of(5, distance)),
              1,
              0);
      StoredRuns runs = new StoredRuns(object, bytes);
      runs.read(0, ByteBuffer.allocate(5 * row));
      assertThat(runs.bytesRead()).isEqualTo(distance == 2 * row ? 9 * row : 5 * row);
    }
  }
}
