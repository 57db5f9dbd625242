package io.arraymorph.lambda;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.StoreConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers slices of chunks over HTTP (docs/spec/subset.md), reading them with its own credentials.
 *
 * <p>Reads only objects below the URIs it was started with, and only for callers that know its
 * token. Thread-safe; {@link #close()} ends it.
 */
public final class SliceServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SliceServer.class);

  static {
    // Without it small answers wait 40 ms for an acknowledgement; read when the server starts.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    // Callers that send or take their time are cut off; the defaults know no limit.
    for (String limit : List.of("maxReqTime", "maxRspTime")) {
      if (System.getProperty("sun.net.httpserver." + limit) == null) {
        System.setProperty("sun.net.httpserver." + limit, "120");
      }
    }
  }

  /** Callers send many calls at once; refusing those that could be answered soon costs more. */
  private static final int MOST_WAITING = 256;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private static final int PIECE_BYTES = 64 << 10;

  private final HttpServer server;
  private final ExecutorService workers = Executors.newCachedThreadPool(SliceServer::thread);
  private final byte[] token;
  private final SliceLimits limits;
  private final SliceService service;
  private final Semaphore slots;
  private final HeapBudget heap = HeapBudget.ofProcess(LONGEST_WAIT);

  private SliceServer(
      HttpServer server,
      String token,
      List<String> allowed,
      StoreConfig config,
      SliceLimits limits) {
    this.server = server;
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.service = new SliceService(allowed, config, limits, workers);
    this.limits = limits;
    this.slots = new Semaphore(limits.concurrency());
  }

  /**
   * Starts a server.
   *
   * @param address to listen on; port 0 for any
   * @param token that callers must send, not blank
   * @param allowed what may be read, not empty: URIs below which objects are read with the
   *     credentials of this process, as {@code s3://bucket/dir}, and origins of presigned URLs, as
   *     {@code https://bucket.s3.amazonaws.com} or {@code https://*.blob.core.windows.net}
   * @param config how stores are opened
   */
  public static SliceServer start(
      InetSocketAddress address,
      String token,
      List<String> allowed,
      StoreConfig config,
      SliceLimits limits) {
    Objects.requireNonNull(config);
    if (token.isBlank() || allowed.isEmpty()) {
      throw new IllegalArgumentException("a slice server needs a token and URIs it may read");
    }
    try {
      HttpServer http = HttpServer.create(address, 64);
      SliceServer server = new SliceServer(http, token, allowed, config, limits);
      http.createContext(SliceProtocol.PATH, server::handle);
      http.setExecutor(server.workers);
      http.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "arraymorph-slice");
    thread.setDaemon(true);
    return thread;
  }

  /** Where it answers. */
  public URI uri() {
    InetSocketAddress address = server.getAddress();
    return URI.create(
        "http://"
            + address.getAddress().getHostAddress()
            + ":"
            + address.getPort()
            + SliceProtocol.PATH);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!authorized(exchange.getRequestHeaders().getFirst("Authorization"))) {
        refuse(exchange, 401, "UNAUTHORIZED", "the token is missing or wrong");
      } else if (!exchange.getRequestMethod().equals("POST")
          || !exchange.getRequestURI().getPath().equals(SliceProtocol.PATH)) {
        refuse(exchange, 404, "NOT_A_SLICE", "POST " + SliceProtocol.PATH + " answers slices");
      } else {
        try (HeapBudget.Lease memory = heap.lease()) {
          take(exchange, memory);
        }
      }
    } catch (IOException e) {
      LOG.debug("a caller went away", e);
      throw e;
    }
  }

  /** Reads the request, and answers it in a slot: who sends it slowly keeps none from others. */
  private void take(HttpExchange exchange, HeapBudget.Lease memory) throws IOException {
    byte[] body;
    try {
      memory.take("the request", stated(exchange));
      body = exchange.getRequestBody().readNBytes(limits.requestBytes() + 1);
    } catch (HeapBudget.BusyException e) {
      refuse(exchange, 503, "BUSY", e.getMessage());
      return;
    } catch (ArrayMorphException e) {
      refuse(exchange, 413, "TOO_LARGE", e.getMessage());
      return;
    }
    if (body.length > limits.requestBytes()) {
      refuse(exchange, 413, "TOO_LARGE", "the request has more than " + limits.requestBytes());
    } else if (!awaitSlot()) {
      refuse(exchange, 503, "BUSY", "all slots are taken");
    } else {
      try {
        write(exchange, service.answer(body, memory));
      } finally {
        slots.release();
      }
    }
  }

  /** What a request takes in memory: its bytes, and as much again for what they say. */
  private long stated(HttpExchange exchange) {
    String length = exchange.getRequestHeaders().getFirst("Content-Length");
    long bytes = limits.requestBytes();
    if (length != null && length.matches("\\d{1,9}")) {
      bytes = Math.min(bytes, Long.parseLong(length));
    }
    return 2 * bytes;
  }

  /** Takes a slot within some seconds; false if there is none, or too many wait already. */
  private boolean awaitSlot() {
    if (slots.tryAcquire()) {
      return true;
    }
    if (slots.getQueueLength() >= MOST_WAITING) {
      return false;
    }
    try {
      return slots.tryAcquire(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean authorized(String header) {
    byte[] given =
        header != null && header.startsWith("Bearer ")
            ? header.substring(7).getBytes(StandardCharsets.UTF_8)
            : new byte[0];
    return MessageDigest.isEqual(given, token);
  }

  /**
   * Writes the answer in pieces: the server takes twice the memory of what it is given at once, and
   * of many small parts each would be a message to the network of its own.
   */
  private static void write(HttpExchange exchange, SliceService.Reply reply) throws IOException {
    reply.headers().forEach(exchange.getResponseHeaders()::set);
    long length = reply.length();
    exchange.sendResponseHeaders(reply.status(), length == 0 ? -1 : length);
    byte[] piece = new byte[PIECE_BYTES];
    int held = 0;
    try (OutputStream out = exchange.getResponseBody()) {
      for (byte[] bytes : reply.body()) {
        for (int at = 0; at < bytes.length; ) {
          int taken = Math.min(bytes.length - at, piece.length - held);
          System.arraycopy(bytes, at, piece, held, taken);
          at += taken;
          held += taken;
          if (held == piece.length) {
            out.write(piece, 0, held);
            held = 0;
          }
        }
      }
      if (held > 0) {
        out.write(piece, 0, held);
      }
    }
  }

  private static void refuse(HttpExchange exchange, int status, String code, String problem)
      throws IOException {
    write(exchange, SliceService.Reply.refusal(status, code, problem));
  }

  @Override
  public void close() {
    server.stop(0);
    workers.shutdownNow();
  }
}
