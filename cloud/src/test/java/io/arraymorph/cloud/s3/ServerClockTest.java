package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads with a wrong clock, from a server that refuses signatures of another time as S3 does. */
class ServerClockTest {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'");
  private static final byte[] CONTENT = "content".getBytes(StandardCharsets.UTF_8);

  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;
  private volatile String refusal = "RequestTimeTooSkewed";
  private volatile boolean refusesAll;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      requests.incrementAndGet();
      String text = exchange.getRequestHeaders().getFirst("x-amz-date");
      Instant signed = LocalDateTime.parse(text, TIME).toInstant(ZoneOffset.UTC);
      Duration wrong = Duration.between(signed, Instant.now()).abs();
      if (refusesAll || wrong.compareTo(Duration.ofMinutes(15)) > 0) {
        byte[] body =
            ("<Error><Code>" + refusal + "</Code><Message>no</Message></Error>")
                .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(403, body.length);
        exchange.getResponseBody().write(body);
      } else {
        exchange.getResponseHeaders().set("ETag", "\"e\"");
        exchange.sendResponseHeaders(200, CONTENT.length);
        exchange.getResponseBody().write(CONTENT);
      }
    }
  }

  private S3ObjectStore store(Duration wrongBy) {
    URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    S3Settings settings = S3Settings.of("b", StoreConfig.of(S3TestServer.settings(endpoint)));
    return new S3ObjectStore("s3a://b", "b", settings, Clock.offset(Clock.systemUTC(), wrongBy));
  }

  private static byte[] read(S3ObjectStore store) {
    ObjectBytes answer = store.get("key", ByteRange.WHOLE, ReadCondition.NONE).join();
    byte[] bytes = new byte[answer.bytes().remaining()];
    answer.bytes().get(bytes);
    return bytes;
  }

  @Test
  void aClockThatIsWrongIsCorrectedOnce() {
    for (Duration wrong : new Duration[] {Duration.ofHours(2), Duration.ofDays(-40)}) {
      for (String code : new String[] {"RequestTimeTooSkewed", "SignatureDoesNotMatch"}) {
        refusal = code;
        requests.set(0);
        try (S3ObjectStore store = store(wrong)) {
          assertThat(read(store)).isEqualTo(CONTENT);
          assertThat(requests).hasValue(2);
          assertThat(read(store)).isEqualTo(CONTENT);
          assertThat(requests).hasValue(3);
        }
      }
    }
  }

  @Test
  void aClockThatIsRightEnoughIsLeftAlone() {
    try (S3ObjectStore store = store(Duration.ofMinutes(3))) {
      assertThat(read(store)).isEqualTo(CONTENT);
      assertThat(requests).hasValue(1);
    }
  }

  @Test
  void aRefusalForAnotherReasonIsNotTriedAgain() {
    refusesAll = true;
    refusal = "SignatureDoesNotMatch";
    try (S3ObjectStore store = store(Duration.ZERO)) {
      assertThatThrownBy(() -> read(store)).isInstanceOf(CompletionException.class);
      assertThat(requests).hasValue(1);
    }
  }

  @Test
  void aServerThatNeverAgreesIsAskedTwice() {
    refusesAll = true;
    try (S3ObjectStore store = store(Duration.ofHours(1))) {
      assertThatThrownBy(() -> read(store))
          .hasCauseInstanceOf(StoreException.class)
          .hasMessageContaining("RequestTimeTooSkewed");
      assertThat(requests).hasValue(2);
    }
  }
}
