package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.cloud.s3.HttpGets.Body;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.http.HttpConnectionMetrics;
import org.apache.http.HttpVersion;
import org.apache.http.message.BasicHttpResponse;
import org.apache.http.nio.NHttpClientConnection;
import org.junit.jupiter.api.Test;

class NioConnectionTest {
  private final List<String> calls = new ArrayList<>();
  private Runnable whenSuspended = () -> {};

  /** Notes what it is told; nothing is received on it. */
  private NHttpClientConnection noting() {
    Object metrics = proxy(HttpConnectionMetrics.class, name -> 0L);
    return proxy(
        NHttpClientConnection.class,
        name -> {
          calls.add(name);
          if (name.equals("suspendOutput")) {
            whenSuspended.run();
          }
          return switch (name) {
            case "getMetrics" -> metrics;
            case "getHttpResponse" -> new BasicHttpResponse(HttpVersion.HTTP_1_1, 200, "OK");
            default -> null;
          };
        });
  }

  private interface Answers {
    Object to(String name);
  }

  private static <T> T proxy(Class<T> type, Answers answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.to(method.getName())));
  }

  /** As a server's last words on a connection that was idle. */
  @Test
  void whatCameBeforeARequestWasSentIsNotItsAnswer() {
    try (NioGets gets = new NioGets(URI.create("http://localhost:1"), 1, Duration.ofSeconds(1))) {
      NioConnection connection = new NioConnection(gets, noting());
      NioExchange exchange =
          new NioExchange("/a", Map.of(), head -> new Body(1, Duration.ofSeconds(1)));
      connection.send(exchange);
      connection.answered();
      assertThat(exchange)
          .failsWithin(Duration.ofSeconds(10))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(IOException.class);
      assertThat(calls).contains("shutdown");
    }
  }

  /** Then nobody asks again for what was asked for before the suspension. */
  @Test
  void aRequestThatComesWhileOutputIsSuspendedIsSent() throws Exception {
    try (NioGets gets = new NioGets(URI.create("http://localhost:1"), 1, Duration.ofSeconds(1))) {
      NioConnection connection = new NioConnection(gets, noting());
      NioExchange exchange =
          new NioExchange("/a", Map.of(), head -> new Body(1, Duration.ofSeconds(1)));
      whenSuspended = () -> connection.send(exchange);
      connection.ready();
      assertThat(calls).contains("submitRequest").endsWith("submitRequest");
      assertThat(calls.lastIndexOf("requestOutput")).isGreaterThan(calls.indexOf("suspendOutput"));
      whenSuspended = () -> {};
      connection.ready();
      assertThat(calls.stream().filter("submitRequest"::equals)).hasSize(1);
    }
  }
}
