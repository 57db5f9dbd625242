package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Consecutive values of a decoded column as Spark reads them: a window on the column's buffers,
 * nothing is copied.
 */
final class DecodedColumnVector extends HeapColumnVector {
  private final DecodedColumn column;
  private final byte[] values;
  private final int width;
  private int first;
  private int base;
  private final List<DecodedColumnVector> children = new ArrayList<>();

  /** A window that starts at the first value. */
  DecodedColumnVector(DecodedColumn column) {
    this(SparkTypes.of(column.type()), column);
  }

  /** As above, with a type that may lack fields of a struct. */
  DecodedColumnVector(DataType type, DecodedColumn column) {
    super(type);
    this.column = column;
    this.values = column.values();
    this.width = column.type().byteWidth();
    this.base = column.valuesOffset();
    if (column.type() instanceof ColumnType.Struct) {
      for (StructField field : ((StructType) type).fields()) {
        int position = ArrowTypes.position((ColumnType.Struct) column.type(), field.name());
        children.add(new DecodedColumnVector(field.dataType(), column.children().get(position)));
      }
    }
  }

  /** Moves the start of the window. */
  void moveTo(int value) {
    this.first = value;
    this.base = column.valuesOffset() + value * width;
    for (DecodedColumnVector child : children) {
      child.moveTo(value);
    }
  }

  @Override
  public boolean hasNull() {
    return column.validity().hasNulls();
  }

  @Override
  public int numNulls() {
    return column.validity().nullCount();
  }

  @Override
  public boolean isNullAt(int row) {
    return column.isNull(first + row);
  }

  @Override
  public boolean getBoolean(int row) {
    return values[base + row] != 0;
  }

  @Override
  public byte getByte(int row) {
    return values[base + row];
  }

  @Override
  public short getShort(int row) {
    return LittleEndianBytes.getShort(values, base + 2 * row);
  }

  @Override
  public int getInt(int row) {
    return LittleEndianBytes.getInt(values, base + 4 * row);
  }

  @Override
  public long getLong(int row) {
    return LittleEndianBytes.getLong(values, base + 8 * row);
  }

  @Override
  public float getFloat(int row) {
    return LittleEndianBytes.getFloat(values, base + 4 * row);
  }

  @Override
  public double getDouble(int row) {
    return LittleEndianBytes.getDouble(values, base + 8 * row);
  }

  @Override
  public Decimal getDecimal(int row, int precision, int scale) {
    return isNullAt(row) ? null : unsignedDecimal(getLong(row), precision, scale);
  }

  /** An unsigned 64-bit integer as Spark's decimal. */
  static Decimal unsignedDecimal(long bits, int precision, int scale) {
    BigInteger value = new BigInteger(Long.toUnsignedString(bits));
    return Decimal.apply(new BigDecimal(value), precision, scale);
  }

  @Override
  public UTF8String getUTF8String(int row) {
    if (isNullAt(row)) {
      return null;
    }
    int[] offsets = column.offsets();
    int start = offsets[first + row];
    return UTF8String.fromBytes(values, start, offsets[first + row + 1] - start);
  }

  @Override
  public byte[] getBinary(int row) {
    if (isNullAt(row)) {
      return null;
    }
    int[] offsets = column.offsets();
    return Arrays.copyOfRange(values, offsets[first + row], offsets[first + row + 1]);
  }

  @Override
  public ColumnVector getChild(int ordinal) {
    return children.get(ordinal);
  }
}
