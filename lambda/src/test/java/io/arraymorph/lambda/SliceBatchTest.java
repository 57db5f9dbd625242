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
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceClient;
import io.arraymorph.slice.SliceException;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several slices in one call: version 2 of docs/spec/subset.md. */
class SliceBatchTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final Shape SHAPE = Shape.of(80, 80);
  private static final Shape CHUNK = Shape.of(8, 8);
  private static final SliceLimits LIMITS =
      new SliceLimits(1 << 20, 1 << 16, 4 << 20, 4, Duration.ofSeconds(10));

  @TempDir private Path folder;
  private SliceServer server;
  private SliceClient client;
  private FixedWidthElements known;

  @BeforeEach
  void start() {
    server = LoopbackServers.start("file://" + folder + "/open", LIMITS);
    client = new SliceClient(server.uri(), LoopbackServers.TOKEN, Duration.ofSeconds(20));
    byte[] bytes = new byte[(int) SHAPE.elementCount() * 4];
    new Random(3).nextBytes(bytes);
    known = new FixedWidthElements(INT32, SHAPE, bytes, 0);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  /** The known array in a hundred chunks. */
  private ZarrArray array(String codec) {
    StorePath path = ObjectStores.open("file://" + folder + "/open/" + codec, StoreConfig.empty());
    ZarrArray array =
        ZarrArray.of(
            path,
            new ZarrArraySpec(
                INT32,
                SHAPE,
                CHUNK,
                Optional.empty(),
                Compression.parse(codec),
                ZarrArraySpec.defaultFill(INT32),
                List.of("y", "x"),
                JsonNodeFactory.instance.objectNode()));
    for (long y = 0; y < 10; y++) {
      for (long x = 0; x < 10; x++) {
        Hyperslab box = Hyperslab.box(new long[] {8 * y, 8 * x}, new long[] {8 * y + 8, 8 * x + 8});
        StorePath object = array.chunkObject(ChunkCoordinates.of(y, x));
        ByteBuffer encoded =
            ByteBuffer.wrap(array.pipeline(CHUNK).encode(HyperslabCopy.pack(known, box)));
        object.store().put(object.key(), encoded, WriteCondition.NONE).join();
      }
    }
    return array;
  }

  private static SliceRequest runs(String object, long start, int length) {
    SliceRuns run = new SliceRuns(start, length, new long[0], new long[0]);
    return new SliceRequest(object, Optional.empty(), new SliceRequest.Runs(List.of(run)));
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.duplicate().get(bytes);
    return bytes;
  }

  private byte[] packed(Hyperslab box) {
    FixedWidthElements part = (FixedWidthElements) HyperslabCopy.pack(known, box);
    return Arrays.copyOfRange(part.bytes(), part.offset(), part.offset() + (int) part.byteSize());
  }

  @Test
  void oneCallAnswersSlicesOfManyObjectsInOrder() {
    ZarrArray raw = array("none");
    ZarrArray zstd = array("zstd");
    List<SliceRequest> requests = new ArrayList<>();
    List<Integer> lengths = new ArrayList<>();
    List<byte[]> expected = new ArrayList<>();
    Random random = new Random(9);
    for (int i = 0; i < SliceBatch.MAX_SLICES; i++) {
      long y = random.nextInt(10);
      long x = random.nextInt(10);
      ChunkCoordinates chunk = ChunkCoordinates.of(y, x);
      if (i % 7 == 3) {
        requests.add(runs(raw.chunkObject(ChunkCoordinates.of(20, i)).toString(), 0, 4));
        lengths.add(4);
        expected.add(null);
      } else if (i % 2 == 0) {
        requests.add(runs(raw.chunkObject(chunk).toString(), 32, 32));
        lengths.add(32);
        expected.add(
            packed(
                Hyperslab.box(new long[] {8 * y + 1, 8 * x}, new long[] {8 * y + 2, 8 * x + 8})));
      } else {
        Hyperslab column = Hyperslab.of(new IndexRange(0, 8, 2), IndexRange.of(5, 6));
        requests.add(
            new SliceRequest(
                zstd.chunkObject(chunk).toString(),
                Optional.empty(),
                new SliceRequest.Boxes(zstd.metadataText(), CHUNK, List.of(column))));
        lengths.add(16);
        expected.add(
            packed(
                Hyperslab.of(
                    new IndexRange(8 * y, 8 * y + 8, 2), IndexRange.of(8 * x + 5, 8 * x + 6))));
      }
    }
    List<Optional<SliceClient.Answer>> answers = client.sliceAll(requests, lengths).join();
    assertThat(answers).hasSize(requests.size());
    for (int i = 0; i < answers.size(); i++) {
      if (expected.get(i) == null) {
        assertThat(answers.get(i)).as("slice %d", i).isEmpty();
      } else {
        SliceClient.Answer answer = answers.get(i).orElseThrow();
        assertThat(bytes(answer.bytes())).as("slice %d", i).isEqualTo(expected.get(i));
        assertThat(answer.etag()).isNotEmpty();
        assertThat(answer.objectBytes()).isPositive();
      }
    }
  }

  private void refused(List<SliceRequest> requests, int each, int status, String code) {
    List<Integer> lengths = IntStream.range(0, requests.size()).mapToObj(i -> each).toList();
    assertThatThrownBy(() -> client.sliceAll(requests, lengths).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SliceException.class,
            refusal -> {
              assertThat(refusal.status()).isEqualTo(status);
              assertThat(refusal.code()).isEqualTo(code);
            });
  }

  @Test
  void oneSliceThatMayNotBeAnsweredRefusesTheCall() throws IOException {
    ZarrArray array = array("none");
    String good = array.chunkObject(ChunkCoordinates.of(1, 1)).toString();
    Path secret = folder.resolve("secret");
    Files.writeString(secret, "secret text");
    refused(List.of(runs(good, 0, 8), runs("file://" + secret, 0, 8)), 8, 403, "NOT_ALLOWED");
    refused(List.of(runs(good, 0, 8), runs(good, 250, 8)), 8, 422, "CHUNK_CORRUPT");
    SliceRequest.Part part = runs(good, 0, 8).part();
    SliceRequest pinned = new SliceRequest(good, Optional.of("\"another\""), part);
    refused(List.of(runs(good, 0, 8), pinned), 8, 412, "PRECONDITION_FAILED");
    // Sixty slices of 2 KiB are above the 64 KiB that a call may answer.
    String large = folder + "/open/large";
    Files.write(Path.of(large), new byte[4096]);
    List<SliceRequest> many = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      many.add(runs("file://" + large, i, 2048));
    }
    refused(many, 2048, 422, "TOO_LARGE");
  }

  @Test
  void requestsThatMakeNoSenseAreRefusedByName() {
    for (String[] bad :
        new String[][] {
          {"{\"arraymorph_slice\":3,\"slices\":[]}", "knows 1, 2"},
          {"{\"arraymorph_slice\":2,\"slices\":[]}", "0 slices"},
          {"{\"arraymorph_slice\":2,\"slices\":{}}", "slices is not a list"},
          {"{\"arraymorph_slice\":2,\"slices\":[3]}", "not a JSON object"},
          {"{\"arraymorph_slice\":2,\"slices\":[{\"objects\":1}]}", "unknown field 'objects'"},
          {"{\"arraymorph_slice\":2,\"object\":\"x\",\"slices\":[]}", "unknown field 'object'"},
          {"{\"arraymorph_slice\":2,\"slices\":[{\"object\":\"x\",\"boxes\":[]}]}", "chunk_shape"},
        }) {
      byte[] body = bad[0].getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> SliceBatch.parse(body))
          .as(bad[0])
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(bad[1]);
    }
  }

  @Test
  void cancellingAReadAbortsItsCalls() {
    CompletableFuture<List<Optional<SliceClient.Answer>>> answer =
        client.sliceAll(List.of(runs("file://" + folder + "/open/a", 0, 8)), List.of(8));
    answer.cancel(true);
    assertThat(answer).isCancelled();
  }
}
