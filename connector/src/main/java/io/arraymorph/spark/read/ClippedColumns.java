package io.arraymorph.spark.read;

import java.util.Set;

/**
 * A scan that has columns whose predicates must clip: in tensor rows, the columns that lie along
 * packed dimensions.
 */
public interface ClippedColumns {

  /** The columns of the scan that lie along a packed dimension, apart from {@code _index}. */
  Set<String> packedColumns();

  /** The fields of the metadata column {@code _index} that are packed dimensions. */
  Set<String> packedIndexFields();

  /** What is read, for messages. */
  String source();
}
