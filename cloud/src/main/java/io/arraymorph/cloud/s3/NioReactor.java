package io.arraymorph.cloud.s3;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.apache.http.ConnectionClosedException;
import org.apache.http.HttpException;
import org.apache.http.config.ConnectionConfig;
import org.apache.http.config.MessageConstraints;
import org.apache.http.impl.nio.DefaultHttpClientIODispatch;
import org.apache.http.impl.nio.reactor.DefaultConnectingIOReactor;
import org.apache.http.impl.nio.reactor.IOReactorConfig;
import org.apache.http.nio.ContentDecoder;
import org.apache.http.nio.ContentEncoder;
import org.apache.http.nio.NHttpClientConnection;
import org.apache.http.nio.NHttpClientEventHandler;
import org.apache.http.nio.reactor.IOSession;
import org.apache.http.nio.reactor.SessionRequest;
import org.apache.http.nio.reactor.SessionRequestCallback;
import org.apache.http.nio.reactor.ssl.SSLSetupHandler;

/**
 * The threads that wait for all connections of one client at once, started with the first
 * connection: one for each two processors, and one that connects. Thread-safe.
 */
final class NioReactor {
  private static final String CONNECTION = "arraymorph.connection";
  private static final String CONNECTED = "arraymorph.connected";
  private static final int MOST_LOOK_MILLIS = 1000;

  /** A head that is larger is none of a store. */
  private static final ConnectionConfig LIMITED =
      ConnectionConfig.custom()
          .setMessageConstraints(
              MessageConstraints.custom().setMaxLineLength(64 << 10).setMaxHeaderCount(256).build())
          .build();

  private final NioGets gets;
  private final SSLContext tls;
  private DefaultConnectingIOReactor running;
  private boolean closed;

  /**
   * @param tls null for connections that are not secured
   */
  NioReactor(NioGets gets, SSLContext tls) {
    this.gets = gets;
    this.tls = tls;
  }

  /** What the properties of the JVM say of certificates and keys. */
  static SSLContext systemTls() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("TLS is part of every Java platform", e);
    }
  }

  /**
   * Connects, and calls one of the two on a thread of this reactor.
   *
   * @param connected makes what hears of the connection from then on
   */
  void connect(
      InetSocketAddress address,
      Duration within,
      Function<NHttpClientConnection, NioConnection> connected,
      Consumer<IOException> failed)
      throws IOException {
    SessionRequestCallback callback =
        new SessionRequestCallback() {
          @Override
          public void completed(SessionRequest request) {
            request.getSession().setAttribute(CONNECTED, connected);
          }

          @Override
          public void failed(SessionRequest request) {
            failed.accept(request.getException());
          }

          @Override
          public void timeout(SessionRequest request) {
            failed.accept(
                new SocketTimeoutException("not connected in " + within.toMillis() + " ms"));
          }

          @Override
          public void cancelled(SessionRequest request) {
            failed.accept(new ConnectionClosedException("the client was closed"));
          }
        };
    SessionRequest request;
    try {
      request = reactor().connect(address, null, gets.server(), callback);
    } catch (IllegalStateException e) {
      throw new IOException("the client was closed", e);
    }
    request.setConnectTimeout(Math.toIntExact(within.toMillis()));
  }

  private synchronized DefaultConnectingIOReactor reactor() throws IOException {
    if (closed) {
      throw new ConnectionClosedException("the client was closed");
    }
    if (running == null) {
      int least = Math.min(gets.silenceMillis(), gets.mostIdleMillis());
      IOReactorConfig config =
          IOReactorConfig.custom()
              .setIoThreadCount(Math.max(1, Runtime.getRuntime().availableProcessors() / 2))
              .setSelectInterval(Math.max(10, Math.min(MOST_LOOK_MILLIS, least / 4)))
              .setTcpNoDelay(true)
              .setSoKeepAlive(true)
              .build();
      AtomicInteger number = new AtomicInteger();
      DefaultConnectingIOReactor made =
          new DefaultConnectingIOReactor(
              config, task -> daemon(task, "arraymorph-s3-" + number.incrementAndGet()));
      Events events = new Events();
      DefaultHttpClientIODispatch<Events> dispatch =
          tls == null
              ? new DefaultHttpClientIODispatch<>(events, LIMITED)
              : new DefaultHttpClientIODispatch<>(events, tls, new NamesChecked(), LIMITED);
      daemon(() -> run(made, dispatch), "arraymorph-s3-connect").start();
      running = made;
    }
    return running;
  }

  static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private void run(
      DefaultConnectingIOReactor reactor, DefaultHttpClientIODispatch<Events> dispatch) {
    IOException cause = new IOException("the client was closed");
    try {
      reactor.execute(dispatch);
    } catch (IOException | RuntimeException | Error e) {
      cause = new IOException("connections failed: " + e, e);
    } finally {
      synchronized (this) {
        running = null; // The next request starts another.
      }
      gets.failAll(cause);
    }
  }

  void close() {
    DefaultConnectingIOReactor last;
    synchronized (this) {
      closed = true;
      last = running;
    }
    if (last != null) {
      try {
        last.shutdown(1); // 0 would wait for its end.
      } catch (IOException e) {
        // Its connections are ended already.
      }
    }
  }

  /** Certificates must be of the server that was asked for. */
  private static final class NamesChecked implements SSLSetupHandler {
    @Override
    public void initalize(SSLEngine engine) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      engine.setSSLParameters(parameters);
    }

    @Override
    public void verify(IOSession session, SSLSession secured) {
      // Was done with the certificate.
    }
  }

  /** Tells connections what happens to them. */
  private static final class Events implements NHttpClientEventHandler {
    private static NioConnection connection(NHttpClientConnection http) {
      return (NioConnection) http.getContext().getAttribute(CONNECTION);
    }

    @Override
    @SuppressWarnings("unchecked") // as it was put there
    public void connected(NHttpClientConnection http, Object attachment) {
      Function<NHttpClientConnection, NioConnection> connected =
          (Function<NHttpClientConnection, NioConnection>)
              http.getContext().removeAttribute(CONNECTED);
      http.getContext().setAttribute(CONNECTION, connected.apply(http));
    }

    @Override
    public void requestReady(NHttpClientConnection http) throws IOException, HttpException {
      connection(http).ready();
    }

    @Override
    public void responseReceived(NHttpClientConnection http) {
      connection(http).answered();
    }

    @Override
    public void inputReady(NHttpClientConnection http, ContentDecoder content) throws IOException {
      connection(http).read(content);
    }

    @Override
    public void outputReady(NHttpClientConnection http, ContentEncoder content) {
      // Requests have no body.
    }

    @Override
    public void endOfInput(NHttpClientConnection http) {
      connection(http).ended(new ConnectionClosedException("the server ended the connection"));
    }

    @Override
    public void timeout(NHttpClientConnection http) {
      connection(http).silent();
    }

    @Override
    public void closed(NHttpClientConnection http) {
      connection(http).ended(new ConnectionClosedException("the connection was ended"));
    }

    @Override
    public void exception(NHttpClientConnection http, Exception failure) {
      connection(http)
          .ended(
              failure instanceof IOException
                  ? (IOException) failure
                  : new IOException("no HTTP: " + failure.getMessage(), failure));
    }
  }
}
