package io.arraymorph.network;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.loopback.SliceFunctionProcess;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadRequest;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.function.RemoteSliceFunction;
import io.arraymorph.optimizer.function.SliceFunctionOptions;
import io.arraymorph.optimizer.plan.FunctionPlanner;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.slice.SliceBatch;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A reader that asks a slice function for several chunks in one call. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class SeveralSlicesTest {
  private static final String TOKEN = "secret";
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final Shape SHAPE = Shape.of(80, 80);
  private static final Shape CHUNK = Shape.of(8, 8);
  private static final String BYTES =
      "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}";
  private static final String ZSTD =
      ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}";

  @TempDir Path folder;
  private SliceFunctionProcess process;
  private FixedWidthElements known;

  @BeforeEach
  void start() throws IOException {
    process = SliceFunctionProcess.start(TOKEN, Map.of(), "file://" + folder + "/open");
    byte[] bytes = new byte[(int) SHAPE.elementCount() * 4];
    new Random(3).nextBytes(bytes);
    known = new FixedWidthElements(INT32, SHAPE, bytes, 0);
  }

  @AfterEach
  void stop() {
    process.close();
  }

  /** The known array in a hundred chunks. */
  private ZarrArray array(String name, String codecs) {
    StorePath path = ObjectStores.open("file://" + folder + "/open/" + name, StoreConfig.empty());
    put(
        path.resolve("zarr.json"),
        StandardCharsets.UTF_8.encode(
            "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[80,80],\"data_type\":\"int32\","
                + "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[8,8]}},"
                + "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":["
                + codecs
                + "]}"));
    ZarrArray array = ZarrNodes.openArray(path);
    for (int y = 0; y < 10; y++) {
      for (int x = 0; x < 10; x++) {
        Hyperslab box =
            Hyperslab.box(new long[] {8L * y, 8L * x}, new long[] {8L * y + 8, 8L * x + 8});
        byte[] encoded = array.pipeline(CHUNK).encode(HyperslabCopy.pack(known, box));
        put(array.chunkObject(ChunkCoordinates.of(y, x)), ByteBuffer.wrap(encoded));
      }
    }
    return array;
  }

  private static void put(StorePath object, ByteBuffer bytes) {
    object.store().put(object.key(), bytes, WriteCondition.NONE).join();
  }

  private static byte[] bytes(FixedWidthElements part) {
    return Arrays.copyOfRange(part.bytes(), part.offset(), part.offset() + (int) part.byteSize());
  }

  private void assertReads(ZarrArray array, SliceFunction function, int calls) {
    Hyperslab columns = Hyperslab.of(IndexRange.of(0, 80), new IndexRange(3, 77, 5));
    ReadSettings settings =
        ReadSettings.DEFAULT.withPlanner(
            new FunctionPlanner(new OverlapCostModel(StoreProfiles.of("s3.wan"))));
    try (HyperslabReader reader = new HyperslabReader(settings, Optional.of(function))) {
      FixedWidthElements found =
          (FixedWidthElements)
              reader.stream(List.of(new ReadRequest(array, columns)).iterator()).next();
      assertThat(bytes(found))
          .isEqualTo(bytes((FixedWidthElements) HyperslabCopy.pack(known, columns)));
      assertThat(reader.metrics().sliceFunctionRequests()).isEqualTo(calls);
    }
  }

  private static SliceFunction function(URI uri) {
    return RemoteSliceFunction.of(new SliceFunctionOptions(uri, TOKEN, false, false));
  }

  @Test
  void aReadOfManyChunksTakesFewCalls() {
    SliceFunction function = function(process.endpoint());
    // A hundred chunks in eight calls of thirteen or fewer, decoded there or not.
    assertReads(array("raw", BYTES), function, 8);
    assertReads(array("zstd", BYTES + ZSTD), function, 8);
  }

  @Test
  void aFunctionThatKnowsVersionOneIsAskedForOneSliceACallFromThenOn() throws IOException {
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger passed = new AtomicInteger();
    HttpClient http = HttpClient.newHttpClient();
    ExecutorService workers = Executors.newCachedThreadPool();
    HttpServer old =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    old.setExecutor(workers);
    old.createContext("/slice", exchange -> answerAsVersionOne(exchange, http, refused, passed));
    old.start();
    try {
      SliceFunction function =
          function(URI.create("http://127.0.0.1:" + old.getAddress().getPort() + "/slice"));
      ZarrArray array = array("raw", BYTES);
      assertThat(function.mostTogether()).isEqualTo(SliceBatch.MAX_SLICES);
      assertReads(array, function, 8);
      assertThat(refused).hasValue(8);
      assertThat(passed).hasValue(100);
      assertThat(function.mostTogether()).isEqualTo(1);
      assertThat(function.breaker().isClosed()).isTrue();
      assertReads(array, function, 100);
      assertThat(refused).hasValue(8);
      assertThat(passed).hasValue(200);
    } finally {
      old.stop(0);
      workers.shutdownNow();
    }
  }

  @Test
  void aRefusalThatIsNotOfTheVersionDoesNotDivideLaterCalls() throws IOException {
    AtomicInteger refused = new AtomicInteger();
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.createContext(
        "/slice",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] text = "a box is outside of its chunk".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("X-ArrayMorph-Code", "INVALID_REQUEST");
            refused.incrementAndGet();
            exchange.sendResponseHeaders(400, text.length);
            exchange.getResponseBody().write(text);
          }
        });
    other.start();
    try {
      SliceFunction function =
          function(URI.create("http://127.0.0.1:" + other.getAddress().getPort() + "/slice"));
      // All values come, from the store; and no slice was asked for a second time.
      assertReads(array("raw", BYTES), function, 8);
      assertThat(refused).hasValue(8);
      assertThat(function.mostTogether()).isEqualTo(SliceBatch.MAX_SLICES);
    } finally {
      other.stop(0);
    }
  }

  /** Refuses several slices, and passes one on. */
  private void answerAsVersionOne(
      HttpExchange exchange, HttpClient http, AtomicInteger refused, AtomicInteger passed)
      throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      byte[] answer = "arraymorph_slice is 2, this server knows 1".getBytes(StandardCharsets.UTF_8);
      int status = 400;
      if (SliceBatch.parse(body).together()) {
        refused.incrementAndGet();
        exchange.getResponseHeaders().set("X-ArrayMorph-Code", "INVALID_REQUEST");
      } else {
        passed.incrementAndGet();
        HttpRequest request =
            HttpRequest.newBuilder(process.endpoint())
                .header("Authorization", "Bearer " + TOKEN)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<byte[]> found =
            http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray()).join();
        answer = found.body();
        status = found.statusCode();
        found.headers().map().entrySet().stream()
            .filter(header -> header.getKey().startsWith("x-arraymorph"))
            .forEach(h -> exchange.getResponseHeaders().set(h.getKey(), h.getValue().get(0)));
      }
      exchange.sendResponseHeaders(status, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }
}
