package io.arraymorph.cloud.gcs;

import java.io.IOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Collects the body of an answer in one array, as long as the answer says it is, and refuses more
 * bytes than were expected before it makes room for them.
 */
final class GcsBody implements BodySubscriber<ByteBuffer> {
  private static final int MOST_INITIAL_BYTES = 64 << 20;

  private final CompletableFuture<ByteBuffer> body = new CompletableFuture<>();
  private final long limit;
  private byte[] bytes;
  private int count;
  private Flow.Subscription subscription;

  private GcsBody(int expected, long limit) {
    this.bytes = new byte[expected];
    this.limit = limit;
  }

  /**
   * A handler of answers of at most {@code limit} bytes; longer ones fail as an IOException.
   * Answers that report an error may have 64 KiB.
   */
  static BodyHandler<ByteBuffer> atMost(long limit) {
    return answer -> {
      long allowed = answer.statusCode() < 300 ? limit : Math.max(limit, 64 << 10);
      return new GcsBody(expected(answer, allowed), allowed);
    };
  }

  private static int expected(ResponseInfo answer, long limit) {
    long length = answer.headers().firstValueAsLong("Content-Length").orElse(8192);
    return (int) Math.max(0, Math.min(Math.min(length, limit), MOST_INITIAL_BYTES));
  }

  @Override
  public CompletionStage<ByteBuffer> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    given.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      int more = buffer.remaining();
      if (count + (long) more > limit) {
        subscription.cancel();
        body.completeExceptionally(new IOException("more than the " + limit + " bytes expected"));
        return;
      }
      if (count + more > bytes.length) {
        long room = Math.max(count + (long) more, Math.min(limit, 2L * bytes.length));
        bytes = Arrays.copyOf(bytes, (int) Math.min(room, Integer.MAX_VALUE - 8));
      }
      buffer.get(bytes, count, more);
      count += more;
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(ByteBuffer.wrap(bytes, 0, count));
  }
}
