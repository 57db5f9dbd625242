package io.arraymorph.optimizer.cost;

import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.slice.SliceRequest;

/**
 * What a call of the slice function has to do.
 *
 * @param chunkBytes of the whole object
 * @param spanBytes that are read of it: from its first to its last needed byte, but for gaps longer
 *     than {@link SliceProtocol#GAP_BYTES} between needed parts
 * @param answerBytes that are needed
 * @param parts of needed bytes, each of regular runs; 1 for decoded elements
 * @param runs in all parts
 */
public record SliceCall(long chunkBytes, long spanBytes, long answerBytes, long parts, long runs) {

  /** A call for elements that the function decodes, or for a single run. */
  public SliceCall(long chunkBytes, long spanBytes, long answerBytes) {
    this(chunkBytes, spanBytes, answerBytes, 1, 1);
  }

  /** One of {@code count} calls that share this work along the slowest dimension. */
  SliceCall divided(long count) {
    return count == 1
        ? this
        : new SliceCall(
            chunkBytes,
            (spanBytes + count - 1) / count,
            (answerBytes + count - 1) / count,
            parts,
            runs);
  }

  /**
   * True if each of {@code count} calls that share this work may name the runs of its share. Only
   * one part in one call is sent as it is; else each call names its runs one by one.
   */
  boolean canBeNamed(long count) {
    if (parts == 1) {
      // Calls are divided by bytes, so that a run may be cut at either end.
      return count == 1 || runs / count + 2 <= SliceRequest.MAX_PARTS;
    }
    // Runs of several parts differ in length: one call may have the short ones.
    return runs <= SliceRequest.MAX_PARTS;
  }
}
