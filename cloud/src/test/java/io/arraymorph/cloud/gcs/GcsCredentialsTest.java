package io.arraymorph.cloud.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.loopback.ServiceAccountKey;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens and signatures of service accounts, with a token endpoint on the loopback interface. */
class GcsCredentialsTest {
  @TempDir Path directory;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private volatile int tokenStatus = 200;
  private HttpServer server;
  private ServiceAccountKey key;
  private Path file;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          String path = exchange.getRequestURI().getPath();
          boolean token = path.equals("/token");
          String bearer = exchange.getRequestHeaders().getFirst("Authorization");
          requests.add(path + " " + (token ? body.replaceFirst("assertion=.*", "") : bearer));
          String answer =
              token
                  ? "{\"access_token\":\"TOKEN\",\"expires_in\":3600,\"token_type\":\"Bearer\"}"
                  : "{\"name\":\"o\",\"size\":\"1\",\"generation\":\"7\","
                      + "\"updated\":\"2026-01-01T00:00:00Z\"}";
          int status = token ? tokenStatus : 200;
          byte[] bytes =
              (status == 200 ? answer : "{\"error\":\"invalid_grant\"}")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    key = ServiceAccountKey.generate(endpoint() + "/token");
    file = Files.writeString(directory.resolve("key.json"), key.json());
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private String endpoint() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private GcsSettings settings(Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.put("fs.gs.storage.root.url", endpoint() + "/");
    return GcsSettings.of("bucket", StoreConfig.of(settings));
  }

  private GcsObjectStore store(Map<String, String> more) {
    return new GcsObjectStore("gs://bucket", settings(more));
  }

  private Map<String, String> keyFile() {
    return Map.of(
        "fs.gs.auth.type",
        "SERVICE_ACCOUNT_JSON_KEYFILE",
        "fs.gs.auth.service.account.json.keyfile",
        file.toString());
  }

  private static StoreException failure(GcsObjectStore store) {
    try {
      throw new AssertionError("succeeded: " + store.head("o").join());
    } catch (CompletionException e) {
      return (StoreException) e.getCause();
    }
  }

  @Test
  void aKeyFileBecomesOneTokenThatEveryRequestBears() {
    for (Map<String, String> settings :
        List.of(
            keyFile(), Map.of("google.cloud.auth.service.account.json.keyfile", file.toString()))) {
      requests.clear();
      try (GcsObjectStore store = store(settings)) {
        assertThat(store.head("o").join().etag()).isEqualTo("7");
        store.head("o").join();
      }
      assertThat(requests)
          .containsExactly(
              "/token grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&",
              "/storage/v1/b/bucket/o/o Bearer TOKEN", "/storage/v1/b/bucket/o/o Bearer TOKEN");
    }
  }

  @Test
  void nobodySendsNoToken() {
    for (Map<String, String> settings :
        List.of(
            Map.of("fs.gs.auth.type", "UNAUTHENTICATED"),
            Map.of("fs.gs.auth.null.enable", "true"))) {
      requests.clear();
      try (GcsObjectStore store = store(settings)) {
        store.head("o").join();
      }
      assertThat(requests).containsExactly("/storage/v1/b/bucket/o/o null");
    }
  }

  @Test
  void whatGivesNoTokenIsDeniedAndNotShown() throws IOException {
    tokenStatus = 400;
    try (GcsObjectStore store = store(keyFile())) {
      StoreException failure = failure(store);
      assertThat(failure.kind()).isEqualTo(Kind.DENIED);
      assertThat(failure.toUser().getMessage())
          .contains("ARRAYMORPH_ACCESS_DENIED", "gs://bucket/o", "no token")
          .doesNotContain("PRIVATE KEY", "assertion");
    }
    Files.writeString(file, "{\"type\":\"service_account\",\"private_key\":\"SECRET\"}");
    try (GcsObjectStore store = store(keyFile())) {
      StoreException failure = failure(store);
      assertThat(failure.kind()).isEqualTo(Kind.DENIED);
      assertThat(failure.getMessage()).doesNotContain("SECRET");
    }
    Files.delete(file);
    try (GcsObjectStore store = store(keyFile())) {
      assertThat(failure(store).kind()).isEqualTo(Kind.DENIED);
    }
    assertThat(requests).allMatch(request -> request.startsWith("/token"));
  }

  @Test
  void aTokenEndpointInTroubleIsNoDenial() {
    tokenStatus = 503;
    try (GcsObjectStore store = store(keyFile())) {
      assertThat(failure(store).kind()).isEqualTo(Kind.UNAVAILABLE);
    }
  }

  @Test
  void settingsThatMakeNoSenseAreRefusedAtOnce() {
    for (Map<String, String> wrong :
        List.of(
            Map.of("fs.gs.auth.type", "MAGIC"),
            Map.of("fs.gs.auth.type", "USER_CREDENTIALS"),
            Map.of("fs.gs.auth.type", "SERVICE_ACCOUNT_JSON_KEYFILE"),
            Map.of("fs.gs.auth.type", "UNAUTHENTICATED", "arraymorph.store.attempts", "0"))) {
      assertThatThrownBy(() -> settings(wrong)).isInstanceOf(ArrayMorphException.class);
    }
    assertThatThrownBy(
            () ->
                GcsSettings.of(
                    "bucket",
                    StoreConfig.of(Map.of("fs.gs.storage.root.url", "http://user:pw@host"))))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("fs.gs.storage.root.url")
        .hasMessageNotContaining("pw");
  }

  /** The canonical request as Google's documentation of V4 signing describes it. */
  @Test
  void signsWithTheKeyOfTheAccount() throws Exception {
    SignedUrl signed =
        new GcsSigner(settings(keyFile()))
            .sign(
                "a b/o+1",
                Duration.ofHours(1),
                Instant.parse("2026-02-03T04:05:06.789Z"),
                "gs://bucket/a b/o+1")
            .orElseThrow();
    String host = "127.0.0.1:" + server.getAddress().getPort();
    String query =
        "X-Goog-Algorithm=GOOG4-RSA-SHA256"
            + "&X-Goog-Credential=tester%40project.iam.gserviceaccount.com%2F20260203%2Fauto"
            + "%2Fstorage%2Fgoog4_request"
            + "&X-Goog-Date=20260203T040506Z"
            + "&X-Goog-Expires=3600"
            + "&X-Goog-SignedHeaders=host";
    String start = endpoint() + "/bucket/a%20b/o%2B1?" + query + "&X-Goog-Signature=";
    assertThat(signed.url().toString()).startsWith(start);
    assertThat(signed.expires()).isEqualTo(Instant.parse("2026-02-03T05:05:06.789Z"));
    String request =
        "GET\n/bucket/a%20b/o%2B1\n" + query + "\nhost:" + host + "\n\nhost\nUNSIGNED-PAYLOAD";
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(request.getBytes(StandardCharsets.UTF_8));
    String toSign =
        "GOOG4-RSA-SHA256\n20260203T040506Z\n20260203/auto/storage/goog4_request\n"
            + HexFormat.of().formatHex(digest);
    Signature verifier = Signature.getInstance("SHA256withRSA");
    verifier.initVerify(key.publicKey());
    verifier.update(toSign.getBytes(StandardCharsets.UTF_8));
    String signature = signed.url().toString().substring(start.length());
    assertThat(verifier.verify(HexFormat.of().parseHex(signature))).isTrue();
    assertThat(requests).as("requests for a signature").isEmpty();
    assertThat(signed.toString()).doesNotContain("X-Goog");
  }
}
