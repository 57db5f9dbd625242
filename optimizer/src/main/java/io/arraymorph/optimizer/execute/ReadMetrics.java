package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.cost.AccessCost;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** What a reader did so far, as sums. Thread-safe. */
public final class ReadMetrics {
  private final LongAdder chunks = new LongAdder();
  private final LongAdder filledChunks = new LongAdder();
  private final LongAdder requests = new LongAdder();
  private final LongAdder rangeRequests = new LongAdder();
  private final LongAdder sliceFunctionRequests = new LongAdder();
  private final LongAdder sliceFunctionFailures = new LongAdder();
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder bytesNeeded = new LongAdder();
  private final LongAdder cacheHits = new LongAdder();
  private final LongAdder cachedChunks = new LongAdder();
  private final LongAdder cacheBytes = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder hedges = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();
  private final DoubleAdder estimatedSeconds = new DoubleAdder();
  private final DoubleAdder estimatedDollars = new DoubleAdder();

  /** Chunk selections that were delivered; a chunk counts once for each request that uses it. */
  public long chunks() {
    return chunks.sum();
  }

  /** Those of {@link #chunks()} whose object does not exist. */
  public long filledChunks() {
    return filledChunks.sum();
  }

  /** Requests sent to object stores, retries not counted. */
  public long requests() {
    return requests.sum();
  }

  /** Those of {@link #requests()} that asked for a part of an object. */
  public long rangeRequests() {
    return rangeRequests.sum();
  }

  /** Calls of the slice function. */
  public long sliceFunctionRequests() {
    return sliceFunctionRequests.sum();
  }

  /** Those of {@link #sliceFunctionRequests()} that brought nothing usable, or too late. */
  public long sliceFunctionFailures() {
    return sliceFunctionFailures.sum();
  }

  /** Bytes received in answers. */
  public long bytesRead() {
    return bytesRead.sum();
  }

  /** Bytes of the elements that were asked for, decoded. */
  public long bytesNeeded() {
    return bytesNeeded.sum();
  }

  /** Chunks and shard indexes that were taken from memory. */
  public long cacheHits() {
    return cacheHits.sum();
  }

  /** Decoded bytes of the chunks that were taken from memory. */
  public long cacheBytes() {
    return cacheBytes.sum();
  }

  /** Nanoseconds that consumers waited for elements. */
  public long waitNanos() {
    return waitNanos.sum();
  }

  /** Requests that the store made again after a transient failure. */
  public long retries() {
    return retries.sum();
  }

  /** Those of {@link #requests()} that were sent a second time because the first took too long. */
  public long hedges() {
    return hedges.sum();
  }

  void addHedge() {
    hedges.increment();
  }

  void addRetry() {
    retries.increment();
  }

  /** Seconds that the batches of requests were estimated to take, each as if alone. */
  public double estimatedSeconds() {
    return estimatedSeconds.sum();
  }

  /** Dollars that the requests were estimated to cost. */
  public double estimatedDollars() {
    return estimatedDollars.sum();
  }

  void addEstimate(AccessCost cost) {
    estimatedSeconds.add(cost.seconds());
    estimatedDollars.add(cost.dollars());
  }

  void addChunk(long elementBytes) {
    chunks.increment();
    bytesNeeded.add(elementBytes);
  }

  void addFilledChunk() {
    filledChunks.increment();
  }

  void addRequest(boolean range) {
    requests.increment();
    if (range) {
      rangeRequests.increment();
    }
  }

  void addFunctionCall() {
    sliceFunctionRequests.increment();
  }

  void addFunctionFailure() {
    sliceFunctionFailures.increment();
  }

  void addBytesRead(long bytes) {
    bytesRead.add(bytes);
  }

  /**
   * Chunks that plans took as held since an earlier batch, each once for a batch: no access was
   * planned for them.
   */
  public long cachedChunks() {
    return cachedChunks.sum();
  }

  void addCachedChunks(long count) {
    cachedChunks.add(count);
  }

  void addCacheHit(long bytes) {
    cacheHits.increment();
    cacheBytes.add(bytes);
  }

  void addWait(long nanos) {
    waitNanos.add(nanos);
  }

  /** As {@code 12 chunks, 14 requests (8 ranges), 123456 bytes read for 4321 needed}. */
  @Override
  public String toString() {
    return chunks()
        + " chunks, "
        + requests()
        + " requests ("
        + rangeRequests()
        + " ranges), "
        + (sliceFunctionRequests() > 0
            ? sliceFunctionRequests()
                + " calls of the slice function ("
                + sliceFunctionFailures()
                + " failed), "
            : "")
        + bytesRead()
        + " bytes read for "
        + bytesNeeded()
        + " needed";
  }
}
