package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.zarr.write.OpenChunk;
import java.math.BigInteger;
import java.nio.ByteOrder;
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.unsafe.Platform;

/** Numbers, booleans and times as little-endian bytes; integers are checked to fit. */
final class FixedWidthEncoder extends ElementEncoder {
  private static final boolean LITTLE_ENDIAN =
      ByteOrder.nativeOrder().equals(ByteOrder.LITTLE_ENDIAN);

  private final SourceType source;
  private final DataType stored;
  private final int width;
  private final boolean floating;
  private final boolean unsigned;
  private final long least;
  private final long most;

  FixedWidthEncoder(String column, SourceType source, DataType stored) {
    super(column);
    this.source = source;
    this.stored = stored;
    this.width = stored.byteWidth();
    this.floating = stored instanceof DataType.Float;
    boolean signed = !(stored instanceof DataType.Int) || ((DataType.Int) stored).signed();
    this.unsigned = !signed;
    int bits = 8 * width;
    this.least = signed ? Long.MIN_VALUE >> (64 - bits) : 0;
    this.most = signed || bits == 64 ? Long.MAX_VALUE >> (64 - bits) : (1L << bits) - 1;
  }

  @Override
  void set(SpecializedGetters row, int ordinal, OpenChunk chunk, int offset) {
    put(row, ordinal, ((OpenChunk.Fixed) chunk).bytes(), offset * width);
  }

  @Override
  Elements elements(ArrayData values, Shape shape) {
    int count = values.numElements();
    byte[] bytes = new byte[Math.multiplyExact(count, width)];
    if (isSameBytes() && values instanceof UnsafeArrayData) {
      UnsafeArrayData unsafe = (UnsafeArrayData) values;
      Platform.copyMemory(
          unsafe.getBaseObject(),
          unsafe.getBaseOffset() + UnsafeArrayData.calculateHeaderPortionInBytes(count),
          bytes,
          Platform.BYTE_ARRAY_OFFSET,
          bytes.length);
    } else {
      for (int i = 0; i < count; i++) {
        put(values, i, bytes, i * width);
      }
    }
    return new FixedWidthElements(stored, shape, bytes, 0);
  }

  @Override
  Elements elementsOr(ArrayData values, Shape shape, Elements fill) {
    FixedWidthElements one = (FixedWidthElements) fill;
    int count = values.numElements();
    byte[] bytes = new byte[Math.multiplyExact(count, width)];
    for (int i = 0; i < count; i++) {
      if (values.isNullAt(i)) {
        System.arraycopy(one.bytes(), one.offset(), bytes, i * width, width);
      } else {
        put(values, i, bytes, i * width);
      }
    }
    return new FixedWidthElements(stored, shape, bytes, 0);
  }

  /** True if Spark's array holds exactly the bytes that are stored. */
  private boolean isSameBytes() {
    return LITTLE_ENDIAN
        && source != SourceType.DECIMAL
        && source.byteWidth() == width
        && floating == (source == SourceType.FLOAT || source == SourceType.DOUBLE)
        && !unsigned;
  }

  private void put(SpecializedGetters from, int ordinal, byte[] bytes, int at) {
    switch (source) {
      case BOOLEAN:
        bytes[at] = (byte) (from.getBoolean(ordinal) ? 1 : 0);
        return;
      case FLOAT:
        putFloat(from.getFloat(ordinal), bytes, at);
        return;
      case DOUBLE:
        LittleEndianBytes.putDouble(bytes, at, from.getDouble(ordinal));
        return;
      case BYTE:
        putInteger(from.getByte(ordinal), bytes, at);
        return;
      case SHORT:
        putInteger(from.getShort(ordinal), bytes, at);
        return;
      case INT:
        putInteger(from.getInt(ordinal), bytes, at);
        return;
      case LONG:
        putInteger(from.getLong(ordinal), bytes, at);
        return;
      case DECIMAL:
        putUnsigned(from.getDecimal(ordinal, 20, 0).toJavaBigDecimal().toBigInteger(), bytes, at);
        return;
    }
  }

  private void putFloat(float value, byte[] bytes, int at) {
    if (width == 8) {
      LittleEndianBytes.putDouble(bytes, at, value);
    } else {
      LittleEndianBytes.putFloat(bytes, at, value);
    }
  }

  private void putUnsigned(BigInteger value, byte[] bytes, int at) {
    if (unsigned && width == 8 && value.signum() >= 0 && value.bitLength() <= 64) {
      LittleEndianBytes.putLong(bytes, at, value.longValue());
    } else if (value.bitLength() < 64) {
      putInteger(value.longValue(), bytes, at);
    } else {
      throw outside(value.toString());
    }
  }

  private void putInteger(long value, byte[] bytes, int at) {
    if (value < least || value > most) {
      throw outside(Long.toString(value));
    }
    switch (width) {
      case 1:
        bytes[at] = (byte) value;
        return;
      case 2:
        LittleEndianBytes.putShort(bytes, at, (short) value);
        return;
      case 4:
        LittleEndianBytes.putInt(bytes, at, (int) value);
        return;
      default:
        LittleEndianBytes.putLong(bytes, at, value);
    }
  }

  private ArrayMorphException outside(String value) {
    return new ArrayMorphException(
        ErrorCode.TYPE_MISMATCH,
        "value " + value + " of column " + column() + " does not fit " + stored.zarrName(),
        "Write it to an array of a wider type, or correct the value");
  }
}
