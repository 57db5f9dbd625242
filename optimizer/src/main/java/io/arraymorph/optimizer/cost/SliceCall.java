package io.arraymorph.optimizer.cost;

import io.arraymorph.slice.SliceProtocol;

/**
 * What a call of the slice function has to do.
 *
 * @param chunkBytes of the whole object
 * @param spanBytes that are read of it: from its first to its last needed byte, but for gaps longer
 *     than {@link SliceProtocol#GAP_BYTES} between needed parts
 * @param answerBytes that are needed
 */
public record SliceCall(long chunkBytes, long spanBytes, long answerBytes) {
  /** One of {@code count} calls that share this work along the slowest dimension. */
  SliceCall divided(long count) {
    return count == 1
        ? this
        : new SliceCall(
            chunkBytes, (spanBytes + count - 1) / count, (answerBytes + count - 1) / count);
  }
}
