package io.arraymorph.spark.read;

import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** A struct that is never NULL, of child vectors. */
final class StructVector extends HeapColumnVector {
  private final ColumnVector[] children;

  StructVector(StructType type, ColumnVector[] children) {
    super(type);
    this.children = children;
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return children[ordinal];
  }
}
