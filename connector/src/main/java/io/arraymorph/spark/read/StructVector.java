package io.arraymorph.spark.read;

import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** A struct that is never NULL, of child vectors. */
public final class StructVector extends HeapColumnVector {
  private final ColumnVector[] children;

  /** Of a child vector for each field. */
  public StructVector(StructType type, ColumnVector[] children) {
    super(type);
    this.children = children;
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return children[ordinal];
  }
}
