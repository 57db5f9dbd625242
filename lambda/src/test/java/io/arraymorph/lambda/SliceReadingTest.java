package io.arraymorph.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
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
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.FaultyObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.RegisteredStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the server reads to answer, and how long it takes at most. */
class SliceReadingTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final SliceLimits LIMITS =
      new SliceLimits(1 << 20, 4 << 20, 64 << 20, 4, Duration.ofSeconds(20));

  private final FaultyObjectStore faulty = new FaultyObjectStore(new MemoryObjectStore("m"));
  private final RecordingObjectStore store = new RecordingObjectStore(faulty);
  private final String root = RegisteredStores.register(store);
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    store.close();
  }

  private SliceClient client(SliceLimits limits, String... allowed) {
    SliceServer server =
        SliceServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            "secret",
            List.of(allowed),
            StoreConfig.empty(),
            limits);
    opened.add(server);
    return new SliceClient(server.uri(), "secret", Duration.ofSeconds(30));
  }

  private ZarrArray array(Shape shape, Shape chunk, Optional<Shape> shard, String codec) {
    return ZarrArray.of(
        ObjectStores.open(root + "/a", StoreConfig.empty()),
        new ZarrArraySpec(
            INT32,
            shape,
            chunk,
            shard,
            Compression.parse(codec),
            ZarrArraySpec.defaultFill(INT32),
            List.of("y", "x"),
            JsonNodeFactory.instance.objectNode()));
  }

  private static FixedWidthElements random(Shape shape, long seed) {
    byte[] bytes = new byte[(int) shape.elementCount() * 4];
    new Random(seed).nextBytes(bytes);
    return new FixedWidthElements(INT32, shape, bytes, 0);
  }

  private String put(ZarrArray array, FixedWidthElements chunk) {
    StorePath object = array.chunkObject(ChunkCoordinates.of(0, 0));
    byte[] encoded = array.pipeline(chunk.shape()).encode(chunk);
    store.put(object.key(), ByteBuffer.wrap(encoded), WriteCondition.NONE).join();
    store.clear();
    return root + "/" + object.key();
  }

  private static byte[] packed(FixedWidthElements chunk, Hyperslab box) {
    FixedWidthElements part = (FixedWidthElements) HyperslabCopy.pack(chunk, box);
    int length = (int) part.byteSize();
    return Arrays.copyOfRange(part.bytes(), part.offset(), part.offset() + length);
  }

  private static byte[] bytes(CompletableFuture<SliceClient.Answer> answer) {
    byte[] bytes = new byte[answer.join().bytes().remaining()];
    answer.join().bytes().get(bytes);
    return bytes;
  }

  private static SliceRequest boxes(ZarrArray array, String object, Shape chunk, Hyperslab... of) {
    return new SliceRequest(
        object, Optional.empty(), new SliceRequest.Boxes(array.metadataText(), chunk, List.of(of)));
  }

  @Test
  void readsOnlyTheIndexAndTheTouchedInnerChunksOfAShard() {
    Shape shape = Shape.of(1024, 1024);
    ZarrArray array = array(shape, Shape.of(256, 256), Optional.of(shape), "zstd");
    FixedWidthElements shard = random(shape, 5);
    String object = put(array, shard);
    Hyperslab box = Hyperslab.of(IndexRange.of(250, 260), new IndexRange(3, 900, 100));
    SliceClient client = client(LIMITS, root);
    int length = (int) box.elementCount() * 4;
    assertThat(bytes(client.slice(boxes(array, object, shape, box), length)))
        .isEqualTo(packed(shard, box));
    // The index of 16 inner chunks, then two rows of them, which lie one after the other.
    assertThat(store.count(StoreOperation.GET)).isEqualTo(2);
    assertThat(store.bytesRead()).isBetween(8L << 18, (8L << 18) + 20_000);
    store.clear();
    Hyperslab corner = Hyperslab.of(IndexRange.of(1000, 1001), IndexRange.of(1000, 1001));
    bytes(client.slice(boxes(array, object, shape, corner), 4));
    assertThat(store.bytesRead()).isLessThan((1 << 18) + 2000);
  }

  @Test
  void leavesOutLargeGapsOfARawChunk() {
    Shape shape = Shape.of(2048, 2048);
    ZarrArray array = array(shape, shape, Optional.empty(), "none");
    FixedWidthElements chunk = random(shape, 6);
    String object = put(array, chunk);
    Hyperslab rows = Hyperslab.of(new IndexRange(0, 2048, 1000), IndexRange.of(0, 100));
    SliceClient client = client(LIMITS, root);
    int length = (int) rows.elementCount() * 4;
    assertThat(bytes(client.slice(boxes(array, object, shape, rows), length)))
        .isEqualTo(packed(chunk, rows));
    assertThat(store.bytesRead()).isEqualTo(length);
    store.clear();
    Hyperslab columns = Hyperslab.of(IndexRange.of(0, 2048), IndexRange.of(10, 11));
    assertThat(bytes(client.slice(boxes(array, object, shape, columns), 2048 * 4)))
        .isEqualTo(packed(chunk, columns));
    // One span of nearly 16 MiB, in two parts side by side.
    assertThat(store.count(StoreOperation.GET)).isEqualTo(2);
  }

  @Test
  void answersRandomBoxesOfRawShardedAndCompressedChunks() {
    SliceClient client = client(LIMITS, root);
    for (long seed = 100; seed < 180; seed++) {
      Random random = new Random(seed);
      Shape inner = Shape.of(1 + random.nextInt(9), 1 + random.nextInt(9));
      Shape shape =
          Shape.of(
              inner.length(0) * (1 + random.nextInt(4)), inner.length(1) * (1 + random.nextInt(4)));
      boolean sharded = random.nextBoolean();
      String codec = List.of("none", "zstd", "gzip").get(random.nextInt(3));
      ZarrArray array =
          array(
              shape,
              sharded ? inner : shape,
              sharded ? Optional.of(shape) : Optional.empty(),
              codec);
      FixedWidthElements chunk = random(shape, seed);
      if (sharded && random.nextBoolean()) {
        // Inner chunks of fill values only, which are not stored.
        int zeros = chunk.bytes().length / 2;
        Arrays.fill(chunk.bytes(), 0, zeros, (byte) 0);
      }
      String object = put(array, chunk);
      List<Hyperslab> boxes = new ArrayList<>();
      java.io.ByteArrayOutputStream expected = new java.io.ByteArrayOutputStream();
      for (int i = 0; i < 4; i++) {
        Hyperslab box = RandomArrays.hyperslab(random, shape);
        if (!box.isEmpty()) {
          boxes.add(box);
          expected.writeBytes(packed(chunk, box));
        }
      }
      if (!boxes.isEmpty()) {
        SliceRequest request = boxes(array, object, shape, boxes.toArray(Hyperslab[]::new));
        assertThat(bytes(client.slice(request, expected.size())))
            .as("seed %s", seed)
            .isEqualTo(expected.toByteArray());
      }
    }
  }

  private static SliceRequest runs(String object, SliceRuns... runs) {
    return new SliceRequest(object, Optional.empty(), new SliceRequest.Runs(List.of(runs)));
  }

  private static final SliceRuns FIRST = new SliceRuns(0, 64, new long[0], new long[0]);

  private static void refused(CompletableFuture<?> answer, int status, String code) {
    assertThatThrownBy(answer::join)
        .cause()
        .isInstanceOfSatisfying(
            SliceException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.status()).isEqualTo(status);
              assertThat(e.toString()).doesNotContain("secret").doesNotContain("Signature");
            });
  }

  @Test
  void endsWhenItsTimeIsOverAndWhenItIsClosed() throws Exception {
    Shape shape = Shape.of(64, 64);
    ZarrArray array = array(shape, shape, Optional.empty(), "none");
    String object = put(array, random(shape, 1));
    faulty.inject(StoreOperation.GET, "a/", new FaultyObjectStore.Effect.Hang(), 2);
    SliceLimits quick = new SliceLimits(1 << 20, 1 << 20, 1 << 20, 4, Duration.ofMillis(300));
    long start = System.nanoTime();
    refused(client(quick, root).slice(runs(object, FIRST), 64), 504, "TIMEOUT");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    SliceClient patient = client(LIMITS, root);
    CompletableFuture<SliceClient.Answer> pending = patient.slice(runs(object, FIRST), 64);
    for (int i = 0; i < 200 && store.count(StoreOperation.GET) < 2; i++) {
      Thread.sleep(10);
    }
    opened.get(opened.size() - 1).close();
    start = System.nanoTime();
    assertThatThrownBy(pending::join).hasCauseInstanceOf(SliceException.class);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void whatIsOverTheLimitsIsRefused() {
    Shape shape = Shape.of(512, 512);
    ZarrArray array = array(shape, shape, Optional.empty(), "zstd");
    String object = put(array, random(shape, 1));
    SliceLimits tight = new SliceLimits(2000, 1000, 100_000, 4, Duration.ofSeconds(10));
    SliceClient client = client(tight, root);
    refused(
        client.slice(runs(object, new SliceRuns(0, 1001, new long[0], new long[0])), 1001),
        422,
        "TOO_LARGE");
    SliceRuns wide = new SliceRuns(0, 1, new long[] {500}, new long[] {1000});
    refused(client.slice(runs(object, wide), 500), 422, "TOO_LARGE");
    Hyperslab cell = Hyperslab.of(IndexRange.of(0, 1), IndexRange.of(0, 1));
    refused(client.slice(boxes(array, object, shape, cell), 4), 422, "TOO_LARGE");
    SliceRuns[] many = new SliceRuns[600];
    Arrays.fill(many, FIRST);
    refused(client.slice(runs(object, many), 600 * 64), 413, "TOO_LARGE");
  }

  /** A store behind presigned URLs, as far as readers see it. */
  private static final class UrlServer implements AutoCloseable {
    private final byte[] object = new byte[300_000];
    private final HttpServer server;
    private final AtomicInteger failures = new AtomicInteger();
    private String lie = "";

    UrlServer() throws IOException {
      new Random(3).nextBytes(object);
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", this::handle);
      server.start();
    }

    URI url(String query) {
      return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/b/x?" + query);
    }

    private void handle(HttpExchange exchange) throws IOException {
      try (exchange) {
        if (!"Signature=right".equals(exchange.getRequestURI().getQuery())) {
          exchange.sendResponseHeaders(403, -1);
          return;
        }
        if (failures.getAndDecrement() > 0) {
          exchange.sendResponseHeaders(503, -1);
          return;
        }
        if (lie.equals("redirect")) {
          exchange.getResponseHeaders().set("Location", url("Signature=right").toString());
          exchange.sendResponseHeaders(302, -1);
          return;
        }
        String match = exchange.getRequestHeaders().getFirst("If-Match");
        if (match != null && !match.equals("\"v1\"")) {
          exchange.sendResponseHeaders(412, -1);
          return;
        }
        String[] range = exchange.getRequestHeaders().getFirst("Range").substring(6).split("-");
        int start = Integer.parseInt(range[0]) + (lie.equals("range") ? 1 : 0);
        int end = Math.min(object.length, Integer.parseInt(range[1]) + 1);
        exchange.getResponseHeaders().set("ETag", "\"v1\"");
        exchange
            .getResponseHeaders()
            .set("Content-Range", "bytes " + start + "-" + (end - 1) + "/" + object.length);
        exchange.sendResponseHeaders(206, end - start);
        exchange.getResponseBody().write(object, start, end - start);
      }
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  private static SliceRequest presigned(URI url, Optional<String> etag) {
    SliceRuns runs = new SliceRuns(1000, 10, new long[] {3}, new long[] {100});
    return new SliceRequest(
        "s3://b/x", Optional.of(url), etag, new SliceRequest.Runs(List.of(runs)));
  }

  @Test
  void readsPresignedUrlsOfAllowedHosts() throws IOException {
    UrlServer urls = new UrlServer();
    opened.add(urls);
    URI right = urls.url("Signature=right");
    String origin = "http://127.0.0.1:" + right.getPort();
    SliceClient client = client(LIMITS, origin);
    byte[] expected = new byte[30];
    for (int i = 0; i < 3; i++) {
      System.arraycopy(urls.object, 1000 + 100 * i, expected, 10 * i, 10);
    }
    SliceClient.Answer answer = client.slice(presigned(right, Optional.empty()), 30).join();
    assertThat(answer.etag()).isEqualTo("\"v1\"");
    assertThat(answer.objectBytes()).isEqualTo(300_000);
    assertThat(answer.bytes()).isEqualTo(ByteBuffer.wrap(expected));
    urls.failures.set(2);
    assertThat(bytes(client.slice(presigned(right, Optional.of("\"v1\"")), 30)))
        .isEqualTo(expected);
    urls.failures.set(0);
    refused(client.slice(presigned(right, Optional.of("\"v0\"")), 30), 412, "PRECONDITION_FAILED");
    refused(
        client.slice(presigned(urls.url("Signature=wrong"), Optional.empty()), 30), 403, "DENIED");
    urls.lie = "range";
    refused(client.slice(presigned(right, Optional.empty()), 30), 502, "PROTOCOL");
    urls.lie = "redirect";
    refused(client.slice(presigned(right, Optional.empty()), 30), 502, "PROTOCOL");
    // Without a URL the server would need credentials for what it was not allowed to read.
    refused(client.slice(runs("s3://b/x", FIRST), 64), 403, "NOT_ALLOWED");
    assertThat(presigned(right, Optional.empty()).toString()).doesNotContain("Signature");
  }

  @Test
  void otherHostsAreNeverAsked() throws IOException {
    UrlServer urls = new UrlServer();
    opened.add(urls);
    int port = urls.url("").getPort();
    SliceClient client = client(LIMITS, "https://*.example.com", "http://127.0.0.1:1", root);
    for (String url :
        List.of(
            "http://127.0.0.1:" + port + "/b/x?Signature=right",
            "http://a.example.com/x",
            "https://example.com/x",
            "https://a.example.com.evil.org/x",
            "https://a.example.com@169.254.169.254/latest",
            "http://169.254.169.254/latest/meta-data",
            "file:///etc/passwd",
            "/etc/passwd")) {
      refused(client.slice(presigned(URI.create(url), Optional.empty()), 30), 403, "NOT_ALLOWED");
    }
    assertThat(
            new AllowedObjects(List.of("https://*.example.com"))
                .holds(URI.create("https://a.EXAMPLE.com/x?y")))
        .isTrue();
    assertThatThrownBy(() -> new AllowedObjects(List.of("https://example.com/path")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new AllowedObjects(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
