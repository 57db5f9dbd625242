package io.arraymorph.cloud.s3;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sends GETs without a body to one server. Thread-safe. */
interface HttpGets extends AutoCloseable {

  /**
   * Sends a request. Its future has the answer with its body; it fails with an {@code IOException},
   * or with what {@code wanted} threw. Cancelling it ends the request at once.
   *
   * @param path encoded, as it is sent
   * @param headers to send, also Host
   * @param wanted says what is read of the body; must not block
   */
  CompletableFuture<Answer> get(String path, Map<String, String> headers, Wanted wanted);

  /** Fails what is under way, and whatever is asked for later. */
  @Override
  void close();

  /** Decides by the head of an answer. */
  interface Wanted {
    /** How much of the body to take; throws to refuse the answer. */
    Body of(Head head);
  }

  /**
   * What is taken of a body: all of it if it is no longer than that, and else its start.
   *
   * @param most bytes
   * @param within which it must have come, since its head did
   */
  record Body(int most, Duration within) {}

  /** The head of an answer. */
  interface Head {

    /** The status of HTTP. */
    int status();

    /** The first value of a header, whatever the case of its name. */
    Optional<String> header(String name);
  }

  /** An answer, and as much of its body as was wanted and has come. */
  record Answer(Head head, ByteBuffer body) {}
}
