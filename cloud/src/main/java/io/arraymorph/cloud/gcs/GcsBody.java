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
  private volatile long received;
  private Flow.Subscription subscription;

  private GcsBody(int expected, long limit) {
    this.bytes = new byte[expected];
    this.limit = limit;
  }

  /**
   * Takes one answer of at most {@code limit} bytes; a longer one fails as an IOException. An
   * answer that reports an error may have 64 KiB.
   */
  static final class Handler implements BodyHandler<ByteBuffer> {
    private final long limit;
    private volatile GcsBody body;

    Handler(long limit) {
      this.limit = limit;
    }

    @Override
    public BodySubscriber<ByteBuffer> apply(ResponseInfo answer) {
      long allowed = answer.statusCode() < 300 ? limit : Math.max(limit, 64 << 10);
      body = new GcsBody(expected(answer, allowed), allowed);
      return body;
    }

    /** The bytes that came so far; -1 before the answer began. */
    long received() {
      GcsBody begun = body;
      return begun == null ? -1 : begun.received;
    }
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
    received = count;
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
