package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ElementRuns;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.OpenObject;
import java.nio.ByteBuffer;

/**
 * Runs of bytes of an open object as if they were one after the other: long ones are read into the
 * taker's memory, short ones that are near each other with what is between them into a block that
 * fits into a processor's cache. Not thread-safe.
 */
final class StoredRuns implements StoredSink.StoredBytes {
  /** Of shorter runs, elements packed by decoding take less time. */
  private static final int MIN_RUN_BYTES = 64;

  private static final int BLOCK_BYTES = 256 << 10;

  /** A further read of a file takes about as long as reading so many bytes more. */
  private static final int MAX_GAP_BYTES = 16 << 10;

  private static final ThreadLocal<ByteBuffer> BLOCKS =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(BLOCK_BYTES));

  private final OpenObject object;
  private final ElementRuns runs;
  private long bytesRead;

  StoredRuns(OpenObject object, ByteRuns bytes) {
    this.object = object;
    this.runs = bytes.runs();
  }

  /** True if runs are worth to be read where they are stored. */
  static boolean areLong(ByteRuns bytes) {
    return bytes.runCount() == 1 || bytes.runLength() >= MIN_RUN_BYTES;
  }

  /** How many bytes of the object were read so far, with those between runs. */
  long bytesRead() {
    return bytesRead;
  }

  @Override
  public void read(long start, ByteBuffer target) {
    long run = start / runs.runLength();
    long skipped = start % runs.runLength();
    while (target.hasRemaining()) {
      run = readOnce(run, skipped, target);
      skipped = 0;
    }
  }

  /**
   * Reads on from a run, as much as one read serves.
   *
   * @param skipped bytes of that run that are not wanted
   * @return the run after those that were read
   */
  private long readOnce(long run, long skipped, ByteBuffer target) {
    long length = runs.runLength();
    long from = runs.start(run) + skipped;
    long end = from + length - skipped;
    long packed = length - skipped;
    long next = run + 1;
    while (packed < target.remaining()) {
      long start = runs.start(next);
      if (start - end > MAX_GAP_BYTES || start + length - from > BLOCK_BYTES) {
        break;
      }
      end = start + length;
      packed += length;
      next++;
    }
    end -= Math.max(0, packed - target.remaining());
    bytesRead += end - from;
    if (next == run + 1) {
      int count = Math.toIntExact(end - from);
      object.read(from, target.slice(target.position(), count));
      target.position(target.position() + count);
      return next;
    }
    ByteBuffer block = BLOCKS.get().clear().limit(Math.toIntExact(end - from));
    object.read(from, block);
    for (long taken = run; taken < next; taken++) {
      long start = taken == run ? from : runs.start(taken);
      long stop = Math.min(runs.start(taken) + length, end);
      int count = (int) (stop - start);
      target.put(target.position(), block, (int) (start - from), count);
      target.position(target.position() + count);
    }
    return next;
  }
}
