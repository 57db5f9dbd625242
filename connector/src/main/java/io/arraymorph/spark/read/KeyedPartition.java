package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.HasPartitionKey;

/** A partition of all selected cells in one group of chunks, which Spark knows by the group. */
final class KeyedPartition extends ChunkPartition implements HasPartitionKey {
  private static final long serialVersionUID = 1L;

  private final long[] key;

  /**
   * @param key the group along each dimension that rows are divided by
   * @param cells those selected in it, which the segments of {@code partition} count
   */
  KeyedPartition(long[] key, ChunkPartition partition, Selection cells) {
    super(partition, cells);
    this.key = key;
  }

  @Override
  public InternalRow partitionKey() {
    return new GenericInternalRow(Arrays.stream(key).boxed().toArray());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeyedPartition
        && Arrays.equals(key, ((KeyedPartition) other).key)
        && super.equals(other);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key);
  }

  /** As {@code group [0, 3]: part 0 units 12:24}. */
  @Override
  public String toString() {
    return "group " + Arrays.toString(key) + ": " + super.toString();
  }
}
