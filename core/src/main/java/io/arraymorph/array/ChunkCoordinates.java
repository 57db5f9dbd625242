package io.arraymorph.array;

import java.util.Arrays;

/** The place of a chunk in its grid: one index per dimension. Immutable. */
public final class ChunkCoordinates implements Comparable<ChunkCoordinates> {
  private final long[] indices;

  private ChunkCoordinates(long[] indices) {
    this.indices = indices;
  }

  /** The chunk at these indices. */
  public static ChunkCoordinates of(long... indices) {
    return new ChunkCoordinates(indices.clone());
  }

  /** The number of dimensions. */
  public int rank() {
    return indices.length;
  }

  /** The index along one dimension. */
  public long index(int dimension) {
    return indices[dimension];
  }

  /** A fresh copy of the indices. */
  public long[] toArray() {
    return indices.clone();
  }

  /** Row-major order: the last index varies fastest. */
  @Override
  public int compareTo(ChunkCoordinates other) {
    return Arrays.compare(indices, other.indices);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChunkCoordinates
        && Arrays.equals(indices, ((ChunkCoordinates) other).indices);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(indices);
  }

  /** As {@code (0, 3)}. */
  @Override
  public String toString() {
    return Arrays.toString(indices).replace('[', '(').replace(']', ')');
  }
}
