package io.arraymorph.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.cloud.StoreFaults;
import io.arraymorph.loopback.Azurite;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.WriteCondition;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Faults before Azurite; skipped where it is not installed. */
class AzureFaultsTest extends StoreFaults {
  @TempDir static Path directory;
  private static Optional<Azurite> server = Optional.empty();

  @BeforeAll
  static void startServer() throws Exception {
    server = Azurite.start(directory);
    assumeTrue(server.isPresent(), "azurite-blob is not installed");
    server.get().create("container");
  }

  @AfterAll
  static void stopServer() {
    server.ifPresent(Azurite::close);
  }

  @Override
  protected URI server() {
    return server.orElseThrow().endpoint();
  }

  @Override
  protected ObjectStore open(URI endpoint, Map<String, String> more) {
    Map<String, String> settings =
        new HashMap<>(Azurite.settings(endpoint.resolve("/" + Azurite.ACCOUNT)));
    settings.putAll(more);
    return new AzureObjectStore(
        "abfss://container@" + Azurite.HOST,
        AzureSettings.of("container", Azurite.HOST, StoreConfig.of(settings)));
  }

  @Override
  protected String putMethod() {
    return "PUT";
  }

  @Test
  void requestsAndBytesAreExactlyThoseAskedFor() {
    String version = store.head("o").join().etag();
    proxy.clear();
    store.get("o", ByteRange.of(1000, 1500), ReadCondition.ifMatch(version)).join();
    store.get("o", ByteRange.WHOLE, ReadCondition.NONE).join();
    assertThat(proxy.exchanges()).hasSize(2);
    assertThat(proxy.bytes("GET")).isEqualTo(500 + LENGTH);
    store.get("o", new ByteRange.Suffix(100), ReadCondition.NONE).join();
    assertThat(proxy.exchanges())
        .extracting(FaultProxy.Exchange::method)
        .containsExactly("GET", "GET", "HEAD", "GET");
    assertThat(proxy.bytes("GET")).isEqualTo(500 + LENGTH + 100);
    store.list("", "/", "").join();
    store.put("o", ByteBuffer.wrap(content(2)), WriteCondition.ifMatch(version)).join();
    assertThat(proxy.exchanges()).hasSize(6);
  }
}
