package io.arraymorph.lambda;

import io.arraymorph.slice.BoundedExchange;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An object behind a URL that its caller signed: read by plain HTTP, without an SDK. The URL is
 * shown nowhere, for it is a credential. Redirects are not followed. Thread-safe.
 */
final class PresignedObject implements ObjectSource {
  private static final Pattern CONTENT_RANGE =
      Pattern.compile("bytes (\\d{1,18})-(\\d{1,18})/(\\d{1,18})");

  private final HttpClient http;
  private final URI url;
  private final String name;
  private final long maxBytes;
  private final Duration timeout;

  /**
   * @param name of the object in messages
   * @param maxBytes of one answer
   * @param timeout of one request
   */
  PresignedObject(HttpClient http, URI url, String name, long maxBytes, Duration timeout) {
    this.http = http;
    this.url = url;
    this.name = name;
    this.maxBytes = maxBytes;
    this.timeout = timeout;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String store() {
    return url.getScheme() + "://" + url.getRawAuthority();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(ByteRange range, ReadCondition condition) {
    HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(timeout).GET();
    if (range instanceof ByteRange.Bounded) {
      ByteRange.Bounded part = (ByteRange.Bounded) range;
      request.header("Range", "bytes=" + part.start() + "-" + (part.end() - 1));
    } else if (range instanceof ByteRange.Suffix) {
      request.header("Range", "bytes=-" + ((ByteRange.Suffix) range).length());
    }
    if (condition instanceof ReadCondition.IfMatch) {
      request.header("If-Match", ((ReadCondition.IfMatch) condition).etag());
    }
    int most = (int) Math.min(maxBytes, Integer.MAX_VALUE - 16);
    int part =
        range instanceof ByteRange.Bounded
            ? (int) Math.min(most, ((ByteRange.Bounded) range).length())
            : most;
    return BoundedExchange.send(
        http,
        request.build(),
        timeout,
        status -> status == 206 ? part : status == 200 ? most : 0,
        (response, failure) -> {
          if (failure != null) {
            throw failed(StoreException.Kind.UNAVAILABLE, "no answer");
          }
          return check(response, range);
        });
  }

  /** Failures name neither the URL nor their cause, which may. */
  private StoreException failed(StoreException.Kind kind, String detail) {
    return new StoreException(kind, name, detail, null);
  }

  private ObjectBytes check(HttpResponse<byte[]> response, ByteRange range) {
    int status = response.statusCode();
    switch (status) {
      case 200:
      case 206:
        break;
      case 401:
      case 403:
        throw failed(StoreException.Kind.DENIED, "the presigned URL is not accepted: " + status);
      case 404:
        throw failed(StoreException.Kind.NOT_FOUND, "no such object");
      case 412:
        throw failed(StoreException.Kind.PRECONDITION_FAILED, "another version");
      case 416:
        throw failed(StoreException.Kind.RANGE_NOT_SATISFIABLE, "the range is beyond the object");
      case 429:
      case 503:
        throw failed(StoreException.Kind.THROTTLED, "status " + status);
      default:
        throw failed(
            status >= 500 ? StoreException.Kind.UNAVAILABLE : StoreException.Kind.PROTOCOL,
            "status " + status);
    }
    byte[] body = response.body();
    if (body.length > maxBytes) {
      throw failed(StoreException.Kind.TOO_LARGE, "more than " + maxBytes + " bytes at once");
    }
    HttpHeaders headers = response.headers();
    String etag = headers.firstValue("ETag").orElse("");
    if (etag.isEmpty()) {
      throw failed(StoreException.Kind.PROTOCOL, "an answer without ETag");
    }
    if (status == 200) {
      // The whole object, whatever was asked for.
      long start = 0;
      ByteBuffer bytes = ByteBuffer.wrap(body);
      if (range instanceof ByteRange.Bounded) {
        start = Math.min(body.length, ((ByteRange.Bounded) range).start());
        long end = Math.min(body.length, ((ByteRange.Bounded) range).end());
        bytes = bytes.slice((int) start, (int) (end - start));
      } else if (range instanceof ByteRange.Suffix) {
        start = Math.max(0, body.length - ((ByteRange.Suffix) range).length());
        bytes = bytes.slice((int) start, (int) (body.length - start));
      }
      return new ObjectBytes(bytes, start, body.length, etag);
    }
    Matcher part = CONTENT_RANGE.matcher(headers.firstValue("Content-Range").orElse(""));
    if (!part.matches()) {
      throw failed(StoreException.Kind.PROTOCOL, "a part without Content-Range");
    }
    long start = Long.parseLong(part.group(1));
    long end = Long.parseLong(part.group(2)) + 1;
    long size = Long.parseLong(part.group(3));
    boolean asked = end - start == body.length && end <= size;
    if (range instanceof ByteRange.Bounded) {
      ByteRange.Bounded wanted = (ByteRange.Bounded) range;
      asked &= start == wanted.start() && end == Math.min(size, wanted.end());
    } else if (range instanceof ByteRange.Suffix) {
      asked &= end == size && body.length == Math.min(size, ((ByteRange.Suffix) range).length());
    } else {
      asked = false;
    }
    if (!asked) {
      throw failed(StoreException.Kind.PROTOCOL, "another part than was asked for");
    }
    return new ObjectBytes(ByteBuffer.wrap(body), start, size, etag);
  }
}
