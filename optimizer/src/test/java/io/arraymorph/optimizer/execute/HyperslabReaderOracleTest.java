package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Whatever is read equals slicing an array in memory. */
class HyperslabReaderOracleTest {
  private static final List<AccessPlanner> PLANNERS =
      List.of(
          GapPlanner.DEFAULT,
          new GapPlanner(2, 30, 3, 100, 40),
          FixedPlanner.GET,
          FixedPlanner.RANGE,
          FixedPlanner.MERGE,
          AccessPlanner.named("auto"),
          AccessPlanner.named("paper"));

  private static ReadSettings settings(Random random) {
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(PLANNERS.get(random.nextInt(PLANNERS.size())));
    switch (random.nextInt(3)) {
      case 0:
        return settings.withConcurrency(1).withWindow(1, 0).withCaches(0, 0);
      case 1:
        return settings.withConcurrency(3).withWindow(5, 500).withCaches(300, 200);
      default:
        return settings;
    }
  }

  @Test
  void hyperslabsEqualSlicesInMemory() {
    for (long seed = 0; seed < 1500; seed++) {
      compareHyperslabs(seed);
    }
  }

  static void compareHyperslabs(long seed) {
    Random random = new Random(seed);
    try (MemoryObjectStore store = new MemoryObjectStore("oracle");
        HyperslabReader reader = new HyperslabReader(settings(random))) {
      RandomZarr zarr = RandomZarr.store(random, new StorePath(store, "a"));
      for (int i = 0; i < 4; i++) {
        Hyperslab slab = RandomArrays.hyperslab(random, zarr.array().schema().shape());
        Elements read = reader.read(zarr.array(), slab);
        String seedText = "seed " + seed + ": " + slab + " of " + zarr.metadata();
        assertThat(read.shape()).as(seedText).isEqualTo(slab.counts());
        assertThat(RandomZarr.comparable(read))
            .as(seedText)
            .isEqualTo(RandomZarr.comparable(HyperslabCopy.pack(zarr.content(), slab)));
      }
    }
  }

  @Test
  void streamsOfRequestsComeInOrder() {
    for (long seed = 0; seed < 500; seed++) {
      compareStreams(seed);
    }
  }

  static void compareStreams(long seed) {
    Random random = new Random(seed);
    try (MemoryObjectStore store = new MemoryObjectStore("oracle");
        HyperslabReader reader = new HyperslabReader(settings(random))) {
      List<RandomZarr> arrays = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        arrays.add(RandomZarr.store(random, new StorePath(store, "a" + i)));
      }
      List<RandomZarr> asked = new ArrayList<>();
      List<ReadRequest> requests = new ArrayList<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        RandomZarr zarr = arrays.get(random.nextInt(arrays.size()));
        asked.add(zarr);
        requests.add(
            new ReadRequest(
                zarr.array(), RandomArrays.hyperslab(random, zarr.array().schema().shape())));
      }
      try (ElementStream stream = reader.stream(requests.iterator())) {
        for (int i = 0; i < requests.size(); i++) {
          assertThat(stream.hasNext()).isTrue();
          Elements expected =
              HyperslabCopy.pack(asked.get(i).content(), requests.get(i).hyperslab());
          assertThat(RandomZarr.comparable(stream.next()))
              .as("seed " + seed + ", request " + i + ": " + requests.get(i).hyperslab())
              .isEqualTo(RandomZarr.comparable(expected));
        }
        assertThat(stream.hasNext()).isFalse();
      }
    }
  }

  @Test
  void partsOfRequestsGoToTheirSinksOnce() {
    for (long seed = 0; seed < 500; seed++) {
      compareParts(seed);
    }
  }

  static void compareParts(long seed) {
    Random random = new Random(seed);
    try (MemoryObjectStore store = new MemoryObjectStore("oracle");
        HyperslabReader reader = new HyperslabReader(settings(random))) {
      RandomZarr zarr = RandomZarr.store(random, new StorePath(store, "a"));
      DataType type = zarr.array().schema().dataType();
      List<ReadRequest> requests = new ArrayList<>();
      List<ElementsAssembly> assemblies = new ArrayList<>();
      List<AtomicLong> placed = new ArrayList<>();
      for (int i = random.nextInt(5); i >= 0; i--) {
        Hyperslab slab = RandomArrays.hyperslab(random, zarr.array().schema().shape());
        ElementsAssembly assembly = ElementsAssembly.of(type, slab.counts());
        AtomicLong count = new AtomicLong();
        assemblies.add(assembly);
        placed.add(count);
        PartSink sink =
            (packed, at) -> {
              assertThat(packed.shape()).isEqualTo(at.counts());
              count.addAndGet(at.elementCount());
              assembly.place(
                  packed instanceof FixedWidthElements
                      ? HyperslabCopy.pack(packed, Hyperslab.all(packed.shape()))
                      : packed,
                  at);
            };
        requests.add(new ReadRequest(zarr.array(), slab, Optional.of(sink)));
      }
      String seedText = "seed " + seed + ": " + zarr.metadata();
      try (ElementStream stream = reader.stream(requests.iterator())) {
        for (int i = 0; i < requests.size(); i++) {
          assertThat(stream.next().count()).as(seedText).isZero();
          Hyperslab slab = requests.get(i).hyperslab();
          assertThat(placed.get(i)).as(seedText).hasValue(slab.elementCount());
          assertThat(RandomZarr.comparable(assemblies.get(i).finish()))
              .as(seedText + ", request " + slab)
              .isEqualTo(RandomZarr.comparable(HyperslabCopy.pack(zarr.content(), slab)));
        }
      }
    }
  }

  @Test
  void whatASinkThrowsFailsItsRequest() {
    Random random = new Random(1);
    try (MemoryObjectStore store = new MemoryObjectStore("oracle");
        HyperslabReader reader = new HyperslabReader(settings(random))) {
      RandomZarr zarr = RandomZarr.store(random, new StorePath(store, "a"));
      PartSink refusing =
          (packed, at) -> {
            throw new ArrayMorphException(ErrorCode.CANCELLED, "no more", "Nothing");
          };
      Hyperslab all = Hyperslab.all(zarr.array().schema().shape());
      ReadRequest request = new ReadRequest(zarr.array(), all, Optional.of(refusing));
      try (ElementStream stream = reader.stream(List.of(request).iterator())) {
        assertThatThrownBy(stream::next)
            .isInstanceOf(ArrayMorphException.class)
            .hasMessageContaining("no more");
      }
    }
  }

  @Test
  void selectionsGoToTheSinkChunkByChunk() {
    for (long seed = 0; seed < 300; seed++) {
      compareSelections(seed);
    }
  }

  static void compareSelections(long seed) {
    Random random = new Random(seed);
    try (MemoryObjectStore store = new MemoryObjectStore("oracle");
        HyperslabReader reader = new HyperslabReader(settings(random))) {
      RandomZarr zarr = RandomZarr.store(random, new StorePath(store, "a"));
      Shape shape = zarr.array().schema().shape();
      Selection selection =
          Selection.of(
              shape.rank(),
              List.of(
                  RandomArrays.orthogonal(random, shape), RandomArrays.orthogonal(random, shape)));
      Iterator<ChunkSelection> expected =
          ChunkSelections.of(zarr.array().grid(), selection).iterator();
      String seedText = "seed " + seed + ": " + selection;
      reader.read(
          zarr.array(),
          selection,
          (part, elements) -> {
            assertThat(part).as(seedText).isEqualTo(expected.next());
            assertThat(RandomZarr.comparable(elements))
                .as(seedText)
                .isEqualTo(
                    RandomZarr.comparable(HyperslabCopy.pack(zarr.content(), part.absolute())));
          });
      assertThat(expected.hasNext()).as(seedText).isFalse();
    }
  }
}
