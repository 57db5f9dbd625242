package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.cloud.StoreFaults;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.FaultProxy.Effect;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults before a real server that speaks S3's protocol. */
class S3FaultsTest extends StoreFaults {
  @TempDir static Path directory;
  private static S3TestServer server;

  @BeforeAll
  static void startServer() throws IOException {
    server = S3TestServer.start(directory);
    Files.createDirectory(directory.resolve("faults"));
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected URI server() {
    return server.endpoint();
  }

  @Override
  protected ObjectStore open(URI endpoint, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(S3TestServer.settings(endpoint));
    settings.putAll(more);
    S3Settings s3 = S3Settings.of("faults", StoreConfig.of(settings));
    return new S3ObjectStore("s3a://faults", "faults", s3);
  }

  @Override
  protected String putMethod() {
    return "PUT";
  }

  @Override
  protected List<Effect> passingFaults() {
    List<Effect> faults = new ArrayList<>(super.passingFaults());
    faults.add(Effect.RESET);
    faults.add(Effect.LOSE);
    return faults;
  }

  /** The client tries nothing again by itself: each fault is one retry of ours. */
  @Test
  @Override
  protected void storesUnderRandomFaultsNeverGiveWrongBytes() {
    super.storesUnderRandomFaultsNeverGiveWrongBytes();
    long faults = proxy.exchanges().stream().filter(e -> e.fault() != null).count();
    assertThat(store.retries()).isEqualTo(faults);
  }

  @Test
  void requestsAndBytesAreExactlyThoseAskedFor() {
    store.get("o", ByteRange.of(1000, 1500), ReadCondition.NONE).join();
    store.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
    store.get("o", new ByteRange.Suffix(100), ReadCondition.NONE).join();
    assertThat(proxy.exchanges())
        .extracting(FaultProxy.Exchange::range)
        .containsExactly("bytes=1000-1499", "", "bytes=-100");
    assertThat(proxy.bytes("GET")).isEqualTo(500 + LENGTH + 100);
    store.head("o").join();
    store.list("", "/", "").join();
    assertThat(proxy.exchanges()).hasSize(5);
  }

  @Test
  void endlessTroubleEndsInAFailure() {
    proxy.inject(Effect.TRUNCATE, "GET", Integer.MAX_VALUE);
    assertThat(kind(store.get("o", ByteRange.WHOLE, ReadCondition.NONE)))
        .isIn(Kind.UNAVAILABLE, Kind.PROTOCOL);
    assertThat(proxy.exchanges()).hasSize(12);
  }

  @Test
  void aLargeConditionalPutWhoseAnswerIsLostSucceeds() {
    byte[] large = new byte[S3ObjectStore.MULTIPART_BYTES + 1];
    new Random(1).nextBytes(large);
    store.close();
    store = retrying(Map.of("arraymorph.store.timeout", "30"));
    proxy.inject(Effect.LOSE, "POST .*uploadId", 1);
    proxy.inject(Effect.SLOW_DOWN, "PUT .*partNumber=2", 1);
    String etag = store.put("large", ByteBuffer.wrap(large), WriteCondition.IF_ABSENT).join();
    ObjectBytes read = store.get("large", ByteRange.WHOLE, ReadCondition.NONE).join();
    assertThat(read.etag()).isEqualTo(etag);
    assertThat(read.bytes()).isEqualTo(ByteBuffer.wrap(large));
    assertThat(store.retries()).isEqualTo(2);
    assertThat(proxy.count("DELETE")).as("aborted uploads").isEqualTo(3);
  }

  @Test
  void aServerThatIsGoneIsAnErrorInTime() throws IOException {
    proxy.close();
    assertThat(kind(store.head("o"))).isEqualTo(Kind.UNAVAILABLE);
    assertThat(store.retries()).isEqualTo(11);
  }
}
