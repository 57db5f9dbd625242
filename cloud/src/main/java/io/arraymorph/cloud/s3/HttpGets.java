package io.arraymorph.cloud.s3;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;

/** Sends GETs without a body to one server. Thread-safe. */
interface HttpGets extends AutoCloseable {

  /**
   * Sends a request and waits for the head of its answer. The task of {@code RequestPool} that runs
   * this ends at once when it is cancelled.
   *
   * @param path encoded, as it is sent
   * @param headers to send, also Host
   */
  Answer get(String path, Map<String, String> headers) throws IOException;

  @Override
  void close();

  /** An answer; its taker must end it. For one thread. */
  interface Answer {

    /** The status of HTTP. */
    int status();

    /** The first value of a header, whatever the case of its name. */
    Optional<String> header(String name);

    /** What follows the head. */
    InputStream body();

    /**
     * Ends the answer.
     *
     * @param complete true if its body was read until it ended; else the rest is not waited for
     */
    void end(boolean complete) throws IOException;
  }
}
