package io.arraymorph.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.slice.SliceClient;
import io.arraymorph.slice.SliceException;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.RegisteredStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Small objects are read by one request, whatever is wanted of them. */
class SmallObjectsTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final Shape SHARD = Shape.of(128, 128);
  private static final SliceLimits LIMITS =
      new SliceLimits(1 << 20, 4 << 20, 64 << 20, 4, Duration.ofSeconds(20));

  private final RecordingObjectStore store =
      new RecordingObjectStore(new MemoryObjectStore("small"));
  private final String root = RegisteredStores.register(store);
  private SliceServer server;
  private SliceClient client;

  @BeforeEach
  void start() {
    server = LoopbackServers.start(root, LIMITS);
    client = new SliceClient(server.uri(), LoopbackServers.TOKEN, Duration.ofSeconds(20));
  }

  @AfterEach
  void stop() {
    server.close();
    store.close();
  }

  private void put(String key, byte[] bytes) {
    store.put(key, ByteBuffer.wrap(bytes), WriteCondition.NONE).join();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private ZarrArray sharded() {
    return ZarrArray.of(
        ObjectStores.open(root + "/a", StoreConfig.empty()),
        new ZarrArraySpec(
            INT32,
            SHARD,
            Shape.of(32, 32),
            Optional.of(SHARD),
            Compression.parse("zstd"),
            ZarrArraySpec.defaultFill(INT32),
            List.of("y", "x"),
            JsonNodeFactory.instance.objectNode()));
  }

  /** Noise but for one inner chunk, which holds the fill value and so is not stored. */
  private static FixedWidthElements shardOfNoise() {
    byte[] noise = new byte[128 * 128 * 4];
    new Random(21).nextBytes(noise);
    for (int row = 64; row < 96; row++) {
      Arrays.fill(noise, (row * 128 + 32) * 4, (row * 128 + 64) * 4, (byte) 0);
    }
    return new FixedWidthElements(INT32, SHARD, noise, 0);
  }

  @Test
  void aSmallShardIsReadByOneRequest() {
    ZarrArray array = sharded();
    FixedWidthElements known = shardOfNoise();
    StorePath object = array.chunkObject(ChunkCoordinates.of(0, 0));
    put(object.key(), array.pipeline(SHARD).encode(known));
    store.clear();
    Hyperslab near = Hyperslab.of(IndexRange.of(60, 100), new IndexRange(30, 70, 3));
    Hyperslab corner = Hyperslab.box(new long[] {127, 0}, new long[] {128, 2});
    SliceRequest request =
        new SliceRequest(
            root + "/" + object.key(),
            Optional.empty(),
            new SliceRequest.Boxes(array.metadataText(), SHARD, List.of(near, corner)));
    int length = (int) (near.elementCount() + corner.elementCount()) * 4;
    ByteBuffer answer = ByteBuffer.wrap(bytes(client.slice(request, length).join().bytes()));
    for (Hyperslab box : List.of(near, corner)) {
      FixedWidthElements part = (FixedWidthElements) HyperslabCopy.pack(known, box);
      byte[] found = new byte[(int) part.byteSize()];
      answer.get(found);
      int from = part.offset();
      assertThat(found).isEqualTo(Arrays.copyOfRange(part.bytes(), from, from + found.length));
    }
    assertThat(store.count(StoreOperation.GET)).isEqualTo(1);
  }

  @Test
  void aShardThatEndsBeforeItsIndexIsCorrupt() {
    ZarrArray array = sharded();
    StorePath object = array.chunkObject(ChunkCoordinates.of(0, 0));
    put(object.key(), new byte[100]);
    SliceRequest request =
        new SliceRequest(
            root + "/" + object.key(),
            Optional.empty(),
            new SliceRequest.Boxes(
                array.metadataText(),
                SHARD,
                List.of(Hyperslab.box(new long[] {0, 0}, new long[] {1, 1}))));
    assertThatThrownBy(() -> client.slice(request, 4).join())
        .cause()
        .isInstanceOfSatisfying(
            SliceException.class, e -> assertThat(e.code()).isEqualTo("CHUNK_CORRUPT"));
  }

  @Test
  void partsThatLieNearAreReadByOneRequestAndOthersEach() {
    byte[] noise = new byte[1 << 20];
    new Random(22).nextBytes(noise);
    List<SliceRequest> requests = new ArrayList<>();
    List<Integer> lengths = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      int length = i == 63 ? noise.length : 4096;
      put("c/" + i, Arrays.copyOfRange(noise, noise.length - length, noise.length));
      SliceRuns runs = new SliceRuns(length / 2, 10, new long[] {2}, new long[] {length / 2 - 10});
      requests.add(
          new SliceRequest(
              root + "/c/" + i, Optional.empty(), new SliceRequest.Runs(List.of(runs))));
      lengths.add(20);
    }
    store.clear();
    checkAnswers(client.sliceAll(requests, lengths).join(), noise);
    assertThat(store.count(StoreOperation.GET)).isEqualTo(63 + 2);
    assertThat(store.bytesRead()).isEqualTo(63 * 2048 + 20);
  }

  private static void checkAnswers(List<Optional<SliceClient.Answer>> answers, byte[] noise) {
    for (int i = 0; i < answers.size(); i++) {
      int length = i == 63 ? noise.length : 4096;
      byte[] expected = new byte[20];
      System.arraycopy(noise, noise.length - length + length / 2, expected, 0, 10);
      System.arraycopy(noise, noise.length - 10, expected, 10, 10);
      SliceClient.Answer answer = answers.get(i).orElseThrow();
      assertThat(bytes(answer.bytes())).as("slice %d", i).isEqualTo(expected);
      assertThat(answer.objectBytes()).isEqualTo(length);
    }
  }
}
