package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Reads what zarr-python and tensorstore wrote with random metadata, and compares every bit. The
 * folder comes from {@code src-test/differential/make_corpus.py}: {@code
 * -Ddifferential.corpus=<folder>}.
 */
@EnabledIfSystemProperty(named = "differential.corpus", matches = ".+")
class DifferentialTest {
  private static final List<String> PLANNERS = List.of("auto", "get", "range", "merge");

  @Test
  void readsWhatOthersWrote() throws IOException {
    Path folder = Path.of(System.getProperty("differential.corpus")).toAbsolutePath();
    List<Path> expected;
    try (Stream<Path> files = Files.list(folder)) {
      expected = files.filter(f -> f.toString().endsWith(".npy")).sorted().toList();
    }
    assertThat(expected).isNotEmpty();
    long seed = Long.getLong("differential.seed", System.nanoTime());
    Random random = new Random(seed);
    try (LocalObjectStore store = new LocalObjectStore(folder)) {
      for (Path npy : expected) {
        String name = npy.getFileName().toString().replace(".npy", "");
        ZarrArray array = ZarrNodes.openArray(new StorePath(store, name));
        String what = array + " " + array.codecNames() + ", differential.seed=" + seed;
        FixedWidthElements all = values(npy, array);
        AccessPlanner planner = AccessPlanner.named(PLANNERS.get(random.nextInt(4)));
        try (HyperslabReader reader =
            new HyperslabReader(ReadSettings.DEFAULT.withPlanner(planner))) {
          for (int i = 0; i < 12; i++) {
            Hyperslab part =
                i == 0
                    ? Hyperslab.all(array.schema().shape())
                    : randomHyperslab(random, array.schema().shape());
            assertThat(bytes(reader.read(array, part)))
                .as("%s of %s", part, what)
                .isEqualTo(bytes(HyperslabCopy.pack(all, part)));
          }
        }
      }
    }
  }

  private static FixedWidthElements values(Path npy, ZarrArray array) throws IOException {
    byte[] bytes = Files.readAllBytes(npy);
    int start = 10 + (ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getShort(8) & 0xffff);
    return new FixedWidthElements(array.schema().dataType(), array.schema().shape(), bytes, start);
  }

  private static byte[] bytes(Elements elements) {
    FixedWidthElements fixed = (FixedWidthElements) elements;
    int end = fixed.offset() + (int) fixed.byteSize();
    return Arrays.copyOfRange(fixed.bytes(), fixed.offset(), end);
  }

  private static Hyperslab randomHyperslab(Random random, Shape shape) {
    IndexRange[] ranges = new IndexRange[shape.rank()];
    for (int d = 0; d < ranges.length; d++) {
      long start = random.nextInt((int) shape.length(d));
      long stop = start + 1 + random.nextInt((int) (shape.length(d) - start));
      ranges[d] = new IndexRange(start, stop, 1 + random.nextInt(4));
    }
    return Hyperslab.of(ranges);
  }
}
