package io.arraymorph.cloud.s3;

import static io.arraymorph.cloud.s3.Gets.SILENCE;
import static io.arraymorph.cloud.s3.Gets.ask;
import static io.arraymorph.cloud.s3.Gets.gets;
import static io.arraymorph.cloud.s3.Gets.settled;
import static io.arraymorph.cloud.s3.Gets.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that servers end, and clients. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class NioGetsTest {
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

  /** Hears a request, and ends its connection. */
  private static void end(Socket caller) {
    try (caller) {
      assertThat(caller.getInputStream().read(new byte[8192])).isPositive();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A server of which each connection is served by the test, and a client of it. */
  private void rude(Duration silence, RudeTest test) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        HttpGets gets =
            new NioGets(URI.create("http://localhost:" + server.getLocalPort()), 8, silence)) {
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
            CompletableFuture<Void> unheard = CompletableFuture.runAsync(() -> end(next.join()));
            assertThatThrownBy(() -> text(gets, "/c", 206)).isInstanceOf(IOException.class);
            unheard.join();
            assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
          });
    }
  }

  /** Its end and the request may cross. */
  @Test
  void aRequestThatARestedConnectionEndsWithIsSentOnANewOneOnce() throws Exception {
    rude(
        SILENCE,
        (server, gets, kept) -> {
          CompletableFuture<Socket> next =
              CompletableFuture.supplyAsync(
                  () -> {
                    end(kept);
                    return answered(server);
                  });
          assertThat(text(gets, "/b", 206)).isEqualTo("ok");
          next.join().close();
        });
    rude(
        SILENCE,
        (server, gets, kept) -> {
          CompletableFuture<Void> both =
              CompletableFuture.runAsync(
                  () -> {
                    end(kept);
                    try {
                      end(server.accept());
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  });
          assertThatThrownBy(() -> text(gets, "/b", 206)).isInstanceOf(IOException.class);
          both.join();
          assertThatThrownBy(server::accept).isInstanceOf(SocketTimeoutException.class);
        });
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
            new NioGets(
                URI.create("http://localhost:" + server.getLocalPort()),
                8,
                SILENCE,
                Duration.ofMillis(100),
                null,
                InetAddress::getAllByName)) {
      CompletableFuture<Socket> caller = CompletableFuture.supplyAsync(() -> answered(server));
      assertThat(text(gets, "/a", 206)).isEqualTo("ok");
      try (Socket kept = caller.join()) {
        kept.setSoTimeout((int) SILENCE.toMillis());
        assertThat(kept.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void anErrorForOneRequestIsNoneForOthers() throws IOException {
    HttpGets.Wanted defect =
        head -> {
          throw new AssertionError("a defect");
        };
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        HttpGets gets =
            new NioGets(URI.create("http://localhost:" + server.getLocalPort()), 8, SILENCE)) {
      CompletableFuture<HttpGets.Answer> fatal = gets.get("/a", Map.of(), defect);
      CompletableFuture<String> other = ask(gets, "/other", 206);
      try (Socket first = answered(server);
          Socket second = answered(server)) {
        assertThatThrownBy(() -> settled(fatal)).hasRootCauseMessage("a defect");
        assertThat(settled(other)).isEqualTo("ok");
        assertThat(first.getPort()).isNotEqualTo(second.getPort());
      }
    }
  }

  /** Answers requests as they come, on each connection, until it ends. */
  private static void serve(ServerSocket server, Executor threads) {
    threads.execute(
        () -> {
          try (Socket caller = server.accept()) {
            serve(server, threads);
            caller.setTcpNoDelay(true);
            BufferedReader requests =
                new BufferedReader(
                    new InputStreamReader(caller.getInputStream(), StandardCharsets.UTF_8));
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
              if (line.isEmpty()) {
                caller.getOutputStream().write(OK.getBytes(StandardCharsets.UTF_8));
              }
            }
          } catch (IOException e) {
            // The test has ended.
          }
        });
  }

  /** Requests come from several threads just when connections become free. */
  @Test
  void noRequestIsLeftUnsent() throws IOException {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
        NioGets gets =
            new NioGets(
                URI.create("http://localhost:" + server.getLocalPort()),
                64,
                Duration.ofSeconds(2))) {
      serve(server, threads);
      for (int round = 0; round < 60; round++) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
          answers.add(ask(gets, "/a", 206));
        }
        for (CompletableFuture<String> answer : answers) {
          assertThat(settled(answer)).isEqualTo("ok");
        }
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aHeadThatDoesNotEndIsRefused() throws Exception {
    rude(
        SILENCE,
        (server, gets, kept) -> {
          CompletableFuture<Void> endless =
              CompletableFuture.runAsync(
                  () -> say(kept, "HTTP/1.1 206 OK\r\nA: " + "a".repeat(1 << 20)));
          assertThatThrownBy(() -> text(gets, "/b", 206))
              .isInstanceOf(IOException.class)
              .hasMessageContaining("limit");
          endless.exceptionally(failure -> null).join();
        });
  }

  @Test
  void aClosedClientSendsNothingAndEndsItsConnections() throws IOException {
    try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
      HttpGets gets =
          new NioGets(URI.create("http://localhost:" + server.getLocalPort()), 1, SILENCE);
      CompletableFuture<Socket> caller = CompletableFuture.supplyAsync(() -> answered(server));
      assertThat(text(gets, "/a", 206)).isEqualTo("ok");
      List<CompletableFuture<String>> pending =
          List.of(ask(gets, "/b", 206), ask(gets, "/waits", 206));
      gets.close();
      try (Socket ended = caller.join()) {
        ended.setSoTimeout((int) SILENCE.toMillis());
        assertThat(ended.getInputStream().readAllBytes()).isNotNull();
      }
      for (CompletableFuture<String> one : pending) {
        assertThatThrownBy(() -> settled(one))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("aborted");
      }
      assertThatThrownBy(() -> text(gets, "/c", 206))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("aborted");
    }
  }
}
