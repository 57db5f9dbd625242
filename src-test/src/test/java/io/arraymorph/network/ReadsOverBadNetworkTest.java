package io.arraymorph.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.FaultProxy.Effect;
import io.arraymorph.loopback.FaultProxy.Exchange;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import io.arraymorph.testing.LocalS3;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** 64 chunks read over HTTP from a server that hangs, refuses or breaks off: exact requests. */
@Timeout(120)
class ReadsOverBadNetworkTest {
  private static final String BUCKET = "bad";
  private static final int SIDE = 128;
  private static final int CHUNK = 16;
  private static final ReadSettings WHOLE =
      ReadSettings.DEFAULT.withPlanner(AccessPlanner.named("get"));

  private static final String METADATA =
      "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[128,128],\"data_type\":\"int32\","
          + "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[16,16]}},"
          + "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,"
          + "\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}";

  @TempDir Path directory;
  private LocalS3 server;
  private FaultProxy proxy;
  private ZarrArray array;

  @BeforeEach
  void start() throws IOException {
    server = LocalS3.start(directory, BUCKET);
    proxy = FaultProxy.before(URI.create(server.endpoint()));
    StorePath path =
        ObjectStores.open(
            "s3a://" + BUCKET + "/a.zarr", StoreConfig.of(S3TestServer.settings(proxy.endpoint())));
    put(path.resolve("zarr.json"), StandardCharsets.UTF_8.encode(METADATA));
    array = ZarrNodes.openArray(path);
    for (int y = 0; y < SIDE / CHUNK; y++) {
      for (int x = 0; x < SIDE / CHUNK; x++) {
        put(array.chunkObject(ChunkCoordinates.of(y, x)), chunk(y, x));
      }
    }
    proxy.clear();
  }

  @AfterEach
  void stop() throws Exception {
    proxy.close();
    server.close();
  }

  private static void put(StorePath object, ByteBuffer bytes) {
    object.store().put(object.key(), bytes, WriteCondition.NONE).join();
  }

  private static ByteBuffer chunk(int y, int x) {
    ByteBuffer bytes = ByteBuffer.allocate(CHUNK * CHUNK * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < CHUNK * CHUNK; i++) {
      bytes.putInt((y * CHUNK + i / CHUNK) * SIDE + x * CHUNK + i % CHUNK);
    }
    return bytes.flip();
  }

  private void assertReadsAll(HyperslabReader reader) {
    FixedWidthElements all =
        (FixedWidthElements) reader.read(array, Hyperslab.all(Shape.of(SIDE, SIDE)));
    int[] found = new int[SIDE * SIDE];
    ByteBuffer.wrap(all.bytes(), all.offset(), 4 * found.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asIntBuffer()
        .get(found);
    assertThat(found).isEqualTo(IntStream.range(0, SIDE * SIDE).toArray());
  }

  private long requestsFor(String chunk) {
    return proxy.exchanges().stream().map(Exchange::target).filter(t -> t.endsWith(chunk)).count();
  }

  @Test
  void anAnswerThatStopsHalfwayIsAskedForAgainLongBeforeItsTimeout() {
    proxy.inject(Effect.STALL, "GET .*/c/5/5", 1);
    long start = System.nanoTime();
    try (HyperslabReader reader = new HyperslabReader(WHOLE)) {
      assertReadsAll(reader);
      assertThat((System.nanoTime() - start) / 1e9).isLessThan(20); // silence may last for 30
      // One for the answer that hangs; a busy machine may be slow for some more.
      assertThat(reader.metrics().hedges()).isBetween(1L, 12L);
      assertThat(reader.metrics().requests()).isEqualTo(64 + reader.metrics().hedges());
      assertThat(reader.metrics().retries()).isZero();
    }
    assertThat(requestsFor("/c/5/5")).isBetween(1L, 2L); // the one that hangs may not have ended
  }

  @Test
  void withoutHedgingEachFaultIsOneRetry() {
    ReadSettings settings = WHOLE.withHedging(0);
    for (Effect effect :
        List.of(Effect.SLOW_DOWN, Effect.FAIL, Effect.RESET, Effect.RESET_BODY, Effect.TRUNCATE)) {
      proxy.heal();
      proxy.clear();
      proxy.inject(effect, "GET .*/c/", 6);
      try (HyperslabReader reader = new HyperslabReader(settings)) {
        assertReadsAll(reader);
        assertThat(reader.metrics().retries()).as("%s", effect).isEqualTo(6);
        assertThat(reader.metrics().requests()).isEqualTo(64);
        assertThat(reader.metrics().hedges()).isZero();
      }
      assertThat(proxy.count("GET")).as("%s", effect).isEqualTo(70);
    }
  }
}
