package io.arraymorph.cloud.s3;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.ResolvedRange;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Takes the answer to one ranged read apart and refuses it unless it is exactly what was asked. */
final class S3Read {
  private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");

  private final String object;
  private final ByteRange range;
  private final Duration grace;

  /**
   * @param grace time that a body may take on top of what its length allows
   */
  S3Read(String object, ByteRange range, Duration grace) {
    this.object = object;
    this.range = range;
    this.grace = grace;
  }

  /** The value of the request header Range. */
  static String header(ByteRange range) {
    if (range instanceof ByteRange.Bounded) {
      ByteRange.Bounded bounded = (ByteRange.Bounded) range;
      return "bytes=" + bounded.start() + "-" + (bounded.end() - 1);
    }
    return "bytes=-" + ((ByteRange.Suffix) range).length();
  }

  /**
   * What the head of an answer says.
   *
   * @param contentLength null if it says none
   * @param etag null if it says none
   * @param contentRange null if it says none
   */
  record Head(int status, Long contentLength, String etag, String contentRange) {
    static Head of(GetObjectResponse answer) {
      return new Head(
          answer.sdkHttpResponse().statusCode(),
          answer.contentLength(),
          answer.eTag(),
          answer.contentRange());
    }

    static Head of(HttpGets.Head head) {
      Long length = null;
      try {
        length = head.header("Content-Length").map(Long::valueOf).orElse(null);
      } catch (NumberFormatException e) {
        // As good as none, which is refused.
      }
      return new Head(
          head.status(),
          length,
          head.header("ETag").orElse(null),
          head.header("Content-Range").orElse(null));
    }
  }

  /** One attempt through the SDK. */
  ObjectBytes read(S3Client s3, String bucket, String key, ReadCondition condition) {
    GetObjectRequest.Builder request = GetObjectRequest.builder().bucket(bucket).key(key);
    if (!(range instanceof ByteRange.Whole)) {
      request.range(header(range));
    }
    if (condition instanceof ReadCondition.IfMatch) {
      request.ifMatch('"' + ((ReadCondition.IfMatch) condition).etag() + '"');
    }
    return read(s3.getObject(request.build()));
  }

  ObjectBytes read(ResponseInputStream<GetObjectResponse> body) {
    try (body) {
      boolean complete = false;
      try {
        ObjectBytes answer = read(Head.of(body.response()), body);
        complete = true;
        return answer;
      } finally {
        if (!complete) {
          body.abort();
        }
      }
    } catch (IOException e) {
      throw new StoreException(Kind.UNAVAILABLE, object, "connection broken: " + e, e);
    }
  }

  /** The bytes of an answer; the caller closes or aborts its body. */
  private ObjectBytes read(Head head, InputStream body) throws IOException {
    Expected expected = expected(head);
    return bytes(expected, ByteBuffer.wrap(bytes(body, expected.range().length())));
  }

  /**
   * What the body of an answer must hold.
   *
   * @param size of the object
   */
  record Expected(ResolvedRange range, long size, String etag) {}

  /** The answer of a head, with its whole body. */
  ObjectBytes bytes(Expected expected, ByteBuffer body) {
    if (body.remaining() != expected.range().length()) {
      throw protocol(
          "the body ended after "
              + body.remaining()
              + " of "
              + expected.range().length()
              + " bytes");
    }
    return new ObjectBytes(body, expected.range().start(), expected.size(), expected.etag());
  }

  /** What follows a head, or a failure if that is not what was asked for. */
  Expected expected(Head head) {
    if (head.contentLength() == null || head.etag() == null) {
      throw protocol("no Content-Length or ETag");
    }
    long size = head.contentLength();
    int status = head.status();
    // Asked for a range of an empty object, servers differ in what they answer.
    if (!(range instanceof ByteRange.Whole) && size > 0) {
      String contentRange = String.valueOf(head.contentRange());
      Matcher matcher = CONTENT_RANGE.matcher(contentRange);
      if (status != 206 || !matcher.matches()) {
        throw protocol("status " + status + " with Content-Range " + contentRange);
      }
      size = number(matcher.group(3));
      ResolvedRange expected = ResolvedRange.of(range, size, object);
      long start = number(matcher.group(1));
      long end = number(matcher.group(2)) + 1;
      if (start != expected.start() || end - start != expected.length()) {
        throw protocol("asked for bytes " + range + ", answered " + contentRange);
      }
    } else if (range instanceof ByteRange.Whole && status != 200) {
      throw protocol("status " + status);
    }
    ResolvedRange expected = ResolvedRange.of(range, size, object);
    if (head.contentLength() != expected.length()) {
      throw protocol("Content-Length " + head.contentLength() + " instead of " + expected.length());
    }
    return new Expected(expected, size, S3ObjectStore.unquoted(head.etag()));
  }

  private byte[] bytes(InputStream body, int length) throws IOException {
    long deadline = System.nanoTime() + S3Clients.allowed(grace, length).toNanos();
    byte[] bytes = new byte[length];
    int filled = 0;
    while (filled < length) {
      int count = body.read(bytes, filled, length - filled);
      if (count < 0) {
        throw protocol("the body ended after " + filled + " of " + length + " bytes");
      }
      filled += count;
      if (filled < length && System.nanoTime() - deadline > 0) {
        throw new StoreException(
            Kind.UNAVAILABLE, object, "too slow: " + filled + " of " + length + " bytes", null);
      }
    }
    if (body.read() >= 0) {
      throw protocol("the body is longer than " + length + " bytes");
    }
    return bytes;
  }

  private long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw protocol("Content-Range with " + digits);
    }
  }

  private StoreException protocol(String detail) {
    return new StoreException(Kind.PROTOCOL, object, detail, null);
  }
}
