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
    if (failure != null) {
      throw failure;
    }
    if (decoded == null) {
      try {
        Fetched bytes = read.bytes();
        long end = length < 0 ? bytes.objectSize() : offset + length;
        ByteBuffer encoded = end == 0 ? ByteBuffer.allocate(0) : bytes.slice(offset, end);
        decoded = pipeline.decode(encoded);
        read = null;
      } catch (RuntimeException e) {
        failure = e;
        throw e;
      }
    }
    return decoded;
  }
}
