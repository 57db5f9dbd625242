package io.arraymorph.cloud.s3;

import static io.arraymorph.cloud.s3.Gets.ALL;
import static io.arraymorph.cloud.s3.Gets.SILENCE;
import static io.arraymorph.cloud.s3.Gets.ask;
import static io.arraymorph.cloud.s3.Gets.gets;
import static io.arraymorph.cloud.s3.Gets.settled;
import static io.arraymorph.cloud.s3.Gets.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.arraymorph.store.RequestPool;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.apache.ApacheHttpClient;

/** Both ways to send GETs, against a server of the JDK. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HttpGetsTest {
  private static final int LARGE = 3_000_000;

  private final Set<Integer> callers = ConcurrentHashMap.newKeySet();
  private final CountDownLatch hang = new CountDownLatch(1);
  private final AtomicInteger hanging = new AtomicInteger();
  private final Queue<String> paths = new ConcurrentLinkedQueue<>();
  private HttpServer server;

  @AfterEach
  void stop() {
    hang.countDown();
    if (server != null) {
      server.stop(0);
    }
  }

  private URI start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", this::answer);
    server.start();
    return URI.create("http://localhost:" + server.getAddress().getPort());
  }

  /** Says what was asked for; {@code /large} is large, {@code /hang} says nothing. */
  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      callers.add(exchange.getRemoteAddress().getPort());
      String path = exchange.getRequestURI().getRawPath();
      paths.add(path);
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
      if (path.equals("/parts") || path.equals("/slow")) {
        exchange.sendResponseHeaders(206, 0); // In chunks, of a length that is not said.
        for (int i = 0; i < 10; i++) {
          exchange.getResponseBody().write(i);
          exchange.getResponseBody().flush();
          Thread.sleep(path.equals("/slow") ? 20 : 1);
        }
        return;
      }
      if (path.equals("/empty")) {
        exchange.sendResponseHeaders(206, -1);
        return;
      }
      exchange.sendResponseHeaders(path.equals("/none") ? 404 : 206, body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void sends(HttpGets gets) throws IOException {
    for (int i = 0; i < 20; i++) {
      assertThat(text(gets, "/b/a%20b/c%2Bd/" + i, 206))
          .isEqualTo("/b/a%20b/c%2Bd/" + i + " bytes=1-2");
      assertThat(text(gets, "/none", 404)).isEqualTo("/none bytes=1-2");
    }
    assertThat(callers).as("connections").hasSize(1);
    HttpGets.Wanted start = head -> new HttpGets.Body(100, SILENCE);
    assertThat(settled(gets.get("/large", Map.of(), start)).body().remaining()).isEqualTo(100);
    assertThat(text(gets, "/after", 206)).isEqualTo("/after bytes=1-2");
    assertThat(callers).as("another connection in place of the one that was cut").hasSize(2);
    HttpGets.Wanted none =
        head -> {
          throw new IllegalArgumentException("status " + head.status());
        };
    assertThat(gets.get("/o", Map.of(), none))
        .failsWithin(SILENCE)
        .withThrowableOfType(ExecutionException.class)
        .withRootCauseInstanceOf(IllegalArgumentException.class)
        .withMessageContaining("status 206");
    assertThat(settled(gets.get("/large", Map.of(), ALL)).body().remaining()).isEqualTo(LARGE);
    HttpGets.Wanted exact = head -> new HttpGets.Body(LARGE, SILENCE);
    assertThat(settled(gets.get("/large", Map.of(), exact)).body().remaining()).isEqualTo(LARGE);
    assertThat(settled(gets.get("/parts", Map.of(), ALL)).body().remaining()).isEqualTo(10);
    HttpGets.Wanted ten = head -> new HttpGets.Body(10, SILENCE);
    assertThat(settled(gets.get("/parts", Map.of(), ten)).body().remaining()).isEqualTo(10);
    assertThat(settled(gets.get("/empty", Map.of(), ALL)).body().remaining()).isZero();
    assertThat(text(gets, "/end", 206)).isEqualTo("/end bytes=1-2");
    assertThat(callers).as("one more in place of the one that was refused").hasSize(3);
  }

  @Test
  void ourClientSendsPathsAndHeadersAsTheyAreAndKeepsConnections() throws IOException {
    try (HttpGets gets = gets(start())) {
      sends(gets);
    }
  }

  @Test
  void theClientOfTheSdkDoesSo() throws IOException {
    try (RequestPool pool = new RequestPool("test", 1);
        SdkHttpClient client = ApacheHttpClient.create();
        HttpGets gets = new SdkGets(client, start(), pool)) {
      sends(gets);
    }
  }

  @Test
  void aRequestThatIsCancelledEndsAtOnce() throws Exception {
    try (HttpGets gets = new NioGets(start(), 1, Duration.ofMinutes(5))) {
      assertThat(text(gets, "/first", 206)).isNotEmpty();
      CompletableFuture<HttpGets.Answer> stuck = gets.get("/hang", Map.of(), ALL);
      CompletableFuture<HttpGets.Answer> unsent = gets.get("/unsent", Map.of(), ALL);
      CompletableFuture<String> next = ask(gets, "/next", 206);
      while (hanging.get() == 0) {
        Thread.sleep(5);
      }
      unsent.cancel(true);
      stuck.cancel(true);
      // There is room for the only connection again.
      assertThat(settled(next)).isEqualTo("/next bytes=1-2");
      assertThat(hanging).as("what was cancelled is not sent on another connection").hasValue(1);
      assertThat(paths).containsExactly("/first", "/hang", "/next");
    }
  }

  @Test
  void noTwoRequestsAreOnOneConnectionAtATime() throws IOException {
    try (HttpGets gets = gets(start())) {
      List<CompletableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        answers.add(ask(gets, "/" + i, 206));
      }
      for (int i = 0; i < answers.size(); i++) {
        assertThat(settled(answers.get(i))).isEqualTo("/" + i + " bytes=1-2");
      }
      assertThat(callers).as("connections, of 8 requests at a time").hasSizeLessThanOrEqualTo(8);
    }
  }

  /** Requests come and are cancelled at any moment; those that are not get their own answer. */
  @Test
  void requestsThatAreCancelledAnyTimeTakeNothingFromOthers() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed=" + seed);
    Random random = new Random(seed);
    try (HttpGets gets = gets(start())) {
      Map<String, CompletableFuture<String>> kept = new LinkedHashMap<>();
      for (int i = 0; i < 600; i++) {
        String path = "/" + i;
        CompletableFuture<HttpGets.Answer> answer =
            gets.get(path, Map.of("Range", "bytes=1-2"), ALL);
        if (random.nextInt(3) == 0) {
          long pause = random.nextInt(2_000_000);
          CompletableFuture.delayedExecutor(pause, TimeUnit.NANOSECONDS)
              .execute(() -> answer.cancel(true));
        } else {
          kept.put(
              path,
              answer.thenApply(found -> StandardCharsets.UTF_8.decode(found.body()).toString()));
        }
        if (random.nextInt(16) == 0) {
          LockSupport.parkNanos(random.nextInt(1_000_000));
        }
      }
      for (Map.Entry<String, CompletableFuture<String>> one : kept.entrySet()) {
        assertThat(settled(one.getValue())).isEqualTo(one.getKey() + " bytes=1-2");
      }
    }
  }

  @Test
  void aBodyThatComesTooSlowlyIsAFailure() throws IOException {
    Duration little = Duration.ofMillis(50);
    HttpGets.Wanted soon = head -> new HttpGets.Body(100, little);
    try (HttpGets gets = gets(start())) {
      assertThatThrownBy(() -> settled(gets.get("/slow", Map.of(), soon)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("too slow");
    }
  }

  /** Nobody listens on the first address; connections begin with each in turn. */
  @Test
  void anotherAddressOfAServerIsTriedWhereOneFails() throws IOException {
    byte[][] loopback = {{127, 0, 0, 2}, {127, 0, 0, 1}};
    ServerAddresses.Resolver both =
        host ->
            new InetAddress[] {
              InetAddress.getByAddress(host, loopback[0]),
              InetAddress.getByAddress(host, loopback[1])
            };
    try (HttpGets gets = new NioGets(start(), 8, SILENCE, SILENCE, null, both)) {
      for (int i = 1; i <= 4; i++) {
        assertThat(text(gets, "/last", 206)).isEqualTo("/last bytes=1-2");
        assertThat(callers).hasSize(i);
      }
    }
  }

  @Test
  void aServerThatIsNotThereOrHasNoAddressIsAFailure() throws IOException {
    int port;
    try (ServerSocket none = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = none.getLocalPort();
    }
    try (HttpGets gets = gets(URI.create("http://localhost:" + port))) {
      assertThatThrownBy(() -> text(gets, "/a", 206)).isInstanceOf(ConnectException.class);
    }
    try (HttpGets gets = gets(URI.create("http://nowhere.invalid"))) {
      assertThatThrownBy(() -> text(gets, "/a", 206))
          .hasMessageContaining("nowhere.invalid")
          .hasRootCauseInstanceOf(UnknownHostException.class);
    }
  }

  @Test
  void aConnectionThatTheServerEndsIsNotUsedAgain() throws IOException {
    try (HttpGets gets = gets(start())) {
      for (int i = 1; i <= 3; i++) {
        assertThat(text(gets, "/last", 206)).isEqualTo("/last bytes=1-2");
        assertThat(callers).hasSize(i);
      }
    }
  }
}
