package io.arraymorph.slice;

import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * The body of an answer, of which no more is taken than was asked for and one byte: whoever answers
 * more is cut off, and found out by the length.
 */
final class BoundedBody implements BodySubscriber<byte[]> {
  private static final int FIRST_BYTES = 1 << 16;

  private final int most;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private Flow.Subscription subscription;
  private byte[] bytes;
  private int length;

  /**
   * @param expected bytes
   * @param stated by the header of the answer, or -1; memory is not taken for what is never sent
   */
  BoundedBody(int expected, long stated) {
    this.most = expected == Integer.MAX_VALUE ? expected : expected + 1;
    this.bytes = new byte[stated == expected ? expected : Math.min(most, FIRST_BYTES)];
  }

  @Override
  public CompletionStage<byte[]> getBody() {
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
      int taken = Math.min(buffer.remaining(), most - length);
      if (length + taken > bytes.length) {
        bytes =
            Arrays.copyOf(bytes, (int) Math.min(most, Math.max(2L * bytes.length, length + taken)));
      }
      buffer.get(bytes, length, taken);
      length += taken;
      if (length == most) { // One too many: nothing more is waited for.
        subscription.cancel();
        onComplete();
        return;
      }
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
  }
}
