package io.arraymorph.slice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a client shows of servers that repeat what they were sent, and how long it waits. */
class SliceClientTest {
  private static final String TOKEN = "tok-0f-th1s-te5t";
  private static final String SIGNATURE = "5eb63bbbe01eeed093cb22bb8f5acdc3";
  private static final URI SIGNED =
      URI.create("https://b.example.com/o?X-Amz-Date=20300101&X-Amz-Signature=" + SIGNATURE);

  /** Answers a request, of which it is given head and body. */
  private interface Answer {
    void write(HttpExchange exchange, String request) throws IOException;
  }

  private final AtomicReference<Answer> answer = new AtomicReference<>();
  private HttpServer server;
  private SliceClient client;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String head = exchange.getRequestHeaders().getFirst("Authorization");
            String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
            answer.get().write(exchange, head + "\r\n\r\n" + body);
          }
        });
    server.start();
    URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/slice");
    client = new SliceClient(endpoint, TOKEN, Duration.ofSeconds(1));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private SliceException failure() {
    SliceRuns runs = new SliceRuns(0, 64, new long[0], new long[0]);
    SliceRequest request =
        new SliceRequest(
            "s3://b/o",
            Optional.of(SIGNED),
            Optional.empty(),
            new SliceRequest.Runs(List.of(runs)));
    Throwable thrown = catchThrowable(() -> client.slice(request, 64).join());
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    assertThat(text.toString()).doesNotContain(TOKEN).doesNotContain(SIGNATURE);
    assertThat(thrown).hasCauseInstanceOf(SliceException.class);
    return (SliceException) thrown.getCause();
  }

  private static void refuse(HttpExchange exchange, String text) throws IOException {
    exchange.sendResponseHeaders(500, 0);
    exchange.getResponseBody().write(text.getBytes(UTF_8));
  }

  @Test
  void secretsThatAreRepeatedAreNotShown() {
    answer.set((exchange, request) -> refuse(exchange, "You sent " + request));
    assertThat(failure())
        .hasMessageContaining("You sent Bearer ..")
        .hasMessageContaining("X-Amz-Date=20300101&X-Amz-Signature=..")
        .hasMessageNotContaining("\r")
        .hasMessageNotContaining("\n");
    answer.set((exchange, request) -> refuse(exchange, request.replace("&", "&amp;").repeat(50)));
    assertThat(failure().getMessage()).hasSizeLessThan(1200);
  }

  @Test
  void aSecretThatIsCutOffIsNotShownEither() {
    for (int from = 960; from < 1000; from++) {
      String before = "x".repeat(from);
      answer.set((exchange, request) -> refuse(exchange, before + TOKEN + SIGNATURE));
      assertThat(failure().getMessage())
          .doesNotContain(TOKEN.substring(0, 6))
          .doesNotContain(SIGNATURE.substring(0, 6));
    }
  }

  @Test
  void theTimeOfACallEndsWithItsBody() {
    answer.set(
        (exchange, request) -> {
          exchange.sendResponseHeaders(200, 64);
          OutputStream out = exchange.getResponseBody();
          for (int i = 0; i < 64; i++) {
            out.write(i);
            out.flush();
            try {
              Thread.sleep(200);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
              return;
            }
          }
        });
    long start = System.nanoTime();
    assertThat(failure().code()).isEqualTo("UNREACHABLE");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
  }
}
