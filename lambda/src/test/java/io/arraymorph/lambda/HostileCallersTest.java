package io.arraymorph.lambda;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.arraymorph.slice.SliceProtocol;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callers that know the token, and stores that are allowed, but mean harm. */
class HostileCallersTest {
  private static final SliceLimits LIMITS =
      new SliceLimits(4 << 20, 1 << 20, 64 << 20, 4, Duration.ofSeconds(10));

  @TempDir private Path folder;
  private final List<AutoCloseable> opened = new ArrayList<>();
  private SliceServer server;
  private String object;

  @BeforeEach
  void start() throws IOException {
    Files.write(folder.resolve("raw"), new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    object = "file://" + folder + "/raw";
    server = LoopbackServers.start("file://" + folder, LIMITS);
    opened.add(server);
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
  }

  private static HttpResponse<String> post(SliceServer server, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(server.uri())
            .timeout(Duration.ofSeconds(20))
            .header("Authorization", "Bearer " + LoopbackServers.TOKEN)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static String code(HttpResponse<String> answer) {
    return answer.headers().firstValue(SliceProtocol.CODE_HEADER).orElse("none");
  }

  private String slice(String version, String runs) {
    return "{\"arraymorph_slice\":" + version + ",\"object\":\"" + object + "\"," + runs + "}";
  }

  @Test
  void whoSendsARequestSlowlyKeepsNoSlotFromOthers() throws Exception {
    for (int i = 0; i < 3 * LIMITS.concurrency(); i++) {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
      opened.add(socket);
      String head =
          "POST /slice HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
              + LoopbackServers.TOKEN
              + "\r\nContent-Length: 1000\r\n\r\n{";
      socket.getOutputStream().write(head.getBytes(UTF_8));
      socket.getOutputStream().flush();
    }
    Thread.sleep(300);
    long start = System.nanoTime();
    assertThat(post(server, slice("1", "\"runs\":[[2,3]]")).body()).isEqualTo("\u0003\u0004\u0005");
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
  }

  @Test
  void refusalsRepeatNeitherLongTextsNorUrls() throws Exception {
    String text = "y".repeat(3_000_000);
    for (String body :
        List.of(
            "{\"arraymorph_slice\":{\"x\":\"" + text + "\"}}",
            "{\"arraymorph_slice\":1,\"object\":\"s3://" + text + "\",\"runs\":[[0,1]]}",
            "{\"arraymorph_slice\":1,\"" + text + "\":1}",
            slice("1", "\"runs\":[{\"x\":\"" + text + "\"}]"))) {
      HttpResponse<String> answer = post(server, body);
      assertThat(answer.statusCode()).isBetween(400, 403);
      assertThat(answer.body().length()).isBetween(1, 600);
    }
    HttpResponse<String> url =
        post(
            server,
            slice("1", "\"read_url\":\"https://h/o?sig=S3CR3T nonsense\",\"runs\":[[0,1]]"));
    assertThat(url.statusCode()).isEqualTo(400);
    assertThat(url.body()).doesNotContain("S3CR3T").contains("read_url");
  }

  @Test
  void aVersionIsAnIntegerThatIsKnown() throws Exception {
    String runs = "\"runs\":[[0,1]]";
    assertThat(post(server, slice("1", runs)).statusCode()).isEqualTo(200);
    for (String version : List.of("\"1\"", "1.9", "4294967297", "[1]", "null", "true", "0", "3")) {
      HttpResponse<String> answer = post(server, slice(version, runs));
      assertThat(answer.statusCode()).as(version).isEqualTo(400);
      assertThat(code(answer)).isEqualTo("INVALID_REQUEST");
      assertThat(answer.body()).startsWith("arraymorph_slice is ");
    }
  }

  @Test
  void aStoreThatAnswersAPartWithoutEndIsCutOffSoon() throws Exception {
    AtomicLong written = new AtomicLong();
    HttpServer endless =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    endless.createContext("/", exchange -> sendWithoutEnd(exchange, written));
    endless.start();
    opened.add(() -> endless.stop(0));
    String origin = "http://127.0.0.1:" + endless.getAddress().getPort();
    SliceServer reader = LoopbackServers.start(origin, LIMITS);
    opened.add(reader);
    URI url = URI.create(origin + "/o?sig=S3CR3T");
    HttpResponse<String> answer =
        post(reader, slice("1", "\"read_url\":\"" + url + "\",\"runs\":[[0,100]]"));
    assertThat(answer.statusCode()).isEqualTo(502);
    assertThat(answer.body()).doesNotContain("S3CR3T");
    // Three attempts, each with what fits into the buffers of a connection.
    assertThat(written.get()).isLessThan(3L * (LIMITS.objectBytes() / 4));
  }

  private static void sendWithoutEnd(HttpExchange exchange, AtomicLong written) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("ETag", "\"v\"");
      exchange.getResponseHeaders().set("Content-Range", "bytes 0-99/1000");
      exchange.sendResponseHeaders(206, 0);
      OutputStream out = exchange.getResponseBody();
      while (true) {
        out.write(new byte[1 << 16]);
        written.addAndGet(1 << 16);
      }
    }
  }
}
