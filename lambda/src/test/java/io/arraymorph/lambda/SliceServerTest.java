package io.arraymorph.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpServer;
import io.arraymorph.ArrayMorphException;
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
import io.arraymorph.slice.SliceClient;
import io.arraymorph.slice.SliceException;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SliceServerTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final SliceLimits LIMITS =
      new SliceLimits(1 << 20, 1 << 20, 4 << 20, 4, Duration.ofSeconds(10));

  @TempDir private Path folder;
  private SliceServer server;
  private SliceClient client;

  @BeforeEach
  void start() {
    server = LoopbackServers.start("file://" + folder + "/open", LIMITS);
    client = client(server.uri(), LoopbackServers.TOKEN);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static SliceClient client(URI endpoint, String token) {
    return new SliceClient(endpoint, token, Duration.ofSeconds(20));
  }

  private ZarrArray array(String name, Shape shape, Shape chunk, Shape shard, String codec) {
    StorePath path = ObjectStores.open(folder + "/" + name, StoreConfig.empty());
    return ZarrArray.of(
        path,
        new ZarrArraySpec(
            INT32,
            shape,
            chunk,
            Optional.ofNullable(shard),
            Compression.parse(codec),
            ZarrArraySpec.defaultFill(INT32),
            java.util.stream.IntStream.range(0, shape.rank()).mapToObj(d -> "d" + d).toList(),
            JsonNodeFactory.instance.objectNode()));
  }

  private static FixedWidthElements random(Shape shape, Random random) {
    byte[] bytes = new byte[(int) shape.elementCount() * 4];
    random.nextBytes(bytes);
    return new FixedWidthElements(INT32, shape, bytes, 0);
  }

  private static String put(ZarrArray array, FixedWidthElements chunk) {
    long[] first = new long[chunk.shape().rank()];
    StorePath object = array.chunkObject(ChunkCoordinates.of(first));
    ByteBuffer encoded = ByteBuffer.wrap(array.pipeline(chunk.shape()).encode(chunk));
    object.store().put(object.key(), encoded, WriteCondition.NONE).join();
    return object.toString();
  }

  private static byte[] packed(FixedWidthElements chunk, Hyperslab box) {
    FixedWidthElements part = (FixedWidthElements) HyperslabCopy.pack(chunk, box);
    int length = (int) part.byteSize();
    return Arrays.copyOfRange(part.bytes(), part.offset(), part.offset() + length);
  }

  private static byte[] bytes(SliceClient.Answer answer) {
    byte[] bytes = new byte[answer.bytes().remaining()];
    answer.bytes().get(bytes);
    return bytes;
  }

  @Test
  void manyCallsAtOnceWaitForASlotEach() {
    ZarrArray array = array("open/many", Shape.of(64, 64), Shape.of(64, 64), null, "none");
    FixedWidthElements chunk = random(Shape.of(64, 64), new Random(5));
    String object = put(array, chunk);
    byte[] all = packed(chunk, Hyperslab.all(chunk.shape()));
    List<CompletableFuture<SliceClient.Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 30 * LIMITS.concurrency(); i++) {
      SliceRuns runs = new SliceRuns(4L * i, 4096, new long[0], new long[0]);
      SliceRequest.Part part = new SliceRequest.Runs(List.of(runs));
      answers.add(client.slice(new SliceRequest(object, Optional.empty(), part), 4096));
    }
    for (int i = 0; i < answers.size(); i++) {
      assertThat(bytes(answers.get(i).join()))
          .isEqualTo(Arrays.copyOfRange(all, 4 * i, 4 * i + 4096));
    }
  }

  @Test
  void answersBoxesOfRawCompressedAndShardedChunks() throws IOException {
    for (long seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 8);
      if (shape.isEmpty()) {
        continue;
      }
      boolean sharded = seed % 3 == 2;
      long[] inner = new long[shape.rank()];
      Arrays.fill(inner, 1);
      ZarrArray array =
          array(
              "open/a" + seed,
              shape,
              sharded ? Shape.of(inner) : shape,
              sharded ? shape : null,
              seed % 3 == 0 ? "none" : "zstd");
      FixedWidthElements chunk = random(shape, random);
      String object = put(array, chunk);
      List<Hyperslab> boxes = new ArrayList<>();
      java.io.ByteArrayOutputStream expected = new java.io.ByteArrayOutputStream();
      for (int i = 0; i < 3; i++) {
        Hyperslab box = RandomArrays.hyperslab(random, shape);
        if (!box.isEmpty()) {
          boxes.add(box);
          expected.write(packed(chunk, box));
        }
      }
      if (boxes.isEmpty()) {
        continue;
      }
      SliceRequest request =
          new SliceRequest(
              object, Optional.empty(), new SliceRequest.Boxes(array.metadataText(), shape, boxes));
      assertThat(bytes(client.slice(request, expected.size()).join()))
          .as("seed " + seed)
          .isEqualTo(expected.toByteArray());
    }
  }

  private String object() {
    ZarrArray array = array("open/b", Shape.of(16, 16), Shape.of(16, 16), null, "none");
    return put(array, random(Shape.of(16, 16), new Random(7)));
  }

  private static SliceRequest runs(String object, Optional<String> etag, SliceRuns... runs) {
    return new SliceRequest(object, etag, new SliceRequest.Runs(List.of(runs)));
  }

  private static final SliceRuns COLUMN =
      new SliceRuns(8, 4, new long[] {2, 8}, new long[] {512, 64});

  @Test
  void answersRunsOfBytesAndNamesTheVersion() {
    String object = object();
    FixedWidthElements chunk = random(Shape.of(16, 16), new Random(7));
    SliceClient.Answer answer = client.slice(runs(object, Optional.empty(), COLUMN), 64).join();
    Hyperslab column = Hyperslab.of(IndexRange.of(0, 16), IndexRange.single(2));
    assertThat(bytes(answer)).isEqualTo(packed(chunk, column));
    assertThat(answer.objectBytes()).isEqualTo(1024);
    assertThat(client.slice(runs(object, Optional.of(answer.etag()), COLUMN), 64).join().etag())
        .isEqualTo(answer.etag());
    refused(client, runs(object, Optional.of("\"other\""), COLUMN), 412, "PRECONDITION_FAILED");
  }

  private static void refused(SliceClient caller, SliceRequest request, int status, String code) {
    assertThatThrownBy(() -> caller.slice(request, 64).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SliceException.class,
            e -> {
              assertThat(e.status()).isEqualTo(status);
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.toString()).doesNotContain("secret");
            });
  }

  @Test
  void readsOnlyWhatItIsAllowedTo() {
    String object = object();
    ZarrArray other = array("openly/b", Shape.of(4), Shape.of(4), null, "none");
    String outside = put(other, random(Shape.of(4), new Random(1)));
    refused(client, runs(outside, Optional.empty(), COLUMN), 403, "NOT_ALLOWED");
    refused(client, runs(folder + "/open/b", Optional.empty(), COLUMN), 403, "NOT_ALLOWED");
    refused(
        client,
        runs("file://" + folder + "/open/../openly/b/c/0", Optional.empty(), COLUMN),
        403,
        "NOT_ALLOWED");
    refused(client, runs("http://127.0.0.1:1/x", Optional.empty(), COLUMN), 403, "NOT_ALLOWED");
    refused(
        client(server.uri(), "wrong"), runs(object, Optional.empty(), COLUMN), 401, "UNAUTHORIZED");
  }

  @Test
  void refusesWhatItCannotAnswer() {
    String object = object();
    refused(client, runs(object + "0", Optional.empty(), COLUMN), 404, "NOT_FOUND");
    SliceRuns beyond = new SliceRuns(1000, 64, new long[0], new long[0]);
    refused(client, runs(object, Optional.empty(), beyond), 422, "CHUNK_CORRUPT");
    SliceRuns large = new SliceRuns(0, 1, new long[] {1 << 21}, new long[] {1});
    refused(client, runs(object, Optional.empty(), large), 422, "TOO_LARGE");
    SliceRuns wide = new SliceRuns(0, 1, new long[] {2}, new long[] {1L << 40});
    refused(client, runs(object, Optional.empty(), wide), 422, "RANGE_NOT_SATISFIABLE");
    ZarrArray zstd = array("open/z", Shape.of(8), Shape.of(8), null, "zstd");
    StorePath broken = zstd.chunkObject(ChunkCoordinates.of(0));
    broken.store().put(broken.key(), ByteBuffer.wrap(new byte[9]), WriteCondition.NONE).join();
    SliceRequest.Boxes all =
        new SliceRequest.Boxes(
            zstd.metadataText(), Shape.of(8), List.of(Hyperslab.all(Shape.of(8))));
    refused(
        client, new SliceRequest(broken.toString(), Optional.empty(), all), 422, "CHUNK_CORRUPT");
    SliceRequest.Boxes nonsense =
        new SliceRequest.Boxes("{}", Shape.of(8), List.of(Hyperslab.all(Shape.of(8))));
    assertThatThrownBy(
            () -> client.slice(new SliceRequest(object, Optional.empty(), nonsense), 32).join())
        .hasCauseInstanceOf(SliceException.class);
  }

  @Test
  void malformedRequestsAreRefused() throws IOException, InterruptedException {
    String start = "{\"arraymorph_slice\":1,\"object\":\"" + object() + "\"";
    List<String> bodies =
        List.of(
            "",
            "[]",
            "{",
            "{\"arraymorph_slice\":2}",
            start + "}",
            start + ",\"runs\":[]}",
            start + ",\"runs\":[[1]]}",
            start + ",\"runs\":[[0,-1]]}",
            start + ",\"runs\":[[0,1,9223372036854775807,9223372036854775807]]}",
            start + ",\"runs\":[[0,1.5]]}",
            start + ",\"runs\":[[0,1]],\"boxes\":[]}",
            start + ",\"runs\":[[0,1]],\"more\":1}",
            start + ",\"runs\":[[0,1]],\"runs\":[[0,1]]}",
            start + ",\"boxes\":[[[0,9,1]]],\"metadata\":\"x\",\"chunk_shape\":[8]}",
            start + ",\"boxes\":[[[0,9,0]]],\"metadata\":\"x\",\"chunk_shape\":[9]}",
            start + ",\"boxes\":[[]],\"metadata\":\"x\",\"chunk_shape\":[-9]}");
    for (String body : bodies) {
      HttpRequest post =
          HttpRequest.newBuilder(server.uri())
              .header("Authorization", "Bearer secret")
              .POST(HttpRequest.BodyPublishers.ofString(body))
              .build();
      HttpResponse<String> response =
          HttpClient.newHttpClient().send(post, HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).as(body).isEqualTo(400);
    }
  }

  @Test
  void lyingServersAreFoundOut() throws IOException {
    for (String lie : List.of("length", "crc", "version")) {
      HttpServer liar =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      liar.createContext(
          "/slice",
          exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] body = new byte[lie.equals("length") ? 63 : 64];
            java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
            crc.update(body);
            body[0] = (byte) (lie.equals("crc") ? 1 : 0);
            exchange
                .getResponseHeaders()
                .set(SliceProtocol.CRC_HEADER, Long.toHexString(crc.getValue()));
            if (!lie.equals("version")) {
              exchange.getResponseHeaders().set(SliceProtocol.ETAG_HEADER, "x");
              exchange.getResponseHeaders().set(SliceProtocol.SIZE_HEADER, "1024");
            }
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      liar.start();
      try {
        URI uri = URI.create("http://127.0.0.1:" + liar.getAddress().getPort() + "/slice");
        String code =
            lie.equals("length") ? "WRONG_LENGTH" : lie.equals("crc") ? "WRONG_CRC" : "NO_VERSION";
        refused(client(uri, "t"), runs("s3://b/x", Optional.empty(), COLUMN), 200, code);
      } finally {
        liar.stop(0);
      }
    }
  }

  @Test
  void tokensAreSentToNobodyElse() {
    for (String endpoint : List.of("http://10.0.0.1/slice", "ftp://localhost/x", "/slice")) {
      assertThatThrownBy(() -> client(URI.create(endpoint), "secret"))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_INVALID_OPTION");
    }
    server.close();
    refused(client, runs("s3://b/x", Optional.empty(), COLUMN), 0, "UNREACHABLE");
    assertThat(client.toString()).doesNotContain("secret");
  }
}
