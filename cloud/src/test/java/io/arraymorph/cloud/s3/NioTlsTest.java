package io.arraymorph.cloud.s3;

import static io.arraymorph.cloud.s3.Gets.SILENCE;
import static io.arraymorph.cloud.s3.Gets.gets;
import static io.arraymorph.cloud.s3.Gets.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Certificates of servers. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NioTlsTest {
  private HttpServer server;

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    if (server != null) {
      server.stop(0);
    }
  }

  private URI start(HttpServer made) {
    server = made;
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getResponseHeaders().set("ETag", "\"v1\"");
            exchange.sendResponseHeaders(206, 2);
            exchange.getResponseBody().write("ok".getBytes(StandardCharsets.UTF_8));
          }
        });
    server.start();
    return URI.create("https://localhost:" + server.getAddress().getPort());
  }

  private KeyStore selfSigned(String name) throws Exception {
    Path file = folder.resolve(name + ".p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process made =
        new ProcessBuilder(
                List.of(
                    keytool,
                    "-genkeypair",
                    "-alias",
                    "a",
                    "-keyalg",
                    "EC",
                    "-dname",
                    "CN=" + name,
                    "-ext",
                    "san=dns:" + name,
                    "-storepass",
                    "changeit",
                    "-keystore",
                    file.toString()))
            .redirectErrorStream(true)
            .start();
    String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(made.waitFor()).as(said).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, "changeit".toCharArray());
    }
    return store;
  }

  private static SSLContext context(KeyStore keys) throws Exception {
    KeyManagerFactory own = KeyManagerFactory.getInstance("SunX509");
    own.init(keys, "changeit".toCharArray());
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore certificates = KeyStore.getInstance("PKCS12");
    certificates.load(null, null);
    certificates.setCertificateEntry("a", keys.getCertificate("a"));
    trusted.init(certificates);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }

  private HttpsServer secured(SSLContext context) throws IOException {
    HttpsServer made =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    made.setHttpsConfigurator(new HttpsConfigurator(context));
    return made;
  }

  @Test
  void onlyTrustedCertificatesOfTheRightNameAreTaken() throws Exception {
    SSLContext right = context(selfSigned("localhost"));
    URI uri = start(secured(right));
    try (HttpGets gets = new NioGets(uri, 8, SILENCE, SILENCE, right, InetAddress::getAllByName)) {
      assertThat(text(gets, "/o", 206)).isEqualTo("ok");
    }
    try (HttpGets gets = gets(uri)) {
      assertThatThrownBy(() -> text(gets, "/o", 206)).isInstanceOf(SSLException.class);
    }
    server.stop(0);
    SSLContext other = context(selfSigned("elsewhere.example"));
    URI wrong = start(secured(other));
    try (HttpGets gets =
        new NioGets(wrong, 8, SILENCE, SILENCE, other, InetAddress::getAllByName)) {
      assertThatThrownBy(() -> text(gets, "/o", 206))
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("localhost");
    }
  }
}
