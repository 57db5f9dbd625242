package io.arraymorph.cloud.s3;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.CancelledKeyException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.http.ConnectionClosedException;
import org.apache.http.ConnectionReuseStrategy;
import org.apache.http.HttpException;
import org.apache.http.HttpResponse;
import org.apache.http.HttpStatus;
import org.apache.http.impl.DefaultConnectionReuseStrategy;
import org.apache.http.nio.ContentDecoder;
import org.apache.http.nio.NHttpClientConnection;

/**
 * A connection and the request that is on it, one at a time. Events come on the thread of the
 * connection, requests and their ends from any; whoever takes the request off settles it.
 */
final class NioConnection {
  private static final ConnectionReuseStrategy REUSE = DefaultConnectionReuseStrategy.INSTANCE;

  /** Of a connection that was used since, it is no rest that ended it. */
  private static final long REST_NANOS = 1_000_000_000;

  private final NioGets gets;
  private final NHttpClientConnection http;
  private final AtomicReference<NioExchange> current = new AtomicReference<>();
  private final AtomicBoolean gone = new AtomicBoolean();

  /** Not handed to the connection yet. */
  private final AtomicReference<NioExchange> next = new AtomicReference<>();

  private volatile long sentAt;
  private volatile boolean rested;
  private volatile long idleSince = System.nanoTime();
  private volatile long receivedBefore;

  NioConnection(NioGets gets, NHttpClientConnection http) {
    this.gets = gets;
    this.http = http;
  }

  /** Sends a request; there must be none on the connection. */
  void send(NioExchange exchange) {
    sentAt = System.nanoTime();
    rested = sentAt - idleSince > REST_NANOS;
    receivedBefore = http.getMetrics().getReceivedBytesCount();
    http.setSocketTimeout(gets.silenceMillis());
    current.set(exchange);
    exchange.on(this);
    next.set(exchange);
    try {
      http.requestOutput();
    } catch (CancelledKeyException e) {
      broken(new IOException("the connection was ended", e));
      return;
    }
    if (exchange.isDone()) {
      abandon(exchange);
    } else if (gone.get()) {
      broken(new ConnectionClosedException("the connection was ended"));
    }
  }

  /** Ends the connection if that request is on it. */
  void abandon(NioExchange exchange) {
    if (current.compareAndSet(exchange, null)) {
      end();
    }
  }

  /** Ends the connection and fails the request that is on it. */
  void fail(Throwable failure) {
    NioExchange exchange = current.getAndSet(null);
    end();
    if (exchange != null) {
      gets.settle(() -> exchange.completeExceptionally(failure));
    }
  }

  /** As {@link #fail}; but a request to which its rest was fatal goes to another connection. */
  private void broken(IOException failure) {
    NioExchange exchange = current.getAndSet(null);
    boolean unheard = rested && http.getMetrics().getReceivedBytesCount() == receivedBefore;
    boolean anew = exchange != null && unheard && exchange.mayBeResent();
    if (anew) {
      gets.sendAnew(exchange); // Before there is room for others.
    }
    end();
    if (exchange != null && !anew) {
      gets.settle(() -> exchange.completeExceptionally(failure));
    }
  }

  private void end() {
    try {
      http.shutdown();
    } catch (IOException e) {
      // It is of no use any more, whatever the server hears of that.
    }
    if (gone.compareAndSet(false, true)) {
      gets.ended(this);
    }
  }

  /** The connection can take a request. */
  void ready() throws IOException, HttpException {
    NioExchange exchange = next.getAndSet(null);
    if (exchange == null) {
      http.suspendOutput();
      exchange =
          next.getAndSet(null); // Whoever left it meanwhile may have asked for output before.
      if (exchange == null) {
        return;
      }
      http.requestOutput();
    }
    http.submitRequest(exchange.request());
  }

  /** The head of an answer has come. */
  void answered() {
    HttpResponse response = http.getHttpResponse();
    NioExchange exchange = current.get();
    int status = response.getStatusLine().getStatusCode();
    if (status < 200) {
      return; // Another follows.
    }
    if (exchange == null || next.get() == exchange) {
      // Nobody asked, as when a server says why it will end the connection: this is nobody's
      // answer.
      ended(new IOException("an answer without a request"));
      return;
    }
    try {
      exchange.begin(response);
    } catch (RuntimeException | Error e) {
      fail(e); // The thread is not this request's alone.
      return;
    }
    if (status == HttpStatus.SC_NO_CONTENT || status == HttpStatus.SC_NOT_MODIFIED) {
      complete(exchange, false); // Nothing follows, whatever the library expects.
    }
  }

  /** Some of the body has come. */
  void read(ContentDecoder content) throws IOException {
    NioExchange exchange = current.get();
    if (exchange == null) {
      end();
      return;
    }
    NioExchange.Progress progress = exchange.read(content);
    if (progress == NioExchange.Progress.ENOUGH) {
      complete(exchange, false);
    } else if (progress == NioExchange.Progress.ALL) {
      complete(exchange, REUSE.keepAlive(http.getHttpResponse(), http.getContext()));
    }
  }

  private void complete(NioExchange exchange, boolean reusable) {
    if (!current.compareAndSet(exchange, null)) {
      return; // Whoever took it off ends the connection.
    }
    if (reusable) {
      rest();
    } else {
      end();
    }
    gets.settle(() -> exchange.complete(exchange.answer()));
  }

  /** Nothing has come for the time that the connection was given, or shortly before. */
  void silent() {
    if (current.get() == null) {
      end(); // Nobody wants it, or finds it ended.
    } else if (System.nanoTime() - sentAt >= gets.silenceMillis() * 1_000_000L) {
      fail(new SocketTimeoutException("no answer for " + gets.silenceMillis() + " ms"));
    }
  }

  /** Lets others use it. */
  void rest() {
    idleSince = System.nanoTime();
    http.setSocketTimeout(gets.mostIdleMillis());
    gets.free(this);
  }

  /** The connection is or was ended: by the server, or for this reason. */
  void ended(IOException failure) {
    if (current.get() != null) {
      broken(failure);
    } else {
      end();
    }
  }
}
