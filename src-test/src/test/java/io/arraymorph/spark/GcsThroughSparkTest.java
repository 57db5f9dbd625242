package io.arraymorph.spark;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.arraymorph.loopback.FakeGcs;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.ServiceAccountKey;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Google Cloud Storage through Spark, on fake-gcs-server; skipped where it is not installed. */
class GcsThroughSparkTest extends CloudStoreScenarios {
  @TempDir static Path directory;
  private static Optional<FakeGcs> server = Optional.empty();

  private FaultProxy proxy;
  private HttpServer tokens;

  @BeforeAll
  static void start() throws Exception {
    server = FakeGcs.start("bucket");
    assumeTrue(server.isPresent(), "fake-gcs-server is not installed");
  }

  @AfterAll
  static void stop() {
    server.ifPresent(FakeGcs::close);
  }

  @AfterEach
  void stopOthers() throws IOException {
    if (proxy != null) {
      proxy.close();
    }
    if (tokens != null) {
      tokens.stop(0);
    }
  }

  @Override
  String uri(String key) {
    return "gs://bucket/" + key;
  }

  @Override
  Map<String, String> settings() {
    return server.orElseThrow().settings();
  }

  /** A key that the token endpoint does not take. */
  @Override
  Map<String, String> refused() throws Exception {
    tokens = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    tokens.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          byte[] answer =
              "{\"error\":\"invalid_grant\",\"error_description\":\"Invalid JWT Signature.\"}"
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(400, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    tokens.start();
    Path file = directory.resolve("key.json");
    Files.writeString(
        file,
        ServiceAccountKey.generate("http://127.0.0.1:" + tokens.getAddress().getPort() + "/token")
            .json());
    return Map.of(
        "fs.gs.storage.root.url", server.orElseThrow().endpoint().toString(),
        "fs.gs.auth.type", "SERVICE_ACCOUNT_JSON_KEYFILE",
        "fs.gs.auth.service.account.json.keyfile", file.toString());
  }

  /** The emulator knows no permissions: a proxy before it refuses writes. */
  @Override
  Map<String, String> readOnly() throws Exception {
    proxy = FaultProxy.before(server.orElseThrow().endpoint());
    proxy.inject(FaultProxy.Effect.DENY, "(POST|DELETE) .*", Integer.MAX_VALUE);
    return FakeGcs.settings(proxy.endpoint());
  }

  @Override
  String nowhere() {
    return "gs://no-such-bucket/a.zarr";
  }
}
