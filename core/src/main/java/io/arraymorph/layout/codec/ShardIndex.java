package io.arraymorph.layout.codec;

/**
 * Where the inner chunks of one shard lie: a byte range for each, or none for a chunk that holds
 * only fill values.
 *
 * <p>Immutable. Inner chunks are numbered in C order over the inner grid.
 */
public final class ShardIndex {
  /** Offset and length of entry {@code i} at {@code 2 * i} and {@code 2 * i + 1}; -1 if missing. */
  private final long[] entries;

  /**
   * Takes ownership of {@code entries}, which the caller has checked against the shard's length.
   */
  public ShardIndex(long[] entries) {
    this.entries = entries;
  }

  /** The number of inner chunks. */
  public int size() {
    return entries.length / 2;
  }

  /** True if this inner chunk is not stored: all its elements are the fill value. */
  public boolean isMissing(int inner) {
    return entries[2 * inner] == -1L;
  }

  /** Offset in bytes from the shard's start. */
  public long offset(int inner) {
    return entries[2 * inner];
  }

  /** Encoded length in bytes. */
  public long length(int inner) {
    return entries[2 * inner + 1];
  }
}
