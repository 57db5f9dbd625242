package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.ChunkAccess;
import io.arraymorph.optimizer.plan.CostPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.FunctionPlanner;
import io.arraymorph.optimizer.plan.NeededBytes;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.optimizer.plan.ShardNeed;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Compressed chunks and shards that a function in this process decodes. */
class DecodedSlicesTest {
  private static final DataType INT32 = new DataType.Int(32, true);

  private final MemoryObjectStore memory = new MemoryObjectStore("decoded");
  private final RecordingObjectStore store = new RecordingObjectStore(memory);

  @AfterEach
  void close() {
    store.close();
  }

  /** Decodes as a function should, and counts. */
  private final class Decoding implements SliceFunction {
    private final AtomicInteger calls = new AtomicInteger();
    private final int failEvery;
    private long largest;

    Decoding(int failEvery) {
      this.failEvery = failEvery;
    }

    @Override
    public CompletableFuture<Answer> slice(
        StorePath object, Optional<String> etag, List<ByteRuns> runs) {
      return CompletableFuture.failedFuture(new IllegalStateException("not asked for"));
    }

    @Override
    public boolean decodes() {
      return true;
    }

    @Override
    public CompletableFuture<Answer> sliceDecoded(
        StorePath object,
        Optional<String> etag,
        String metadata,
        Shape chunkShape,
        List<Hyperslab> boxes,
        long bytes) {
      if (failEvery > 0 && calls.incrementAndGet() % failEvery == 0) {
        return CompletableFuture.failedFuture(new IllegalStateException("down"));
      }
      largest = Math.max(largest, bytes);
      ZarrArray array = ZarrArray.reopen(new StorePath(memory, "x"), metadata);
      return memory
          .get(object.key(), ByteRange.WHOLE, ReadCondition.NONE)
          .thenApply(
              all -> {
                ByteBuffer out = ByteBuffer.allocate((int) bytes);
                for (Hyperslab box : boxes) {
                  FixedWidthElements part =
                      (FixedWidthElements)
                          HyperslabCopy.pack(
                              array.pipeline(chunkShape).decode(all.bytes().duplicate()), box);
                  out.put(part.bytes(), part.offset(), (int) part.byteSize());
                }
                return new Answer(out.flip(), all.etag(), all.objectSize());
              })
          .exceptionally(
              failure -> {
                throw StoreException.of(failure, object.toString());
              });
    }
  }

  private static StoreProfile wan(long maxAnswer) {
    StoreProfile wan = StoreProfiles.of("s3.wan");
    FunctionProfile function = wan.function().orElseThrow();
    return wan.withFunction(
        Optional.of(
            new FunctionProfile(
                function.speed(),
                new FunctionProfile.Answer(maxAnswer, 6_000_000, 2e6),
                function.concurrency(),
                function.maxSeconds(),
                function.prices())));
  }

  private ZarrArray array(Random random, Shape shape, Shape chunk, Optional<Shape> shard) {
    ZarrArray array =
        ZarrArray.of(
            new StorePath(store, "a" + random.nextLong()),
            new ZarrArraySpec(
                INT32,
                shape,
                chunk,
                shard,
                Compression.parse("zstd"),
                ZarrArraySpec.defaultFill(INT32),
                java.util.stream.IntStream.range(0, shape.rank()).mapToObj(d -> "d" + d).toList(),
                JsonNodeFactory.instance.objectNode()));
    Shape grid = array.grid().gridShape();
    for (long i = 0; i < grid.elementCount(); i++) {
      long[] at = new long[grid.rank()];
      long rest = i;
      for (int d = at.length - 1; d >= 0; d--) {
        at[d] = rest % grid.length(d);
        rest /= grid.length(d);
      }
      if (random.nextInt(8) > 0) {
        Shape stored = array.grid().chunkShape(ChunkCoordinates.of(at));
        byte[] bytes = new byte[(int) stored.elementCount() * 4];
        random.nextBytes(bytes);
        byte[] encoded =
            array.pipeline(stored).encode(new FixedWidthElements(INT32, stored, bytes, 0));
        String key = array.chunkObject(ChunkCoordinates.of(at)).key();
        memory.put(key, ByteBuffer.wrap(encoded), WriteCondition.NONE).join();
      }
    }
    return array;
  }

  private static byte[] bytes(io.arraymorph.array.Elements elements) {
    FixedWidthElements fixed = (FixedWidthElements) elements;
    return Arrays.copyOfRange(
        fixed.bytes(), fixed.offset(), fixed.offset() + (int) fixed.byteSize());
  }

  @Test
  void givesTheSameElementsAsReadingWhateverFails() {
    for (long seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 20);
      if (shape.isEmpty() || shape.rank() == 0) {
        continue;
      }
      long[] inner = new long[shape.rank()];
      long[] outer = new long[shape.rank()];
      for (int d = 0; d < inner.length; d++) {
        inner[d] = 1L + random.nextInt(5);
        outer[d] = inner[d] * (1 + random.nextInt(3));
      }
      boolean sharded = random.nextBoolean();
      ZarrArray array =
          array(
              random,
              shape,
              Shape.of(inner),
              sharded ? Optional.of(Shape.of(outer)) : Optional.empty());
      List<ReadRequest> requests = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        requests.add(new ReadRequest(array, RandomArrays.hyperslab(random, shape)));
      }
      int maxAnswer = 4 * (1 + random.nextInt(40));
      Decoding function = new Decoding(random.nextInt(3));
      ReadSettings settings =
          ReadSettings.DEFAULT.withPlanner(
              new FunctionPlanner(new OverlapCostModel(wan(maxAnswer))));
      try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(function));
          HyperslabReader plain = new HyperslabReader(ReadSettings.DEFAULT);
          ElementStream stream = reader.stream(requests.iterator())) {
        for (Iterator<ReadRequest> it = requests.iterator(); it.hasNext(); ) {
          ReadRequest request = it.next();
          assertThat(bytes(stream.next()))
              .as("seed %s: %s of %s", seed, request.hyperslab(), shape)
              .isEqualTo(bytes(plain.read(array, request.hyperslab())));
        }
      }
      assertThat(function.largest).as("seed %s", seed).isLessThanOrEqualTo(maxAnswer);
    }
  }

  @Test
  void movesOnlyTheSelectedElements() {
    Shape shape = Shape.of(64, 64);
    ZarrArray array = array(new Random(9), shape, Shape.of(32, 32), Optional.empty());
    store.clear();
    Hyperslab columns = Hyperslab.of(IndexRange.of(0, 64), IndexRange.of(3, 5));
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(new FunctionPlanner(new OverlapCostModel(wan(1 << 20))));
    try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(new Decoding(0)))) {
      reader.read(array, columns);
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(2);
      assertThat(reader.metrics().bytesRead()).isEqualTo(64 * 2 * 4);
    }
    assertThat(store.requests(StoreOperation.GET)).isEmpty();
  }

  @Test
  void largeChunksOverASlowNetworkAreDecodedBesideTheStore() {
    Shape shape = Shape.of(2048, 2048);
    ZarrArray array = array(new Random(2), shape, shape, Optional.empty());
    Hyperslab box = Hyperslab.of(IndexRange.of(0, 2048), IndexRange.of(3, 5));
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(
            new CostPlanner(new OverlapCostModel(wan(5_500_000)), 0, true));
    try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(new Decoding(0)))) {
      reader.read(array, box);
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(1);
      assertThat(reader.metrics().bytesRead()).isEqualTo(2048 * 2 * 4);
      // Everything is needed: no function moves less.
      reader.read(array, Hyperslab.all(shape));
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(1);
    }
  }

  @Test
  void callsNoFunctionForInnerChunksInMemory() {
    Shape shape = Shape.of(64, 64);
    ZarrArray array = array(new Random(9), shape, Shape.of(16, 16), Optional.of(shape));
    Hyperslab box = Hyperslab.of(IndexRange.of(17, 20), IndexRange.of(3, 14));
    Hyperslab more = Hyperslab.of(IndexRange.of(17, 20), IndexRange.of(3, 30));
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(new FunctionPlanner(new OverlapCostModel(wan(1 << 20))));
    // A function that is always down, so that the first read leaves chunks in memory.
    Decoding down = new Decoding(1);
    try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(down))) {
      Object first = bytes(reader.read(array, box));
      assertThat(down.calls.get()).isEqualTo(1);
      store.clear();
      assertThat(bytes(reader.read(array, box))).isEqualTo(first);
      assertThat(down.calls.get()).isEqualTo(1);
      assertThat(store.requests()).isEmpty();
      assertThat(reader.metrics().cachedChunks()).isEqualTo(1);
      // Of two inner chunks one is left: worth a call again.
      reader.read(array, more);
      assertThat(down.calls.get()).isEqualTo(2);
      assertThat(store.requests(StoreOperation.GET)).hasSize(1);
    }
  }

  /** Keeps what it is asked to plan, and leaves it to the function. */
  private record Keeping(FunctionPlanner calls, List<ObjectNeed> asked) implements AccessPlanner {
    @Override
    public String label() {
      return "keeping";
    }

    @Override
    public CostModel model(String uri) {
      return calls.model();
    }

    @Override
    public AccessPlan plan(List<ObjectNeed> needs) {
      asked.addAll(needs);
      return calls.plan(needs);
    }

    @Override
    public boolean readsWhole(ShardNeed shard) {
      return false;
    }
  }

  @Test
  void ofSeveralBoxesOfOneShardAllArePlanned() {
    Shape shard = Shape.of(64, 64);
    ZarrArray array = array(new Random(9), shard, Shape.of(16, 16), Optional.of(shard));
    List<ReadRequest> diagonal = new ArrayList<>();
    for (long at : new long[] {0, 20, 48}) {
      Hyperslab box = Hyperslab.box(new long[] {at, at}, new long[] {at + 2, at + 2});
      diagonal.add(new ReadRequest(array, box));
    }
    Keeping planner =
        new Keeping(new FunctionPlanner(new OverlapCostModel(wan(1 << 20))), new ArrayList<>());
    ReadSettings settings = ReadSettings.DEFAULT.withPlanner(planner);
    try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(new Decoding(0)));
        ElementStream stream = reader.stream(diagonal.iterator())) {
      stream.next();
    }
    assertThat(planner.asked).hasSize(1);
    ObjectNeed need = planner.asked.get(0);
    assertThat(need.neededBytes()).isEqualTo(3 * 16 * 16 * 4);
    assertThat(((NeededBytes.Runs) need.bytes()).parts()).hasSize(3);
    assertThat(need.sliceCall().orElseThrow().spanBytes()).isEqualTo(3 * 16 * 16 * 4);
    assertThat(need.sliceCall().orElseThrow().answerBytes()).isEqualTo(3 * 2 * 2 * 4);
  }

  @Test
  void innerChunksThatBoxesShareAreReadOnceAndAnsweredToEach() {
    Shape shard = Shape.of(64, 64);
    ZarrArray array = array(new Random(9), shard, Shape.of(16, 16), Optional.of(shard));
    List<ReadRequest> inOne = new ArrayList<>();
    for (long at : new long[] {1, 5, 5, 12}) {
      Hyperslab box = Hyperslab.box(new long[] {at, at}, new long[] {at + 2, at + 2});
      inOne.add(new ReadRequest(array, box));
    }
    Keeping planner =
        new Keeping(new FunctionPlanner(new OverlapCostModel(wan(1 << 20))), new ArrayList<>());
    ReadSettings settings = ReadSettings.DEFAULT.withPlanner(planner);
    try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(new Decoding(0)));
        ElementStream stream = reader.stream(inOne.iterator())) {
      stream.next();
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(1);
    }
    assertThat(planner.asked).hasSize(1);
    ObjectNeed need = planner.asked.get(0);
    assertThat(need.neededBytes()).isEqualTo(16 * 16 * 4);
    assertThat(need.sliceCall().orElseThrow().spanBytes()).isEqualTo(16 * 16 * 4);
    assertThat(need.sliceCall().orElseThrow().answerBytes()).isEqualTo(4 * 2 * 2 * 4);
  }

  /** Leaves the first column of chunks to the function. */
  private record FirstColumn(FunctionPlanner calls) implements AccessPlanner {
    @Override
    public String label() {
      return "first column";
    }

    @Override
    public CostModel model(String uri) {
      return calls.model();
    }

    @Override
    public AccessPlan plan(List<ObjectNeed> needs) {
      List<ChunkAccess> accesses = new ArrayList<>();
      for (ObjectNeed need : needs) {
        AccessPlanner planner = need.object().key().endsWith("/0") ? calls : FixedPlanner.GET;
        accesses.addAll(planner.plan(List.of(need)).accesses());
      }
      return new AccessPlan(label(), accesses);
    }

    @Override
    public boolean readsWhole(ShardNeed shard) {
      return false;
    }
  }

  @Test
  void callsAreEstimatedTogetherWithReadsBesideThem() {
    ZarrArray array = array(new Random(9), Shape.of(64, 64), Shape.of(32, 32), Optional.empty());
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(
            new FirstColumn(new FunctionPlanner(new OverlapCostModel(wan(1 << 20)))));
    double[] seconds = new double[3];
    long[][] columns = {{0, 32}, {32, 64}, {0, 64}};
    for (int i = 0; i < 3; i++) {
      try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(new Decoding(0)))) {
        reader.read(
            array, Hyperslab.of(IndexRange.of(0, 64), IndexRange.of(columns[i][0], columns[i][1])));
        assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(i == 1 ? 0 : 2);
        assertThat(reader.metrics().requests()).isEqualTo(i == 0 ? 0 : 2);
        seconds[i] = reader.metrics().estimatedSeconds();
      }
    }
    assertThat(seconds[2])
        .isGreaterThanOrEqualTo(Math.max(seconds[0], seconds[1]))
        .isLessThan(seconds[0] + seconds[1] / 2);
  }
}
