package io.arraymorph.optimizer.execute;

import io.arraymorph.array.Elements;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;

/** A chunk that can only be decoded whole, decoded once for all who select from it. Thread-safe. */
final class SharedChunk {
  /** Where the encoded chunk starts: offset 0 for an object that is one chunk. */
  record Place(StorePath object, long offset) {}

  private final long offset;
  private final long length;
  private final CodecPipeline pipeline;
  private final ObjectFetcher owner;
  private ObjectRead read;
  private Elements decoded;
  private RuntimeException failure;
  private int users;

  /**
   * @param read fetches at least the encoded chunk
   * @param owner sends the requests of that read
   * @param length encoded bytes from {@code offset} on, or -1 for all of the object
   */
  SharedChunk(
      ObjectRead read, ObjectFetcher owner, long offset, long length, CodecPipeline pipeline) {
    this.read = read;
    this.owner = owner;
    this.offset = offset;
    this.length = length;
    this.pipeline = pipeline;
  }

  /** Notes that one more piece selects from this chunk, before any of them decodes it. */
  synchronized SharedChunk use() {
    users++;
    return this;
  }

  /** True if nobody else selects from this chunk, so that its elements need not stay. */
  synchronized boolean isForOne() {
    return users == 1 && decoded == null && failure == null;
  }

  CodecPipeline pipeline() {
    return pipeline;
  }

  /** What must be fetched before {@link #elements()}; null once that was decoded. */
  synchronized ObjectRead read() {
    return read;
  }

  /**
   * False if the fetch failed, or another stream still runs it: that stream may be closed any time.
   */
  synchronized boolean isUsableBy(ObjectFetcher fetcher) {
    return read == null
        || (read.fetched().isDone()
            ? !read.fetched().isCompletedExceptionally()
            : owner == fetcher);
  }

  /** All elements of the chunk. */
  synchronized Elements elements() {
    return elements(decoded == null && failure == null ? encoded() : null);
  }

  /**
   * All elements of the chunk.
   *
   * @param encoded the chunk, of which more may have come than of the rest of what was asked for
   */
  synchronized Elements elements(ByteBuffer encoded) {
    if (failure != null) {
      throw failure;
    }
    if (decoded == null) {
      try {
        decoded = pipeline.decode(encoded);
        read = null;
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
    return decoded;
  }

  /** The encoded bytes, which must have come; not after {@link #elements()}. */
  synchronized ByteBuffer encoded() {
    Fetched bytes = read.bytes();
    long end = length < 0 ? bytes.objectSize() : offset + length;
    return end == 0 ? ByteBuffer.allocate(0) : bytes.slice(offset, end);
  }
}
