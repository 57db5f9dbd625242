package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Inner chunks of a shard whose ranges come one after the other. */
@Timeout(60)
class DecodedAsTheyComeTest {
  /** Answers ranges within objects as the test says, and everything else at once. */
  private static final class ChangedRanges extends ForwardingObjectStore {
    private UnaryOperator<CompletableFuture<ObjectBytes>> change = answer -> answer;

    ChangedRanges() {
      super(new MemoryObjectStore("t"));
    }

    @Override
    public CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      CompletableFuture<ObjectBytes> answer = super.get(key, range, condition);
      return range instanceof ByteRange.Bounded ? change.apply(answer) : answer;
    }
  }

  private final ChangedRanges store = new ChangedRanges();
  private final ReadSettings exactRanges =
      ReadSettings.DEFAULT.withPlanner(FixedPlanner.RANGE).withHedging(0);

  /** Two by two shards of four by four chunks. */
  private ZarrArray array(Shape shape) {
    return HyperslabReaderTest.store(
        new StorePath(store, "a"), shape, Shape.of(4, 4), Shape.of(16, 16), Compression.ZSTD);
  }

  @Test
  void aCorruptInnerChunkFailsTheReadThoughOthersOfItsShardNeverCome() {
    ZarrArray array = array(Shape.of(32, 32));
    CopyOnWriteArrayList<CompletableFuture<ObjectBytes>> asked = new CopyOnWriteArrayList<>();
    CompletableFuture<ObjectBytes> first = new CompletableFuture<>();
    store.change =
        answer -> {
          asked.add(answer);
          if (asked.size() == 4) { // Else the read may end before all were asked for.
            first.complete(damaged(asked.get(0).join()));
          }
          return asked.size() > 1 ? new CompletableFuture<>() : first;
        };
    try (HyperslabReader reader = new HyperslabReader(exactRanges)) {
      // Chunks that touch are one range: a column of chunks is four.
      Hyperslab column = Hyperslab.box(new long[] {0, 5}, new long[] {16, 6});
      assertThatThrownBy(() -> reader.read(array, column)).hasMessageContaining("CHUNK_CORRUPT");
    }
    assertThat(asked).hasSize(4);
  }

  private ObjectBytes damaged(ObjectBytes bytes) {
    byte[] damaged = new byte[bytes.bytes().remaining()];
    Arrays.fill(damaged, (byte) 7);
    return new ObjectBytes(
        ByteBuffer.wrap(damaged), bytes.start(), bytes.objectSize(), bytes.etag());
  }

  @Test
  void valuesAreRightInWhateverOrderRangesCome() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    Random delays = new Random(seed + 1);
    ZarrArray array = array(Shape.of(40, 36));
    store.change =
        answer ->
            answer.thenApplyAsync(
                bytes -> bytes,
                CompletableFuture.delayedExecutor(delays.nextInt(3000), TimeUnit.MICROSECONDS));
    for (int i = 0; i < 200; i++) {
      long top = random.nextInt(39);
      long left = random.nextInt(35);
      Hyperslab box =
          Hyperslab.box(
              new long[] {top, left},
              new long[] {
                top + 1 + random.nextInt((int) (40 - top)),
                left + 1 + random.nextInt((int) (36 - left))
              });
      try (HyperslabReader reader = new HyperslabReader(exactRanges)) {
        HyperslabReaderTest.assertReads(reader, array, box);
        HyperslabReaderTest.assertReads(reader, array, box); // of chunks and indexes that are kept
      }
    }
  }
}
