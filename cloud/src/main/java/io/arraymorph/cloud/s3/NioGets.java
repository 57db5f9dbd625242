package io.arraymorph.cloud.s3;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.apache.http.HttpHost;

/**
 * GETs on Apache's event-driven connections (HttpCore NIO) but without its client: there are no
 * cookies, redirects, authentication, proxies or routes, and no thread for each request, of which
 * waking one takes as long as sending a small request.
 *
 * <p>At most so many connections are open; requests beyond them wait in their order, and the
 * connection last used is used first. A server may end a connection just when a request is sent on
 * it after a second or more of rest. That request is sent once more on a new one (RFC 9110, section
 * 9.2.2), at once and without being a retry. Nothing else is sent twice. Thread-safe.
 */
final class NioGets implements HttpGets {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration IDLE = Duration.ofSeconds(60);

  /** What hangs on answers, as decoding, keeps no connection waiting. */
  private static final Executor ANSWERS = answers();

  private final HttpHost server;
  private final int connections;
  private final int silenceMillis;
  private final int mostIdleMillis;
  private final ServerAddresses addresses;
  private final NioReactor reactor;

  private final Deque<NioConnection> idle = new ArrayDeque<>();
  private final Deque<NioExchange> waiting = new ArrayDeque<>();
  private final Set<NioConnection> open = new HashSet<>();
  private final Set<NioExchange> connecting = new HashSet<>();
  private boolean closed;

  /**
   * @param server scheme http or https, host and port
   * @param connections most at a time
   * @param silence after which a server is given up
   */
  NioGets(URI server, int connections, Duration silence) {
    this(
        server,
        connections,
        silence,
        IDLE,
        isSecured(server) ? NioReactor.systemTls() : null,
        InetAddress::getAllByName);
  }

  /**
   * @param mostIdle how long connections are kept of which there is no use
   * @param tls makes secured connections; null if there are none
   */
  NioGets(
      URI server,
      int connections,
      Duration silence,
      Duration mostIdle,
      SSLContext tls,
      ServerAddresses.Resolver resolver) {
    int port = server.getPort() > 0 ? server.getPort() : isSecured(server) ? 443 : 80;
    this.server = new HttpHost(server.getHost(), port, server.getScheme());
    this.connections = connections;
    this.silenceMillis = Math.toIntExact(silence.toMillis());
    this.mostIdleMillis = Math.toIntExact(mostIdle.toMillis());
    this.addresses = new ServerAddresses(server.getHost(), resolver);
    this.reactor = new NioReactor(this, tls);
  }

  private static boolean isSecured(URI server) {
    return "https".equals(server.getScheme());
  }

  private static Executor answers() {
    int processors = Math.max(2, Runtime.getRuntime().availableProcessors());
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            processors,
            processors,
            IDLE.toSeconds(),
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> NioReactor.daemon(task, "arraymorph-s3-answers"));
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** True unless this process must reach servers through a proxy. */
  static boolean canConnect() {
    for (String name : new String[] {"http_proxy", "https_proxy", "all_proxy"}) {
      if (isSet(System.getenv(name)) || isSet(System.getenv(name.toUpperCase(Locale.ROOT)))) {
        return false;
      }
    }
    return !isSet(System.getProperty("http.proxyHost"))
        && !isSet(System.getProperty("https.proxyHost"));
  }

  private static boolean isSet(String value) {
    return value != null && !value.isBlank();
  }

  int silenceMillis() {
    return silenceMillis;
  }

  int mostIdleMillis() {
    return mostIdleMillis;
  }

  HttpHost server() {
    return server;
  }

  @Override
  public CompletableFuture<Answer> get(String path, Map<String, String> headers, Wanted wanted) {
    NioExchange exchange = new NioExchange(path, headers, wanted);
    NioConnection connection;
    synchronized (this) {
      if (closed) {
        exchange.completeExceptionally(aborted());
        return exchange;
      }
      connection = idle.pollFirst();
      if (connection == null) {
        if (open.size() + connecting.size() >= connections) {
          waiting.add(exchange);
          return exchange;
        }
        connecting.add(exchange);
      }
    }
    if (connection != null) {
      connection.send(exchange);
    } else {
      connect(exchange);
    }
    return exchange;
  }

  private static IOException aborted() {
    return new IOException("the request was aborted");
  }

  /** Sends a request on a new connection in place of one that has ended. */
  void sendAnew(NioExchange exchange) {
    synchronized (this) {
      connecting.add(exchange);
    }
    connect(exchange);
  }

  /** Settles a request on a thread where what hangs on it may take some time. */
  void settle(Runnable outcome) {
    ANSWERS.execute(outcome);
  }

  /** A connection has nothing to do. */
  void free(NioConnection connection) {
    NioExchange exchange;
    boolean late;
    synchronized (this) {
      late = closed;
      exchange = late ? null : nextWaiting();
      if (exchange == null && !late) {
        idle.addFirst(connection);
      }
    }
    if (late) {
      connection.fail(aborted());
    } else if (exchange != null) {
      connection.send(exchange);
    }
  }

  private NioExchange nextWaiting() {
    NioExchange exchange = waiting.poll();
    while (exchange != null && exchange.isDone()) {
      exchange = waiting.poll(); // cancelled
    }
    return exchange;
  }

  /** A connection is no more. */
  void ended(NioConnection connection) {
    synchronized (this) {
      open.remove(connection);
      idle.remove(connection);
    }
    connectForWaiting();
  }

  private void connectForWaiting() {
    NioExchange exchange;
    synchronized (this) {
      if (closed || open.size() + connecting.size() >= connections) {
        return;
      }
      exchange = nextWaiting();
      if (exchange == null) {
        return;
      }
      connecting.add(exchange);
    }
    connect(exchange);
  }

  private void connect(NioExchange exchange) {
    CompletableFuture<?> unused =
        addresses
            .next()
            .whenComplete(
                (found, failure) -> {
                  if (failure == null) {
                    connect(exchange, found, 0);
                  } else {
                    failed(
                        exchange,
                        new IOException(server.getHostName() + " has no address", failure));
                  }
                });
  }

  private void connect(NioExchange exchange, List<InetAddress> found, int at) {
    InetSocketAddress address = new InetSocketAddress(found.get(at), server.getPort());
    try {
      reactor.connect(
          address,
          CONNECT,
          http -> {
            NioConnection connection = new NioConnection(this, http);
            boolean late;
            synchronized (this) {
              late = closed;
              connecting.remove(exchange);
              open.add(connection);
            }
            if (late) {
              connection.fail(aborted());
            } else if (exchange.isDone()) {
              connection.rest();
            } else {
              connection.send(exchange);
            }
            return connection;
          },
          failure -> {
            if (at + 1 < found.size()) {
              connect(exchange, found, at + 1);
            } else {
              failed(exchange, failure);
            }
          });
    } catch (IOException e) {
      failed(exchange, e);
    }
  }

  /** There is no connection for a request. */
  private void failed(NioExchange exchange, IOException failure) {
    synchronized (this) {
      connecting.remove(exchange);
    }
    settle(() -> exchange.completeExceptionally(failure));
    connectForWaiting();
  }

  /** The reactor is no more, and nothing on its connections will ever end. */
  void failAll(IOException failure) {
    List<NioExchange> unsent = new ArrayList<>();
    List<NioConnection> connected;
    synchronized (this) {
      unsent.addAll(connecting);
      connecting.clear();
      unsent.addAll(waiting);
      waiting.clear();
      connected = List.copyOf(open);
    }
    connected.forEach(connection -> connection.fail(failure));
    unsent.forEach(exchange -> settle(() -> exchange.completeExceptionally(failure)));
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    failAll(aborted());
    reactor.close();
  }
}
