package io.arraymorph.cloud.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.http.HttpHeaders;
import com.azure.core.util.Context;
import com.azure.storage.blob.models.BlobDownloadResponse;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlobRequestConditions;
import com.azure.storage.blob.models.DownloadRetryOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ResolvedRange;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One ranged read of a blob, refused unless it is exactly what was asked. */
final class AzureRead {
  private static final Pattern CONTENT_RANGE = Pattern.compile("bytes (\\d+)-(\\d+)/(\\d+)");
  private static final int MOST_INITIAL_BYTES = 64 << 20;

  private final String object;
  private final ByteRange range;

  AzureRead(String object, ByteRange range) {
    this.object = object;
    this.range = range;
  }

  ObjectBytes read(BlockBlobClient blob, BlobRequestConditions conditions) {
    BlobRange header = null;
    int expected = 8192;
    if (range instanceof ByteRange.Bounded) {
      ByteRange.Bounded bounded = (ByteRange.Bounded) range;
      header = new BlobRange(bounded.start(), bounded.length());
      expected = (int) Math.min(MOST_INITIAL_BYTES, bounded.length());
    }
    Sink sink = new Sink(expected);
    BlobDownloadResponse response =
        blob.downloadStreamWithResponse(
            sink,
            header,
            new DownloadRetryOptions().setMaxRetryRequests(0),
            conditions,
            false,
            null,
            Context.NONE);
    return checked(response, sink);
  }

  private ObjectBytes checked(BlobDownloadResponse response, Sink sink) {
    HttpHeaders headers = response.getHeaders();
    String etag = headers.getValue(HttpHeaderName.ETAG);
    if (etag == null) {
      throw protocol("no ETag");
    }
    if (headers.getValue(AzureObjectStore.FOLDER) != null) {
      throw new StoreException(Kind.NOT_FOUND, object, "is a directory", null);
    }
    int status = response.getStatusCode();
    long size;
    long start = 0;
    String length = headers.getValue(HttpHeaderName.CONTENT_LENGTH);
    // Asked for a range of an empty blob, services differ in what they answer.
    boolean empty = sink.size() == 0 && (length == null || length.equals("0"));
    if (range instanceof ByteRange.Bounded && !empty) {
      String text = String.valueOf(headers.getValue(HttpHeaderName.CONTENT_RANGE));
      Matcher matcher = CONTENT_RANGE.matcher(text);
      if (status != 206 || !matcher.matches()) {
        throw protocol("status " + status + " with Content-Range " + text);
      }
      start = Long.parseLong(matcher.group(1));
      size = Long.parseLong(matcher.group(3));
    } else {
      size = Optional.ofNullable(length).map(Long::parseLong).orElse((long) sink.size());
    }
    ResolvedRange resolved = ResolvedRange.of(range, size, object);
    if (start != resolved.start() || sink.size() != resolved.length()) {
      throw protocol(
          "asked for bytes " + range + ", got " + sink.size() + " from " + start + " of " + size);
    }
    return new ObjectBytes(sink.bytes(), start, size, AzureObjectStore.unquoted(etag));
  }

  private StoreException protocol(String detail) {
    return new StoreException(Kind.PROTOCOL, object, detail, null);
  }

  /** Collects a body; gives its array away. */
  private static final class Sink extends ByteArrayOutputStream {
    Sink(int expected) {
      super(expected);
    }

    synchronized ByteBuffer bytes() {
      return ByteBuffer.wrap(buf, 0, count);
    }
  }
}
