package io.arraymorph.spark.read;

import io.arraymorph.layout.column.DecodedColumn;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A column that depends on the index along one dimension: row {@code r} is the value at index
 * {@code positions[r]}, or that index itself.
 */
final class AlongVector extends HeapColumnVector {
  private final DecodedColumnVector values;
  private final long[] positions;
  private final boolean nullable;

  /**
   * @param positions shared, read on each access; one index per row
   */
  AlongVector(OutputColumn.Along column, long[] positions) {
    super(column.type());
    this.values = column.values().map(DecodedColumnVector::new).orElse(null);
    this.positions = positions;
    this.nullable =
        column.values().map(DecodedColumn::validity).map(v -> v.hasNulls()).orElse(false);
  }

  private int at(int row) {
    return (int) positions[row];
  }

  @Override
  public boolean hasNull() {
    return nullable;
  }

  @Override
  public int numNulls() {
    int nulls = 0;
    for (int row = 0; nullable && row < positions.length; row++) {
      nulls += isNullAt(row) ? 1 : 0;
    }
    return nulls;
  }

  @Override
  public boolean isNullAt(int row) {
    return nullable && values.isNullAt(at(row));
  }

  @Override
  public boolean getBoolean(int row) {
    return values.getBoolean(at(row));
  }

  @Override
  public byte getByte(int row) {
    return values.getByte(at(row));
  }

  @Override
  public short getShort(int row) {
    return values.getShort(at(row));
  }

  @Override
  public int getInt(int row) {
    return values.getInt(at(row));
  }

  @Override
  public long getLong(int row) {
    return values == null ? positions[row] : values.getLong(at(row));
  }

  @Override
  public float getFloat(int row) {
    return values.getFloat(at(row));
  }

  @Override
  public double getDouble(int row) {
    return values.getDouble(at(row));
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    return values.getDecimal(at(row), precision, scale);
  }

  @Override
  public UTF8String getUTF8String(int row) {
    return values.getUTF8String(at(row));
  }

  @Override
  public byte[] getBinary(int row) {
    return values.getBinary(at(row));
  }

  /** For each row the array of a column's values at several indices. */
  static final class Lists extends HeapColumnVector {
    private final OutputColumn.Along column;
    private final long[][] positions;

    /**
     * @param positions for each row the indices whose values are listed
     */
    Lists(OutputColumn.Along column, long[][] positions) {
      super(DataTypes.createArrayType(column.type()));
      this.column = column;
      this.positions = positions;
    }

    @Override
    public ColumnarArray getArray(int row) {
      ColumnVector values = new AlongVector(column, positions[row]);
      return new ColumnarArray(values, 0, positions[row].length);
    }
  }
}
