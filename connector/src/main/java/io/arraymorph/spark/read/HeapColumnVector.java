package io.arraymorph.spark.read;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column vector over heap memory: nothing to free, and every getter that a type does not have
 * fails.
 *
 * <p>One thread. Subclasses override the getters of their type.
 */
abstract class HeapColumnVector extends ColumnVector {

  HeapColumnVector(DataType type) {
    super(type);
  }

  @Override
  public void close() {}

  // Generated code closes vectors after each batch by this method where Spark has it; readers reuse
  // them.
  @Override
  public void closeIfFreeable() {}

  @Override
  public boolean hasNull() {
    return false;
  }

  @Override
  public int numNulls() {
    return 0;
  }

  @Override
  public boolean isNullAt(int row) {
    return false;
  }

  @Override
  public boolean getBoolean(int row) {
    throw wrongType();
  }

  @Override
  public byte getByte(int row) {
    throw wrongType();
  }

  @Override
  public short getShort(int row) {
    throw wrongType();
  }

  @Override
  public int getInt(int row) {
    throw wrongType();
  }

  @Override
  public long getLong(int row) {
    throw wrongType();
  }

  @Override
  public float getFloat(int row) {
    throw wrongType();
  }

  @Override
  public double getDouble(int row) {
    throw wrongType();
  }

  @Override
  public ColumnarArray getArray(int row) {
    throw wrongType();
  }

  @Override
  public ColumnarMap getMap(int row) {
    throw wrongType();
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    throw wrongType();
  }

  @Override
  public UTF8String getUTF8String(int row) {
    throw wrongType();
  }

  @Override
  public byte[] getBinary(int row) {
    throw wrongType();
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    throw wrongType();
  }

  private IllegalStateException wrongType() {
    return new IllegalStateException("not a value of type " + dataType().catalogString());
  }
}
