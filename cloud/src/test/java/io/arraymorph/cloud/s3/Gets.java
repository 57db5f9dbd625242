package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Asks by HTTP and says what came of it. */
final class Gets {
  static final Duration SILENCE = Duration.ofSeconds(10);

  /** All of bodies that are no longer than this. */
  static final HttpGets.Wanted ALL = head -> new HttpGets.Body(1 << 22, SILENCE);

  static NioGets gets(URI server) {
    return new NioGets(server, 8, SILENCE);
  }

  static CompletableFuture<String> ask(HttpGets gets, String path, int status) {
    return gets.get(path, Map.of("Range", "bytes=1-2", "X-One", "1"), ALL)
        .thenApply(
            answer -> {
              assertThat(answer.head().status()).isEqualTo(status);
              assertThat(answer.head().header("etag")).contains("\"v1\"");
              assertThat(answer.head().header("other")).isEmpty();
              return StandardCharsets.UTF_8.decode(answer.body()).toString();
            });
  }

  static String text(HttpGets gets, String path, int status) throws IOException {
    return settled(ask(gets, path, status));
  }

  /** The outcome of a request, thrown as it is if that is a failure. */
  static <T> T settled(CompletableFuture<T> answer) throws IOException {
    try {
      return answer.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException) {
        throw (IOException) e.getCause();
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private Gets() {}
}
