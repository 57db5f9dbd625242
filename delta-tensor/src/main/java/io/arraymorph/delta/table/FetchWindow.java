package io.arraymorph.delta.table;

import io.arraymorph.store.ObjectBytes;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Requests in the order in which their answers are needed, sent ahead of that, also of several
 * files: so the first ones of a file are on their way while those of the file before are decoded.
 * Thread-safe.
 *
 * <p>No more than {@link #MOST} bytes are on their way or undecoded, unless one request has more:
 * what is needed first comes first, not everything at last, and memory stays bounded.
 */
final class FetchWindow {
  private static final long MOST = 32 << 20;

  /**
   * The window before anything was decoded: requests that are sent together share the network, so
   * that with few of them the first is answered early, and decoding begins.
   */
  private static final long FIRST = 8 << 20;

  private final Queue<Request> waiting = new ArrayDeque<>();
  private long window = FIRST;
  private long undecoded;
  private long early;

  /**
   * A window for some requests.
   *
   * @param bytes about how many all of them ask for
   */
  FetchWindow(long bytes) {
    this.early = bytes > MOST ? FIRST : 0;
  }

  /** A request that is sent once. */
  static final class Request {
    private final long bytes;
    private final Supplier<CompletableFuture<ObjectBytes>> send;
    private CompletableFuture<ObjectBytes> answer;

    Request(long bytes, Supplier<CompletableFuture<ObjectBytes>> send) {
      this.bytes = bytes;
      this.send = send;
    }
  }

  /** True if the next request should be small, so that its answer comes early. */
  synchronized boolean isEarly() {
    return early > 0;
  }

  /** Takes note that a request of so many bytes is among the first. */
  synchronized void spendEarly(long bytes) {
    early -= bytes;
  }

  /** Appends requests and sends those for which there is room. */
  synchronized void add(Iterable<Request> requests) {
    requests.forEach(waiting::add);
    sendAhead();
  }

  /** The answer to a request, which is sent now if it was not. */
  synchronized CompletableFuture<ObjectBytes> answer(Request request) {
    send(request);
    return request.answer;
  }

  /** Says that the answer to a request is needed no longer. */
  synchronized void decoded(Request request) {
    request.answer = null;
    undecoded -= request.bytes;
    window = Math.min(MOST, window + 2 * request.bytes);
    sendAhead();
  }

  private void sendAhead() {
    while (!waiting.isEmpty() && undecoded < window) {
      send(waiting.remove());
    }
  }

  private void send(Request request) {
    if (request.answer == null) {
      waiting.remove(request);
      undecoded += request.bytes;
      request.answer = request.send.get();
    }
  }
}
