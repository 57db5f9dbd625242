package io.arraymorph.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ObjectPins;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import io.arraymorph.testing.LocalS3;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes read halves of one chunk, which is replaced in between: one version or none. */
@Timeout(120)
class VersionsOfTwoProcessesTest {
  private static final String BUCKET = "versions";
  private static final String METADATA =
      "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[64],\"data_type\":\"uint8\","
          + "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[64]}},"
          + "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,"
          + "\"codecs\":[{\"name\":\"bytes\"}]}";

  @TempDir Path directory;
  private LocalS3 server;
  private FaultProxy proxy;
  private ZarrArray array;

  @BeforeEach
  void start() throws IOException {
    server = LocalS3.start(directory, BUCKET);
    proxy = FaultProxy.before(URI.create(server.endpoint()));
    StorePath path = open(proxy.endpoint().toString());
    put(path.resolve("zarr.json"), StandardCharsets.UTF_8.encode(METADATA));
    array = ZarrNodes.openArray(path);
    putChunk(1);
    proxy.clear();
  }

  @AfterEach
  void stop() throws Exception {
    proxy.close();
    server.close();
  }

  private static StorePath open(String endpoint) {
    return ObjectStores.open(
        "s3a://" + BUCKET + "/a.zarr", StoreConfig.of(S3TestServer.settings(URI.create(endpoint))));
  }

  private static void put(StorePath object, ByteBuffer bytes) {
    object.store().put(object.key(), bytes, WriteCondition.NONE).join();
  }

  private StorePath chunk() {
    return array.chunkObject(ChunkCoordinates.of(0));
  }

  private void putChunk(int value) {
    byte[] bytes = new byte[64];
    Arrays.fill(bytes, (byte) value);
    put(chunk(), ByteBuffer.wrap(bytes));
  }

  /** What a process of its own says that reads 32 elements. */
  private String read(int from, ObjectPins pins) throws Exception {
    Path shipped = directory.resolve("pins");
    try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(shipped))) {
      out.writeObject(pins);
    }
    Path said = directory.resolve("said");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Reader.class.getName(),
                proxy.endpoint().toString(),
                Integer.toString(from),
                shipped.toString())
            .redirectOutput(said.toFile())
            .redirectError(directory.resolve("reader.log").toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(said).strip();
  }

  /** The other process. */
  static final class Reader {
    private Reader() {}

    public static void main(String[] args) throws Exception {
      ObjectPins pins;
      try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(Path.of(args[2])))) {
        pins = (ObjectPins) in.readObject();
      }
      ZarrArray array = ZarrArray.reopen(open(args[0]), METADATA);
      int from = Integer.parseInt(args[1]);
      try (HyperslabReader reader =
          new HyperslabReader(ReadSettings.DEFAULT, Optional.empty(), "query", pins)) {
        FixedWidthElements read =
            (FixedWidthElements) reader.read(array, Hyperslab.of(IndexRange.of(from, from + 32)));
        System.out.println("read " + read.bytes()[read.offset()]);
      } catch (ArrayMorphException e) {
        System.out.println(e.code() + " " + e.getMessage());
      }
    }
  }

  @Test
  void aChunkThatChangesBetweenTwoProcessesIsRefusedByTheSecond() throws Exception {
    ObjectPins pins = ObjectPins.read(List.of(chunk()));
    assertThat(pins.size()).isEqualTo(1);
    assertThat(proxy.exchanges()).hasSize(1);
    assertThat(proxy.exchanges().get(0).method()).isEqualTo("HEAD");
    assertThat(read(0, pins)).isEqualTo("read 1");
    putChunk(2);
    assertThat(read(32, pins)).startsWith("OBJECT_CHANGED").contains("c/0");
    // Without pins, each process takes what it finds.
    assertThat(read(32, ObjectPins.NONE)).isEqualTo("read 2");
  }

  @Test
  void aChunkThatAppearsBetweenTwoProcessesIsAbsentForBoth() throws Exception {
    chunk().store().delete(chunk().key(), WriteCondition.NONE).join();
    ObjectPins pins = ObjectPins.read(List.of(chunk()));
    assertThat(read(0, pins)).isEqualTo("read 0");
    putChunk(2);
    assertThat(read(32, pins)).isEqualTo("read 0");
  }
}
