package io.arraymorph.cloud.s3;

import io.arraymorph.cloud.s3.HttpGets.Answer;
import io.arraymorph.cloud.s3.HttpGets.Body;
import io.arraymorph.cloud.s3.HttpGets.Wanted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.http.Header;
import org.apache.http.HttpRequest;
import org.apache.http.HttpResponse;
import org.apache.http.HttpVersion;
import org.apache.http.message.BasicHttpRequest;
import org.apache.http.nio.ContentDecoder;

/**
 * A request and its answer: the future of the caller, and what the connection it is on has read so
 * far. All but the future is for the thread of that connection.
 */
final class NioExchange extends CompletableFuture<Answer> {
  /** Most bytes that one read asks the system for: the JDK keeps a buffer of that length. */
  private static final int READ_BYTES = 256 << 10;

  private static final byte[] NOTHING = {};

  private final String path;
  private final Map<String, String> headers;
  private final Wanted wanted;
  private volatile NioConnection connection;
  private boolean resent;
  private Head head;
  private ByteBuffer body = ByteBuffer.wrap(NOTHING);
  private long deadline;

  NioExchange(String path, Map<String, String> headers, Wanted wanted) {
    this.path = path;
    this.headers = headers;
    this.wanted = wanted;
  }

  HttpRequest request() {
    BasicHttpRequest request = new BasicHttpRequest("GET", path, HttpVersion.HTTP_1_1);
    request.addHeader("User-Agent", "arraymorph");
    headers.forEach(request::addHeader);
    return request;
  }

  /** Puts it on a connection, which a cancelled request leaves at once. */
  void on(NioConnection carrier) {
    connection = carrier;
  }

  /** True for the first call: a second time it is not sent by itself. */
  boolean mayBeResent() {
    boolean first = !resent;
    resent = true;
    return first && !isDone();
  }

  /** Takes the head, and throws if the answer is refused for it. */
  void begin(HttpResponse response) {
    head = new Head(response);
    Body part = wanted.of(head);
    body = ByteBuffer.allocate(part.most());
    deadline = System.nanoTime() + part.within().toNanos();
  }

  /** What has come of the body of an answer. */
  enum Progress {
    /** More is to come. */
    PART,
    /** It has ended. */
    ALL,
    /** As much has come as is wanted, and there is more. */
    ENOUGH
  }

  /** Takes what has come; fails if the rest comes too slowly. */
  Progress read(ContentDecoder content) throws IOException {
    while (body.hasRemaining() && !content.isCompleted()) {
      ByteBuffer part = body.slice().limit(Math.min(body.remaining(), READ_BYTES));
      if (content.read(part) <= 0) {
        break;
      }
      body.position(body.position() + part.position());
    }
    if (!body.hasRemaining() && !content.isCompleted()) {
      // Its end, as of a body in chunks, or a byte too many.
      if (content.read(ByteBuffer.allocate(1)) > 0) {
        return Progress.ENOUGH;
      }
    }
    if (content.isCompleted()) {
      return Progress.ALL;
    }
    if (System.nanoTime() - deadline > 0) {
      throw new IOException(
          "too slow: " + body.position() + " of at most " + body.capacity() + " bytes");
    }
    return Progress.PART;
  }

  Answer answer() {
    return new Answer(head, body.flip());
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    boolean cancelled = super.cancel(mayInterruptIfRunning);
    NioConnection carrier = connection;
    if (cancelled && carrier != null) {
      carrier.abandon(this);
    }
    return cancelled;
  }

  private record Head(HttpResponse response) implements HttpGets.Head {
    @Override
    public int status() {
      return response.getStatusLine().getStatusCode();
    }

    @Override
    public Optional<String> header(String name) {
      return Optional.ofNullable(response.getFirstHeader(name)).map(Header::getValue);
    }
  }
}
