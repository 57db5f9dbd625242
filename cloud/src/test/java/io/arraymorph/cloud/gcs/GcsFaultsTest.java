package io.arraymorph.cloud.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.cloud.StoreFaults;
import io.arraymorph.loopback.FakeGcs;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.WriteCondition;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Faults before fake-gcs-server; skipped where it is not installed. */
class GcsFaultsTest extends StoreFaults {
  private static Optional<FakeGcs> server = Optional.empty();

  @BeforeAll
  static void startServer() throws Exception {
    server = FakeGcs.start("bucket");
    assumeTrue(server.isPresent(), "fake-gcs-server is not installed");
  }

  @AfterAll
  static void stopServer() {
    server.ifPresent(FakeGcs::close);
  }

  @Override
  protected URI server() {
    return server.orElseThrow().endpoint();
  }

  @Override
  protected ObjectStore open(URI endpoint, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(FakeGcs.settings(endpoint));
    settings.putAll(more);
    return new GcsObjectStore("gs://bucket", GcsSettings.of("bucket", StoreConfig.of(settings)));
  }

  @Override
  protected String putMethod() {
    return "POST";
  }

  @Test
  void requestsAndBytesAreExactlyThoseAskedFor() {
    String version = store.head("o").join().etag();
    proxy.clear();
    store.get("o", ByteRange.of(1000, 1500), ReadCondition.ifMatch(version)).join();
    store.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
    store.get("o", new ByteRange.Suffix(100), ReadCondition.NONE).join();
    assertThat(proxy.exchanges())
        .extracting(FaultProxy.Exchange::range)
        .containsExactly("bytes=1000-1499", "", "bytes=-100");
    assertThat(proxy.exchanges().get(0).target()).endsWith("&ifGenerationMatch=" + version);
    assertThat(proxy.bytes("GET")).isEqualTo(500 + LENGTH + 100);
    store.head("o").join();
    store.list("", "/", "").join();
    String second =
        store.put("o", ByteBuffer.wrap(content(2)), WriteCondition.ifMatch(version)).join();
    store.delete("o", WriteCondition.ifMatch(second)).join();
    store.put("o", ByteBuffer.wrap(content(1)), WriteCondition.IF_ABSENT).join();
    assertThat(proxy.exchanges()).hasSize(8);
    assertThat(proxy.exchanges().get(5).target()).endsWith("&ifGenerationMatch=" + version);
    assertThat(proxy.exchanges().get(6).target()).endsWith("?ifGenerationMatch=" + second);
    assertThat(proxy.exchanges().get(7).target()).endsWith("&ifGenerationMatch=0");
  }
}
