package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A reader whose window is small reads what is many times larger than the memory of its process:
 * each case is a JVM of 80 MiB that reads 256 MiB and takes them slowly.
 */
@Timeout(120)
class BoundedMemoryTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final Shape SHAPE = Shape.of(16384, 4096);
  private static final int ROWS = 256;

  /** Each object has the same bytes, which are made anew for each answer. */
  private static final class Generated extends ForwardingObjectStore {
    private final byte[] content;
    private final long size;

    /**
     * @param content null for zeros
     */
    Generated(byte[] content, long size) {
      super(new MemoryObjectStore("generated"));
      this.content = content;
      this.size = size;
    }

    /** Far away: for near stores the window is small in any case. */
    @Override
    public String uri() {
      return "s3://generated";
    }

    @Override
    public CompletableFuture<ObjectBytes> get(
        String key, ByteRange range, ReadCondition condition) {
      return CompletableFuture.supplyAsync(
          () -> answer(range), CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS));
    }

    private ObjectBytes answer(ByteRange range) {
      long start = 0;
      long end = size;
      if (range instanceof ByteRange.Bounded) {
        start = ((ByteRange.Bounded) range).start();
        end = ((ByteRange.Bounded) range).end();
      } else if (range instanceof ByteRange.Suffix) {
        start = size - ((ByteRange.Suffix) range).length();
      }
      byte[] bytes = new byte[(int) (end - start)];
      if (content != null) {
        System.arraycopy(content, (int) start, bytes, 0, bytes.length);
      }
      return new ObjectBytes(ByteBuffer.wrap(bytes), start, size, "e");
    }
  }

  private static ZarrArray array(StorePath path, Shape chunk, Shape shard, Compression codec) {
    return ZarrArray.of(
        path,
        new ZarrArraySpec(
            INT32,
            SHAPE,
            chunk,
            Optional.ofNullable(shard),
            codec,
            ZarrArraySpec.parseFill("-1", INT32),
            List.of("y", "x"),
            JsonNodeFactory.instance.objectNode()));
  }

  /** An array of shards of 4 MiB that hardly compress, or of raw chunks of so many rows. */
  private static ZarrArray array(int chunkRows) {
    if (chunkRows > 0) {
      long bytes = 4 * SHAPE.length(1) * chunkRows;
      Shape chunk = Shape.of(chunkRows, SHAPE.length(1));
      return array(new StorePath(new Generated(null, bytes), "a"), chunk, null, Compression.NONE);
    }
    Shape chunk = Shape.of(64, 64);
    Shape shard = Shape.of(ROWS, SHAPE.length(1));
    ZarrArray model =
        array(new StorePath(new Generated(null, 0), "a"), chunk, shard, Compression.ZSTD);
    byte[] values = new byte[(int) shard.elementCount() * 4];
    new Random(7).nextBytes(values);
    byte[] encoded = model.pipeline(shard).encode(new FixedWidthElements(INT32, shard, values, 0));
    Generated store = new Generated(encoded, encoded.length);
    return array(new StorePath(store, "a"), chunk, shard, Compression.ZSTD);
  }

  /** Arguments: rows of a raw chunk or 0 for shards, and the bytes of the window. */
  public static void main(String[] arguments) throws InterruptedException {
    ZarrArray array = array(Integer.parseInt(arguments[0]));
    ReadSettings settings =
        ReadSettings.DEFAULT
            .withWindow(256, Long.parseLong(arguments[1]))
            .withCaches(1 << 20, 1 << 20);
    List<ReadRequest> requests =
        IntStream.range(0, (int) (SHAPE.length(0) / ROWS))
            .mapToObj(
                i ->
                    new ReadRequest(
                        array,
                        Hyperslab.of(
                            IndexRange.of((long) ROWS * i, (long) ROWS * i + ROWS),
                            IndexRange.of(0, SHAPE.length(1)))))
            .toList();
    long count = 0;
    try (HyperslabReader reader = new HyperslabReader(settings);
        ElementStream stream = reader.stream(requests.iterator())) {
      while (stream.hasNext()) {
        count += stream.next().count();
        Thread.sleep(20); // The reader is ahead as far as it may be.
      }
    }
    System.out.println(count + " elements");
  }

  private static String readInSmallProcess(int chunkRows, long window)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx80m",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                BoundedMemoryTest.class.getName(),
                Integer.toString(chunkRows),
                Long.toString(window))
            .redirectErrorStream(true)
            .start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() + ": " + said;
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void shardsAreReadWithinTheWindow() throws Exception {
    assertThat(readInSmallProcess(0, 12 << 20)).startsWith("0: ").contains("67108864 elements");
  }

  @Test
  void chunksThatAreLargerThanTheWindowAreReadInParts() throws Exception {
    assertThat(readInSmallProcess(2048, 12 << 20)).startsWith("0: ").contains("67108864 elements");
  }

  @Test
  void withoutABoundThatMemoryIsNotEnough() throws Exception {
    assertThat(readInSmallProcess(ROWS, 1L << 30)).doesNotContain("elements");
  }
}
