package io.arraymorph.cloud.gcs;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ResolvedRange;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One ranged read of an object, refused unless it is exactly what was asked. */
final class GcsRead {
  private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");

  private final String object;
  private final ByteRange range;
  private final String wanted;

  /**
   * @param wanted the generation to read, empty for any; checked again here, for servers that do
   *     not know the condition
   */
  GcsRead(String object, ByteRange range, String wanted) {
    this.object = object;
    this.range = range;
    this.wanted = wanted;
  }

  ObjectBytes read(GcsClient client, HttpRequest.Builder request) {
    // Without it, objects stored compressed would be sent expanded, and ranges ignored.
    request.header("Accept-Encoding", "gzip");
    long limit = Integer.MAX_VALUE - 8;
    if (range instanceof ByteRange.Bounded) {
      ByteRange.Bounded bounded = (ByteRange.Bounded) range;
      request.header("Range", "bytes=" + bounded.start() + "-" + (bounded.end() - 1));
      limit = Math.min(limit, bounded.length());
    } else if (range instanceof ByteRange.Suffix) {
      long length = ((ByteRange.Suffix) range).length();
      request.header("Range", "bytes=-" + length);
      limit = Math.min(limit, length);
    }
    return checked(client.send(request, object, 0, limit));
  }

  private ObjectBytes checked(HttpResponse<ByteBuffer> answer) {
    String version =
        answer
            .headers()
            .firstValue("x-goog-generation")
            .orElseThrow(() -> protocol("no generation"));
    if (!wanted.isEmpty() && !wanted.equals(version)) {
      throw new StoreException(Kind.PRECONDITION_FAILED, object, "is generation " + version, null);
    }
    ByteBuffer body = answer.body();
    long stored = answer.headers().firstValueAsLong("x-goog-stored-content-length").orElse(-1);
    long start = 0;
    long size = body.remaining();
    String text = answer.headers().firstValue("Content-Range").orElse("");
    Matcher matcher = CONTENT_RANGE.matcher(text);
    if (answer.statusCode() == 206 && matcher.matches()) {
      start = Long.parseLong(matcher.group(1));
      size = Long.parseLong(matcher.group(3));
    } else if (stored == 0 && size == 0) {
      size = 0; // Asked for a range of an empty object, servers differ in what they answer.
    } else if (answer.statusCode() != 200 || !(range instanceof ByteRange.Whole)) {
      throw protocol("status " + answer.statusCode() + " with Content-Range " + text);
    }
    if (stored >= 0 && stored != size) {
      throw protocol(size + " bytes of an object of " + stored);
    }
    ResolvedRange resolved = ResolvedRange.of(range, size, object);
    if (start != resolved.start() || body.remaining() != resolved.length()) {
      throw protocol(
          "asked for bytes "
              + range
              + ", got "
              + body.remaining()
              + " from "
              + start
              + " of "
              + size);
    }
    return new ObjectBytes(body, start, size, version);
  }

  private StoreException protocol(String detail) {
    return new StoreException(Kind.PROTOCOL, object, detail, null);
  }
}
