package io.arraymorph.loopback;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * An HTTP proxy on the loopback interface that counts what passes and lets requests fail as
 * networks and object stores do.
 *
 * <p>Clients use {@link #endpoint} as if it were the server; requests pass unchanged, the header
 * Host included, so that their signatures hold. Faults are tried in the order in which they were
 * injected. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final URI upstream;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Exchange> exchanges = new ConcurrentLinkedQueue<>();
  private final List<Fault> faults = new ArrayList<>();
  private final AtomicInteger unanswered = new AtomicInteger();
  private volatile boolean closed;

  /** What goes wrong. */
  public enum Effect {
    /** Status 403, the server does not see the request. */
    DENY,
    /** Status 500, the server does not see the request. */
    FAIL,
    /** Status 503 with Retry-After: 0, the server does not see the request. */
    SLOW_DOWN,
    /** The connection is reset, the server does not see the request. */
    RESET,
    /** The server answers, but the connection is reset before the client sees anything of it. */
    LOSE,
    /** The connection is reset in the middle of the answer's body. */
    RESET_BODY,
    /** The connection ends, politely, in the middle of the answer's body. */
    TRUNCATE,
    /** Nothing more comes after half of the answer's body, and the connection stays open. */
    STALL,
    /** The answer comes 200 ms late. */
    DELAY,
    /** No answer comes, and the connection stays open until the client ends it. */
    SILENT
  }

  /**
   * One request that passed, or should have.
   *
   * @param target path and query
   * @param range the header Range, empty if absent
   * @param status of the answer that the client was sent, 0 if none
   * @param bytes of the answer's body that the client was sent
   * @param fault null if all went well
   */
  public record Exchange(
      String method, String target, String range, int status, long bytes, Effect fault) {}

  private static final class Fault {
    private final Effect effect;
    private final Pattern requests;
    private final double rate;
    private final Random random;
    private int rest;

    Fault(Effect effect, Pattern requests, double rate, int times, long seed) {
      this.effect = effect;
      this.requests = requests;
      this.rate = rate;
      this.rest = times;
      this.random = new Random(seed);
    }
  }

  private FaultProxy(ServerSocket listener, URI upstream) {
    this.listener = listener;
    this.upstream = upstream;
  }

  /** Starts a proxy before a server on a free port. */
  public static FaultProxy before(URI upstream) throws IOException {
    FaultProxy proxy =
        new FaultProxy(
            new ServerSocket(0, 200, InetAddress.getByAddress(new byte[] {127, 0, 0, 1})),
            upstream);
    daemon(proxy::accept);
    return proxy;
  }

  /** As {@code http://127.0.0.1:PORT}. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /**
   * Adds a fault.
   *
   * @param requests regular expression found in {@code METHOD /path?query}
   * @param times how many requests it hits
   */
  public void inject(Effect effect, String requests, int times) {
    inject(effect, requests, 1, times, 0);
  }

  /**
   * Adds a fault that hits by chance.
   *
   * @param rate the chance of each matching request
   * @param seed of that chance
   */
  public void inject(Effect effect, String requests, double rate, int times, long seed) {
    synchronized (faults) {
      faults.add(new Fault(effect, Pattern.compile(requests), rate, times, seed));
    }
  }

  /** Removes all faults. */
  public void heal() {
    synchronized (faults) {
      faults.clear();
    }
  }

  /** Every request so far, in the order in which they ended. */
  public List<Exchange> exchanges() {
    return List.copyOf(exchanges);
  }

  /** The number of requests with a method. */
  public long count(String method) {
    return exchanges.stream().filter(e -> e.method.equals(method)).count();
  }

  /** The bytes of all bodies that clients were sent in answer to a method. */
  public long bytes(String method) {
    return exchanges.stream().filter(e -> e.method.equals(method)).mapToLong(Exchange::bytes).sum();
  }

  /** Requests that wait for an answer that does not come ({@link Effect#SILENT}). */
  public int unanswered() {
    return unanswered.get();
  }

  /** Forgets the requests so far. */
  public void clear() {
    exchanges.clear();
  }

  /** Cuts all connections and accepts no more. */
  @Override
  public void close() throws IOException {
    closed = true;
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  Effect nextFault(String method, String target) {
    synchronized (faults) {
      for (Fault fault : faults) {
        if (fault.rest > 0
            && fault.requests.matcher(method + " " + target).find()
            && fault.random.nextDouble() < fault.rate) {
          fault.rest--;
          return fault.effect;
        }
      }
    }
    return null;
  }

  /** Adds to the requests that wait in vain. */
  void waitsInVain(int more) {
    unanswered.addAndGet(more);
  }

  void record(Exchange exchange) {
    exchanges.add(exchange);
  }

  Socket connect() throws IOException {
    return track(new Socket(upstream.getHost(), upstream.getPort()));
  }

  private Socket track(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    if (closed) {
      socket.close();
    }
    return socket;
  }

  void forget(Socket socket) throws IOException {
    sockets.remove(socket);
    socket.close();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = track(listener.accept());
        daemon(() -> new ProxiedConnection(this, client).run());
      } catch (IOException e) {
        if (!closed) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }
}
