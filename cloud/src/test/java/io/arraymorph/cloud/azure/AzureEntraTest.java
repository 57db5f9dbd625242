package io.arraymorph.cloud.azure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.arraymorph.loopback.Azurite;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tokens: a client's secret is exchanged at a token endpoint for a token that Azurite reads. Both
 * speak HTTPS, with a certificate made here and trusted while this runs.
 */
class AzureEntraTest {
  private static final String PASSWORD = "changeit";
  private static final String OAUTH = "fs.azure.account.oauth";

  @TempDir static Path directory;
  private static final List<String> TOKEN_REQUESTS = new CopyOnWriteArrayList<>();
  private static SSLContext before;
  private static Optional<Azurite> azurite = Optional.empty();
  private static HttpsServer authority;

  @BeforeAll
  static void start() throws Exception {
    Path store = directory.resolve("key.p12");
    makeCertificate(store);
    azurite =
        Azurite.start(
            Files.createDirectory(directory.resolve("data")),
            "--oauth",
            "basic",
            "--cert",
            store.toString(),
            "--pwd",
            PASSWORD);
    assumeTrue(azurite.isPresent(), "azurite-blob is not installed");
    SSLContext context = context(store);
    before = SSLContext.getDefault();
    SSLContext.setDefault(context);
    azurite.get().create("container");
    authority = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    authority.setHttpsConfigurator(new HttpsConfigurator(context));
    authority.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          TOKEN_REQUESTS.add(exchange.getRequestURI() + " " + body);
          boolean right = body.contains("client_secret=right-secret");
          byte[] answer = (right ? token() : refusal()).getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(right ? 200 : 401, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    authority.start();
  }

  @AfterAll
  static void stop() {
    azurite.ifPresent(Azurite::close);
    if (authority != null) {
      authority.stop(0);
    }
    if (before != null) {
      SSLContext.setDefault(before);
    }
  }

  private static void makeCertificate(Path store) throws IOException, InterruptedException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "test",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(said).isZero();
  }

  private static SSLContext context(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("test", keys.getCertificate("test"));
    KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
    own.init(keys, PASSWORD.toCharArray());
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static String token() {
    long now = Instant.now().getEpochSecond();
    String claims =
        String.format(
            "{\"aud\":\"https://storage.azure.com\",\"iss\":\"https://sts.windows.net/tenant/\","
                + "\"iat\":%d,\"nbf\":%d,\"exp\":%d,\"oid\":\"object\",\"tid\":\"tenant\"}",
            now - 60, now - 60, now + 3600);
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    String header = base64.encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
    String payload = base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
    return "{\"token_type\":\"Bearer\",\"expires_in\":3600,\"access_token\":\""
        + (header + "." + payload + ".c2ln")
        + "\"}";
  }

  private static String refusal() {
    return "{\"error\":\"invalid_client\",\"error_description\":\"AADSTS7000215: wrong secret\"}";
  }

  private static AzureObjectStore store(String secret) {
    Map<String, String> settings = new HashMap<>();
    settings.put(AzureSettings.ENDPOINT, azurite.orElseThrow().endpoint().toString());
    settings.put("fs.azure.account.auth.type", "OAuth");
    settings.put(
        OAUTH + ".provider.type", "org.apache.hadoop.fs.azurebfs.oauth2.ClientCredsTokenProvider");
    settings.put(OAUTH + "2.client.id", "client");
    settings.put(OAUTH + "2.client.secret", secret);
    settings.put(
        OAUTH + "2.client.endpoint",
        "https://localhost:" + authority.getAddress().getPort() + "/tenant/oauth2/token");
    return new AzureObjectStore(
        "abfss://container@" + Azurite.HOST,
        AzureSettings.of("container", Azurite.HOST, StoreConfig.of(settings)));
  }

  @Test
  void aSecretBecomesATokenThatReadsWritesAndSigns() throws Exception {
    try (AzureObjectStore store = store("right-secret")) {
      byte[] bytes = "hello".getBytes(StandardCharsets.UTF_8);
      store.put("dir/o", ByteBuffer.wrap(bytes), WriteCondition.IF_ABSENT).join();
      ByteBuffer read = store.get("dir/o", ByteRange.WHOLE, ReadCondition.NONE).join().bytes();
      assertThat(read).isEqualTo(ByteBuffer.wrap(bytes));
      assertThat(TOKEN_REQUESTS)
          .isNotEmpty()
          .allMatch(request -> request.startsWith("/tenant/oauth2/v2.0/token "));
      int tokens = TOKEN_REQUESTS.size();
      store.get("dir/o", ByteRange.of(0, 1), ReadCondition.NONE).join();
      assertThat(TOKEN_REQUESTS).hasSize(tokens);
    }
  }

  @Test
  void aTokenSignsThroughADelegationKey() throws Exception {
    assumeTrue(
        System.getProperty("AZURE_STORAGE_SAS_SERVICE_VERSION") != null,
        "Azurite does not know the newest signatures; the build sets an older version");
    try (AzureObjectStore store = store("right-secret")) {
      ByteBuffer bytes = ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8));
      store.put("s/o", bytes, WriteCondition.NONE).join();
      SignedUrl signed = store.presign("s/o", Duration.ofMinutes(5)).join().orElseThrow();
      assertThat(signed.url().getRawQuery()).contains("skoid=", "sp=r", "sr=b");
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(signed.url()).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("hello");
      URI other = URI.create(signed.url().toString().replaceFirst("s(/|%2F)o", "s$1p"));
      assertThat(other).isNotEqualTo(signed.url());
      assertThat(
              HttpClient.newHttpClient()
                  .send(HttpRequest.newBuilder(other).build(), BodyHandlers.discarding())
                  .statusCode())
          .isEqualTo(403);
    }
  }

  @Test
  void aWrongSecretIsDeniedAndNotShown() {
    try (AzureObjectStore store = store("WRONG-SECRET")) {
      StoreException failure = failureOf(store);
      assertThat(failure.kind()).isEqualTo(Kind.DENIED);
      assertThat(failure.toUser().getMessage())
          .contains("ARRAYMORPH_ACCESS_DENIED", "AADSTS7000215")
          .doesNotContain("WRONG-SECRET");
    }
  }

  private static StoreException failureOf(AzureObjectStore store) {
    try {
      throw new AssertionError("succeeded: " + store.head("o").join());
    } catch (CompletionException e) {
      return (StoreException) e.getCause();
    }
  }
}
