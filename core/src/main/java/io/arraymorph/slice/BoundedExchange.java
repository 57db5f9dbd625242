package io.arraymorph.slice;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.IntUnaryOperator;

/**
 * A request over plain HTTP whose answer is bounded in bytes and time, and which ends when nobody
 * waits for it.
 */
public final class BoundedExchange {
  private BoundedExchange() {}

  /**
   * Sends a request; cancelling the future cancels the request.
   *
   * @param time until the last byte has come; that of the request ends when its body begins
   * @param most bytes that an answer of a status may have; whoever answers more is cut off after
   *     one more byte
   * @param check makes the result of the answer, or of the failure if that is not null; what it
   *     throws fails the future
   */
  public static <T> CompletableFuture<T> send(
      HttpClient http,
      HttpRequest request,
      Duration time,
      IntUnaryOperator most,
      BiFunction<HttpResponse<byte[]>, Throwable, T> check) {
    CompletableFuture<HttpResponse<byte[]>> sent =
        http.sendAsync(
            request,
            head ->
                new BoundedBody(
                    most.applyAsInt(head.statusCode()),
                    head.headers().firstValueAsLong("Content-Length").orElse(-1)));
    CompletableFuture<HttpResponse<byte[]>> ended = new CompletableFuture<>();
    CompletableFuture<?> unused =
        sent.whenComplete(
            (response, failure) -> {
              if (failure == null) {
                ended.complete(response);
              } else {
                ended.completeExceptionally(failure);
              }
            });
    CompletableFuture<T> answer = new CompletableFuture<>();
    unused =
        ended
            .orTimeout(time.toMillis(), TimeUnit.MILLISECONDS)
            .whenComplete(
                (response, failure) -> {
                  if (failure instanceof TimeoutException) {
                    sent.cancel(true);
                  }
                  try {
                    answer.complete(check.apply(response, failure));
                  } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                  }
                });
    unused =
        answer.whenComplete(
            (ignored, failure) -> {
              if (answer.isCancelled()) {
                sent.cancel(true);
              }
            });
    return answer;
  }
}
