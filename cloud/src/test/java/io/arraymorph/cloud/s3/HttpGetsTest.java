package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.arraymorph.store.RequestPool;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache.ApacheHttpClient;

/** Both ways to send GETs, against a server of the JDK. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpGetsTest {
  private static final Duration SILENCE = Duration.ofSeconds(10);
  private static final int LARGE = 3_000_000;

  private final Set<Integer> callers = ConcurrentHashMap.newKeySet();
  private final CountDownLatch hang = new CountDownLatch(1);
  private final AtomicInteger hanging = new AtomicInteger();
  private HttpServer server;

  @TempDir private Path folder;

  @AfterEach
  void stop() {
    hang.countDown();
    if (server != null) {
      server.stop(0);
    }
  }

  private URI start(HttpServer made, String scheme) throws IOException {
    server = made;
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", this::answer);
    server.start();
    return URI.create(scheme + "://localhost:" + server.getAddress().getPort());
  }

  private URI start() throws IOException {
    return start(
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0), "http");
  }

  /** Says what was asked for; {@code /large} is large, {@code /hang} says nothing. */
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      callers.add(exchange.getRemoteAddress().getPort());
      String path = exchange.getRequestURI().getRawPath();
      if (path.equals("/hang")) {
        hanging.incrementAndGet();
        hang.await();
      }
      byte[] body =
          path.equals("/large")
              ? new byte[LARGE]
              : (path + " " + exchange.getRequestHeaders().getFirst("Range"))
                  .getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("ETag", "\"v1\"");
      if (path.equals("/last")) {
        exchange.getResponseHeaders().set("Connection", "close");
      }
      exchange.sendResponseHeaders(path.equals("/none") ? 404 : 206, body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String text(HttpGets gets, String path, int status) throws IOException {
    HttpGets.Answer answer = gets.get(path, Map.of("Range", "bytes=1-2", "X-One", "1"));
    try (InputStream body = answer.body()) {
      assertThat(answer.status()).isEqualTo(status);
      assertThat(answer.header("etag")).contains("\"v1\"");
      assertThat(answer.header("other")).isEmpty();
      return new String(body.readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      answer.end(true);
    }
  }

  private void sends(HttpGets gets) throws IOException {
    for (int i = 0; i < 20; i++) {
      assertThat(text(gets, "/b/a%20b/c%2Bd/" + i, 206))
          .isEqualTo("/b/a%20b/c%2Bd/" + i + " bytes=1-2");
      assertThat(text(gets, "/none", 404)).isEqualTo("/none bytes=1-2");
    }
    assertThat(callers).as("connections").hasSize(1);
    HttpGets.Answer half = gets.get("/large", Map.of());
    assertThat(half.body().readNBytes(100)).hasSize(100);
    half.end(false);
    assertThat(text(gets, "/after", 206)).isEqualTo("/after bytes=1-2");
    assertThat(callers).as("another connection in place of the one that was cut").hasSize(2);
  }

  @Test
  void theMinimalClientSendsPathsAndHeadersAsTheyAreAndKeepsConnections() throws IOException {
    try (HttpGets gets = new MinimalGets(start(), SILENCE)) {
      sends(gets);
    }
  }

  @Test
  void theClientOfTheSdkDoesSo() throws IOException {
    try (SdkHttpClient client = ApacheHttpClient.create();
        HttpGets gets = new SdkGets(client, start())) {
      sends(gets);
    }
  }

  @Test
  void aRequestThatIsCancelledEndsAtOnce() throws Exception {
    try (RequestPool pool = new RequestPool("test", 1);
        HttpGets gets = new MinimalGets(start(), Duration.ofMinutes(5))) {
      assertThat(pool.submit("o", () -> text(gets, "/first", 206)).join()).isNotEmpty();
      CompletableFuture<String> stuck = pool.submit("o", () -> text(gets, "/hang", 206));
      while (hanging.get() == 0) {
        Thread.sleep(5);
      }
      stuck.cancel(true);
      // The only thread and the only connection are free again.
      assertThat(pool.submit("o", () -> text(gets, "/next", 206)).join())
          .isEqualTo("/next bytes=1-2");
      assertThat(hanging).as("what was cancelled is not sent on another connection").hasValue(1);
    }
  }

  @Test
  void noTwoRequestsAreOnOneConnectionAtATime() throws IOException {
    try (RequestPool pool = new RequestPool("test", 8);
        HttpGets gets = new MinimalGets(start(), SILENCE)) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        String path = "/" + i;
        answers.add(pool.submit(path, () -> text(gets, path, 206)));
      }
      for (int i = 0; i < answers.size(); i++) {
        assertThat(answers.get(i).join()).isEqualTo("/" + i + " bytes=1-2");
      }
      assertThat(callers).as("connections, of 8 requests at a time").hasSizeLessThanOrEqualTo(8);
    }
  }

  @Test
  void aConnectionThatTheServerEndsIsNotUsedAgain() throws IOException {
    try (HttpGets gets = new MinimalGets(start(), SILENCE)) {
      for (int i = 1; i <= 3; i++) {
        assertThat(text(gets, "/last", 206)).isEqualTo("/last bytes=1-2");
        assertThat(callers).hasSize(i);
      }
    }
  }

  private static final String OK = "HTTP/1.1 206 OK\r\nETag: \"v1\"\r\nContent-Length: 2\r\n\r\nok";

  /** Hears the next request of a caller, and says something. */
  private static void say(Socket caller, String answer) {
    try {
      assertThat(caller.getInputStream().read(new byte[8192])).isPositive();
      caller.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next caller, whose first request is answered with "ok". */
  private static Socket answered(ServerSocket server) {
    try {
      Socket caller = server.accept();
      say(caller, OK);
      return caller;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A server of which each connection is served by the test, and a client of it. */
  private void rude(Duration silence, RudeTest test) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        HttpGets gets =
            new MinimalGets(URI.create("http://localhost:" + server.getLocalPort()), silence)) {
      CompletableFuture<Socket> first = CompletableFuture.supplyAsync(() -> answered(server));
      assertThat(text(gets, "/a", 206)).isEqualTo("ok");
      server.setSoTimeout(200);
      Thread.sleep(1100); // From then on servers may have ended it for nobody used it.
      try (Socket kept = first.join()) {
        test.run(server, gets, kept);
      }
    }
  }

  /** What happens after the first answer, with the connection that it was on. */
  private interface RudeTest {
    void run(ServerSocket server, HttpGets gets, Socket kept) throws Exception;
  }

  @Test
  void aRequestOnAConnectionThatTheServerHasEndedIsSentOnANewOne() throws Exception {
    for (boolean reset : new boolean[] {false, true}) {
      rude(
          SILENCE,
          (server, gets, kept) -> {
            kept.setSoLinger(reset, 0);
            kept.close();
            CompletableFuture<Socket> next = CompletableFuture.supplyAsync(() -> answered(server));
            assertThat(text(gets, "/b", 206)).isEqualTo("ok");
            // After no rest a request is not sent again: whoever knows of retries counts them.
            next.join().close();
            assertThatThrownBy(() -> text(gets, "/c", 206)).isInstanceOf(IOException.class);
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
          });
    }
  }

  @Test
  void aRequestWhoseAnswerHasBegunIsNotSentAgain() throws Exception {
    rude(
        SILENCE,
        (server, gets, kept) -> {
          CompletableFuture<Void> half =
              CompletableFuture.runAsync(
                  () -> {
                    say(kept, OK.substring(0, 6));
                    try {
                      kept.close();
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
          assertThatThrownBy(() -> text(gets, "/b", 206)).isInstanceOf(IOException.class);
          half.join();
          assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        });
  }

  @Test
  void aRequestThatIsNotAnsweredIsNotSentAgain() throws Exception {
    rude(
        Duration.ofMillis(300),
        (server, gets, kept) -> {
          assertThatThrownBy(() -> text(gets, "/b", 206))
              .isInstanceOf(SocketTimeoutException.class);
          assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        });
  }

  @Test
  void aConnectionThatNobodyWantsIsEndedInTime() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        HttpGets gets =
            new MinimalGets(
                URI.create("http://localhost:" + server.getLocalPort()),
                SILENCE,
                Duration.ofMillis(100),
                SSLConnectionSocketFactory.getSystemSocketFactory())) {
      CompletableFuture<Socket> caller = CompletableFuture.supplyAsync(() -> answered(server));
      assertThat(text(gets, "/a", 206)).isEqualTo("ok");
      try (Socket kept = caller.join()) {
        kept.setSoTimeout((int) SILENCE.toMillis());
        assertThat(kept.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void aClosedClientSendsNothingAndEndsItsConnections() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      HttpGets gets =
          new MinimalGets(URI.create("http://localhost:" + server.getLocalPort()), SILENCE);
      CompletableFuture<Socket> caller = CompletableFuture.supplyAsync(() -> answered(server));
      HttpGets.Answer open = gets.get("/a", Map.of());
      assertThat(open.body().readAllBytes()).hasSize(2);
      gets.close();
      open.end(true);
      try (Socket ended = caller.join()) {
        ended.setSoTimeout((int) SILENCE.toMillis());
        assertThat(ended.getInputStream().read()).isEqualTo(-1);
      }
      assertThatThrownBy(() -> gets.get("/b", Map.of()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("aborted");
    }
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
    URI uri = start(secured(right), "https");
    try (HttpGets gets =
        new MinimalGets(uri, SILENCE, SILENCE, new SSLConnectionSocketFactory(right))) {
      assertThat(text(gets, "/o", 206)).isEqualTo("/o bytes=1-2");
    }
    try (HttpGets gets = new MinimalGets(uri, SILENCE)) {
      assertThatThrownBy(() -> text(gets, "/o", 206)).isInstanceOf(SSLException.class);
    }
    server.stop(0);
    SSLContext other = context(selfSigned("elsewhere.example"));
    URI wrong = start(secured(other), "https");
    try (HttpGets gets =
        new MinimalGets(wrong, SILENCE, SILENCE, new SSLConnectionSocketFactory(other))) {
      assertThatThrownBy(() -> text(gets, "/o", 206))
          .isInstanceOf(SSLException.class)
          .hasMessageContaining("localhost");
    }
  }
}
