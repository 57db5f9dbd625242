package io.arraymorph.cloud.s3;

import io.arraymorph.store.RequestPool;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.http.Header;
import org.apache.http.HttpHost;
import org.apache.http.HttpVersion;
import org.apache.http.ProtocolVersion;
import org.apache.http.RequestLine;
import org.apache.http.client.config.RequestConfig;
import org.apache.http.client.methods.AbstractExecutionAwareRequest;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.Configurable;
import org.apache.http.config.Registry;
import org.apache.http.config.RegistryBuilder;
import org.apache.http.config.SocketConfig;
import org.apache.http.conn.socket.ConnectionSocketFactory;
import org.apache.http.conn.socket.PlainConnectionSocketFactory;
import org.apache.http.conn.ssl.SSLConnectionSocketFactory;
import org.apache.http.impl.client.CloseableHttpClient;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.impl.conn.PoolingHttpClientConnectionManager;
import org.apache.http.message.BasicRequestLine;

/**
 * GETs with the minimal client of Apache: connections are pooled, and there are no cookies,
 * redirects, authentication or proxies, which cost small reads as much as the exchange itself.
 * Nothing is sent twice. Thread-safe.
 */
final class MinimalGets implements HttpGets {
  private static final int CONNECT_MILLIS = 10_000;
  private static final long IDLE_SECONDS = 15;

  private final HttpHost server;
  private final RequestConfig config;
  private final PoolingHttpClientConnectionManager connections;
  private final CloseableHttpClient client;
  private final AtomicBoolean sweeping = new AtomicBoolean();
  private final Executor later =
      CompletableFuture.delayedExecutor(IDLE_SECONDS, TimeUnit.SECONDS, Runnable::run);
  private volatile boolean closed;

  /**
   * @param server scheme http or https, host and port
   * @param most connections
   * @param silence after which a server is given up, and how long a connection is waited for
   */
  MinimalGets(URI server, int most, Duration silence) {
    this(server, most, silence, SSLConnectionSocketFactory.getSystemSocketFactory());
  }

  /**
   * @param tls makes secured connections
   */
  MinimalGets(URI server, int most, Duration silence, ConnectionSocketFactory tls) {
    int millis = Math.toIntExact(silence.toMillis());
    this.server = new HttpHost(server.getHost(), server.getPort(), server.getScheme());
    this.config =
        RequestConfig.custom()
            .setConnectTimeout(CONNECT_MILLIS)
            .setConnectionRequestTimeout(millis)
            .setSocketTimeout(millis)
            .build();
    Registry<ConnectionSocketFactory> sockets =
        RegistryBuilder.<ConnectionSocketFactory>create()
            .register("http", PlainConnectionSocketFactory.getSocketFactory())
            .register("https", tls)
            .build();
    this.connections = new PoolingHttpClientConnectionManager(sockets);
    connections.setMaxTotal(most);
    connections.setDefaultMaxPerRoute(most);
    connections.setDefaultSocketConfig(
        SocketConfig.custom()
            .setSoTimeout(millis)
            .setSoKeepAlive(true)
            .setTcpNoDelay(true)
            .build());
    this.client = HttpClients.createMinimal(connections);
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
    Get get = new Get(path, config);
    headers.forEach(get::addHeader);
    RequestPool.onCancel(get::abort);
    Answer answer = new Taken(client.execute(server, get));
    sweepLater();
    return answer;
  }

  private void sweepLater() {
    if (!closed && sweeping.compareAndSet(false, true)) {
      later.execute(this::sweep);
    }
  }

  /** Closes what was idle for long, again and again while connections are left. */
  private void sweep() {
    connections.closeExpiredConnections();
    connections.closeIdleConnections(IDLE_SECONDS, TimeUnit.SECONDS);
    sweeping.set(false);
    if (connections.getTotalStats().getAvailable() + connections.getTotalStats().getLeased() > 0) {
      sweepLater();
    }
  }

  @Override
  public void close() {
    closed = true;
    connections.shutdown();
  }

  /** A request by its path as it is: a URI would be parsed and written anew. */
  private static final class Get extends AbstractExecutionAwareRequest implements Configurable {
    private final String path;
    private final RequestConfig config;

    Get(String path, RequestConfig config) {
      this.path = path;
      this.config = config;
    }

    @Override
    public RequestLine getRequestLine() {
      return new BasicRequestLine("GET", path, HttpVersion.HTTP_1_1);
    }

    @Override
    public ProtocolVersion getProtocolVersion() {
      return HttpVersion.HTTP_1_1;
    }

    @Override
    public RequestConfig getConfig() {
      return config;
    }
  }

  /** An answer whose connection is kept if its body was read until it ended. */
  private static final class Taken implements Answer {
    private final CloseableHttpResponse answer;
    private final InputStream body;

    Taken(CloseableHttpResponse answer) throws IOException {
      this.answer = answer;
      this.body =
          answer.getEntity() == null
              ? InputStream.nullInputStream()
              : answer.getEntity().getContent();
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
    public void end(boolean complete) throws IOException {
      // Closing the body would wait for the rest of it, closing the answer ends the connection
      // unless the body has ended, which gave it back.
      answer.close();
    }
  }
}
