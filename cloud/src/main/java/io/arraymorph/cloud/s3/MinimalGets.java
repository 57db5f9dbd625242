package io.arraymorph.cloud.s3;

import io.arraymorph.store.RequestPool;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.http.ConnectionReuseStrategy;
import org.apache.http.Header;
import org.apache.http.HttpConnectionMetrics;
import org.apache.http.HttpException;
import org.apache.http.HttpHost;
import org.apache.http.HttpRequest;
import org.apache.http.HttpResponse;
import org.apache.http.HttpVersion;
import org.apache.http.ProtocolVersion;
import org.apache.http.RequestLine;
import org.apache.http.config.ConnectionConfig;
import org.apache.http.config.Registry;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.config.SocketConfig;
import org.apache.http.conn.HttpClientConnectionOperator;
import org.apache.http.conn.ManagedHttpClientConnection;
import org.apache.http.conn.routing.HttpRoute;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.impl.DefaultConnectionReuseStrategy;
import org.apache.http.impl.conn.DefaultHttpClientConnectionOperator;
import org.apache.http.impl.conn.ManagedHttpClientConnectionFactory;
import org.apache.http.message.AbstractHttpMessage;
import org.apache.http.message.BasicRequestLine;
import org.apache.http.protocol.BasicHttpContext;
import org.apache.http.protocol.HttpContext;
import org.apache.http.protocol.HttpRequestExecutor;

/**
 * GETs with Apache's connections but without its client: there are no cookies, redirects,
 * authentication, proxies or routes, which cost small reads as much as the exchange itself, and no
 * lock that all requests take. As many connections are open as requests were under way at a time,
 * which the caller bounds; those last used are used again first.
 *
 * <p>A server may have ended a connection that was idle for a second or longer. Then a request on
 * it fails before its answer begins, and is sent once more on a new one (RFC 9110, section 9.2.2),
 * at once and without being a retry; looking at each connection before it is used would take small
 * reads a millisecond. Nothing else is sent twice. Thread-safe.
 */
final class MinimalGets implements HttpGets {
  private static final int CONNECT_MILLIS = 10_000;

  /** Of a connection that was used since, it is no rest that ended it. */
  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Duration IDLE = Duration.ofSeconds(60);
  private static final HttpRequestExecutor EXCHANGES = new HttpRequestExecutor();
  private static final ConnectionReuseStrategy REUSE = DefaultConnectionReuseStrategy.INSTANCE;

  private final HttpHost server;
  private final HttpRoute route;
  private final SocketConfig sockets;
  private final HttpClientConnectionOperator connecting;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final Duration mostIdle;
  private final Executor later;
  private volatile boolean closed;

  /**
   * @param server scheme http or https, host and port
   * @param silence after which a server is given up
   */
  MinimalGets(URI server, Duration silence) {
    this(server, silence, IDLE, SSLConnectionSocketFactory.getSystemSocketFactory());
  }

  /**
   * @param mostIdle how long connections are kept of which there is no use, or up to twice that
   * @param tls makes secured connections
   */
  MinimalGets(URI server, Duration silence, Duration mostIdle, ConnectionSocketFactory tls) {
    this.mostIdle = mostIdle;
    this.later =
        CompletableFuture.delayedExecutor(mostIdle.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
    this.server = new HttpHost(server.getHost(), server.getPort(), server.getScheme());
    this.route = new HttpRoute(this.server);
    this.sockets =
        SocketConfig.custom()
            .setSoTimeout(Math.toIntExact(silence.toMillis()))
            .setSoKeepAlive(true)
            .setTcpNoDelay(true)
            .build();
    Registry<ConnectionSocketFactory> schemes =
        RegistryBuilder.<ConnectionSocketFactory>create()
            .register("http", PlainConnectionSocketFactory.getSocketFactory())
            .register("https", tls)
            .build();
    this.connecting = new DefaultHttpClientConnectionOperator(schemes, null, null);
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

  @Override
  public Answer get(String path, Map<String, String> headers) throws IOException {
    Get get = new Get(path);
    get.addHeader("User-Agent", "arraymorph");
    headers.forEach(get::addHeader);
    Connection kept = idle.pollFirst();
    boolean rested = kept != null && System.nanoTime() - kept.since > REST_NANOS;
    Exchange exchange = new Exchange(kept == null ? newConnection() : kept);
    if (!rested) {
      exchange.send(get);
    } else if (!exchange.sendUnlessEnded(get)) {
      exchange = new Exchange(newConnection());
      exchange.send(get);
    }
    return exchange;
  }

  private Connection newConnection() {
    return new Connection(
        ManagedHttpClientConnectionFactory.INSTANCE.create(route, ConnectionConfig.DEFAULT));
  }

  private void keep(Connection connection) {
    connection.since = System.nanoTime();
    idle.addFirst(connection);
    if (closed) {
      closeIdle(Long.MIN_VALUE);
    } else if (sweeping.compareAndSet(false, true)) {
      later.execute(this::sweep);
    }
  }

  /** Closes what was idle for long, again and again while connections are left. */
  private void sweep() {
    sweeping.set(false);
    closeIdle(mostIdle.toNanos());
    if (!idle.isEmpty() && !closed && sweeping.compareAndSet(false, true)) {
      later.execute(this::sweep);
    }
  }

  private void closeIdle(long least) {
    long now = System.nanoTime();
    for (Connection oldest = idle.pollLast(); oldest != null; oldest = idle.pollLast()) {
      if (now - oldest.since < least) {
        idle.addLast(oldest);
        return;
      }
      oldest.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    closeIdle(Long.MIN_VALUE);
  }

  /** A connection and since when nobody uses it. */
  private static final class Connection {
    private final ManagedHttpClientConnection http;
    private volatile long since;

    Connection(ManagedHttpClientConnection http) {
      this.http = http;
    }

    /** Ends it when nobody uses it. */
    void close() {
      try {
        http.close();
      } catch (IOException e) {
        // It is of no use any more, whatever the server hears of that.
      }
    }

    /** Ends it at once, also for whoever connects, sends or reads. */
    void abort() {
      try {
        http.shutdown();
      } catch (IOException e) {
        // As above.
      }
    }
  }

  /** A request by its path as it is: a URI would be parsed and written anew. */
  private static final class Get extends AbstractHttpMessage implements HttpRequest {
    private final RequestLine line;

    Get(String path) {
      this.line = new BasicRequestLine("GET", path, HttpVersion.HTTP_1_1);
    }

    @Override
    public RequestLine getRequestLine() {
      return line;
    }

    @Override
    public ProtocolVersion getProtocolVersion() {
      return HttpVersion.HTTP_1_1;
    }
  }

  /** A request on a connection of its own until its answer has ended or it is aborted. */
  private final class Exchange implements Answer {
    private final HttpContext context = new BasicHttpContext();

    private final Connection connection;

    /** Whoever sets it closes or keeps the connection. */
    private final AtomicBoolean released = new AtomicBoolean();

    private HttpResponse answer;
    private InputStream body;

    Exchange(Connection connection) {
      this.connection = connection;
      RequestPool.onCancel(this::drop); // At once if it is cancelled already.
    }

    /** The same on a connection that was used before; false if the server has ended it. */
    boolean sendUnlessEnded(Get get) throws IOException {
      HttpConnectionMetrics seen = connection.http.getMetrics();
      long before = seen.getReceivedBytesCount();
      try {
        send(get);
        return true;
      } catch (SocketTimeoutException e) {
        throw e; // Nobody ended it.
      } catch (IOException e) {
        if (seen.getReceivedBytesCount() != before) {
          throw e;
        }
        return false;
      }
    }

    /** Sends and waits for the head of the answer; if that fails, the connection is closed. */
    void send(Get get) throws IOException {
      boolean answered = false;
      try {
        if (closed || released.get()) {
          throw new IOException("the request was aborted");
        }
        if (!connection.http.isOpen()) {
          connecting.connect(connection.http, server, null, CONNECT_MILLIS, sockets, context);
        }
        answer = EXCHANGES.execute(get, connection.http, context);
        body =
            answer.getEntity() == null
                ? InputStream.nullInputStream()
                : answer.getEntity().getContent();
        answered = true;
      } catch (HttpException e) {
        throw new IOException("no HTTP: " + e.getMessage(), e);
      } finally {
        if (!answered) {
          drop();
        }
      }
    }

    private void drop() {
      if (released.compareAndSet(false, true)) {
        connection.abort();
      }
    }

    @Override
    public int status() {
      return answer.getStatusLine().getStatusCode();
    }

    @Override
    public Optional<String> header(String name) {
      return Optional.ofNullable(answer.getFirstHeader(name)).map(Header::getValue);
    }

    @Override
    public InputStream body() {
      return body;
    }

    @Override
    public void end(boolean complete) {
      if (!complete || !REUSE.keepAlive(answer, context)) {
        drop(); // Reading the rest would take its time.
        return;
      }
      if (released.compareAndSet(false, true)) {
        keep(connection);
      }
    }
  }
}
