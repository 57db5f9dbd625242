package io.arraymorph.layout.column;

import io.arraymorph.array.IndexRange;
import io.arraymorph.layout.column.ColumnType.Scalar;
import java.io.Serializable;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Values of one column in memory, some of them NULL, laid out as Arrow does: fixed-width values
 * little-endian one after the other; texts and bytes as offsets and data; structs as one column per
 * field.
 *
 * <p>Buffers are shared, not copied, and must not be changed: they may be the decoded chunk itself.
 * The value in a NULL slot is unspecified. Thread-safe for readers.
 */
public final class DecodedColumn implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final byte[] NONE = new byte[0];

  private final ColumnType type;
  private final int count;
  private final byte[] values;
  private final int valuesOffset;
  private final int[] offsets;
  private final DecodedColumn[] children;
  private final Validity validity;

  private DecodedColumn(
      ColumnType type,
      int count,
      byte[] values,
      int valuesOffset,
      int[] offsets,
      DecodedColumn[] children,
      Validity validity) {
    this.type = type;
    this.count = count;
    this.values = values;
    this.valuesOffset = valuesOffset;
    this.offsets = offsets;
    this.children = children;
    this.validity = Objects.requireNonNull(validity);
  }

  /** A column of fixed-width values: {@code count} of them in {@code values} from an offset on. */
  public static DecodedColumn fixed(
      Scalar type, int count, byte[] values, int valuesOffset, Validity validity) {
    if (type.byteWidth() == 0
        || valuesOffset < 0
        || (long) count * type.byteWidth() > values.length - valuesOffset) {
      throw new IllegalArgumentException(
          count + " values of " + type + " do not lie in " + values.length + " bytes");
    }
    return new DecodedColumn(type, count, values, valuesOffset, null, null, validity);
  }

  /** A column of texts or bytes: value {@code i} is {@code data[offsets[i] .. offsets[i + 1])}. */
  public static DecodedColumn variable(Scalar type, int[] offsets, byte[] data, Validity validity) {
    if (type != Scalar.STRING && type != Scalar.BINARY) {
      throw new IllegalArgumentException(type + " has a fixed width");
    }
    return new DecodedColumn(type, offsets.length - 1, data, 0, offsets, null, validity);
  }

  /** A column of structs: one column of {@code count} values per field. */
  public static DecodedColumn struct(
      ColumnType.Struct type, int count, List<DecodedColumn> children, Validity validity) {
    if (children.size() != type.fields().size()
        || children.stream().anyMatch(c -> c.count != count)) {
      throw new IllegalArgumentException("columns of " + type + " differ in number or length");
    }
    return new DecodedColumn(
        type, count, NONE, 0, null, children.toArray(DecodedColumn[]::new), validity);
  }

  /** The type of the values. */
  public ColumnType type() {
    return type;
  }

  /** The number of values, NULLs included. */
  public int count() {
    return count;
  }

  /** Which values are not NULL. */
  public Validity validity() {
    return validity;
  }

  /** True if value {@code i} is NULL. */
  public boolean isNull(int i) {
    return validity.isNull(i);
  }

  /** Fixed-width: the values, little-endian, from {@link #valuesOffset()} on. Else the data. */
  public byte[] values() {
    return values;
  }

  /** Where the first value starts in {@link #values()}. */
  public int valuesOffset() {
    return valuesOffset;
  }

  /** STRING and BINARY: {@code count + 1} ascending positions in {@link #values()}. */
  public int[] offsets() {
    if (offsets == null) {
      throw new IllegalStateException(type + " has no offsets");
    }
    return offsets;
  }

  /** STRUCT: one column per field. */
  public List<DecodedColumn> children() {
    return children == null ? List.of() : List.of(children);
  }

  /** The bytes held, for memory accounting. */
  public long byteSize() {
    long size =
        offsets != null
            ? offsets.length * 4L + values.length
            : (long) count * type.byteWidth() + (validity.hasNulls() ? count / 8 : 0);
    for (DecodedColumn child : children()) {
      size += child.byteSize();
    }
    return size;
  }

  /** A BOOLEAN. */
  public boolean booleanAt(int i) {
    return values[valuesOffset + i] != 0;
  }

  /**
   * A number of integral storage: BOOLEAN (1 or 0), BYTE to LONG, the times, and the bits of
   * DECIMAL20.
   */
  public long longAt(int i) {
    switch (type.byteWidth()) {
      case 1:
        return values[valuesOffset + i];
      case 2:
        return LittleEndianBytes.getShort(values, valuesOffset + 2 * i);
      case 4:
        return LittleEndianBytes.getInt(values, valuesOffset + 4 * i);
      default:
        return LittleEndianBytes.getLong(values, valuesOffset + 8 * i);
    }
  }

  /** A FLOAT or DOUBLE, widened to double. */
  public double doubleAt(int i) {
    return type == Scalar.FLOAT
        ? LittleEndianBytes.getFloat(values, valuesOffset + 4 * i)
        : LittleEndianBytes.getDouble(values, valuesOffset + 8 * i);
  }

  /** The bytes of a STRING (UTF-8) or BINARY. */
  public byte[] bytesAt(int i) {
    return Arrays.copyOfRange(values, offsets()[i], offsets()[i + 1]);
  }

  /**
   * A value as an object, for display, messages and tests: null, Boolean, Byte, Short, Integer,
   * Long (also the times), BigDecimal, Float, Double, String, byte[], or a List of fields.
   */
  public Object valueAt(int i) {
    if (isNull(i)) {
      return null;
    }
    if (children != null) {
      List<Object> fields = new ArrayList<>();
      for (DecodedColumn child : children) {
        fields.add(child.valueAt(i));
      }
      return fields;
    }
    switch ((Scalar) type) {
      case BOOLEAN:
        return booleanAt(i);
      case BYTE:
        return (byte) longAt(i);
      case SHORT:
        return (short) longAt(i);
      case INT:
        return (int) longAt(i);
      case DECIMAL20:
        return new BigDecimal(unsigned(longAt(i)));
      case FLOAT:
        return (float) doubleAt(i);
      case DOUBLE:
        return doubleAt(i);
      case STRING:
        return new String(bytesAt(i), StandardCharsets.UTF_8);
      case BINARY:
        return bytesAt(i);
      default:
        return longAt(i);
    }
  }

  private static BigInteger unsigned(long bits) {
    BigInteger low = BigInteger.valueOf(bits & Long.MAX_VALUE);
    return bits < 0 ? low.setBit(63) : low;
  }

  /** The values at these indices, which must lie in {@code [0, count)}, copied. */
  public DecodedColumn select(IndexRange range) {
    int n = Math.toIntExact(range.count());
    int start = Math.toIntExact(range.start());
    int stride = Math.toIntExact(Math.min(range.stride(), Integer.MAX_VALUE));
    Objects.checkFromToIndex(start, range.stop(), count);
    Validity selected = Validity.ALL;
    if (validity.hasNulls()) {
      byte[] bits = Validity.allSet(n);
      for (int k = 0; k < n; k++) {
        if (isNull(start + k * stride)) {
          bits[k >> 3] &= (byte) ~(1 << (k & 7));
        }
      }
      selected = Validity.of(bits, n);
    }
    if (children != null) {
      List<DecodedColumn> fields = new ArrayList<>();
      for (DecodedColumn child : children) {
        fields.add(child.select(range));
      }
      return struct((ColumnType.Struct) type, n, fields, selected);
    }
    return offsets == null
        ? fixed((Scalar) type, n, copyFixed(start, stride, n), 0, selected)
        : selectVariable(start, stride, n, selected);
  }

  /**
   * The values at some positions, copied.
   *
   * @param positions each in {@code [0, count)}, in any order, read from {@code from} on
   * @param from the first position taken
   * @param n how many are taken
   */
  public DecodedColumn gather(int[] positions, int from, int n) {
    Objects.checkFromIndexSize(from, n, positions.length);
    Validity selected = validity.gather(positions, from, n);
    if (children != null) {
      List<DecodedColumn> fields = new ArrayList<>();
      for (DecodedColumn child : children) {
        fields.add(child.gather(positions, from, n));
      }
      return struct((ColumnType.Struct) type, n, fields, selected);
    }
    return offsets == null
        ? fixed((Scalar) type, n, gatherFixed(positions, from, n), 0, selected)
        : gatherVariable(positions, from, n, selected);
  }

  private byte[] gatherFixed(int[] positions, int from, int n) {
    int width = type.byteWidth();
    byte[] copy = new byte[Math.multiplyExact(n, width)];
    switch (width) {
      case 4:
        for (int k = 0; k < n; k++) {
          int value = LittleEndianBytes.getInt(values, valuesOffset + 4 * positions[from + k]);
          LittleEndianBytes.putInt(copy, 4 * k, value);
        }
        break;
      case 8:
        for (int k = 0; k < n; k++) {
          long value = LittleEndianBytes.getLong(values, valuesOffset + 8 * positions[from + k]);
          LittleEndianBytes.putLong(copy, 8 * k, value);
        }
        break;
      default:
        for (int k = 0; k < n; k++) {
          for (int b = 0; b < width; b++) {
            copy[k * width + b] = values[valuesOffset + positions[from + k] * width + b];
          }
        }
    }
    return copy;
  }

  private DecodedColumn gatherVariable(int[] positions, int from, int n, Validity selected) {
    int[] ends = new int[n + 1];
    for (int k = 0; k < n; k++) {
      int i = positions[from + k];
      ends[k + 1] = Math.addExact(ends[k], offsets[i + 1] - offsets[i]);
    }
    byte[] data = new byte[ends[n]];
    for (int k = 0; k < n; k++) {
      int i = positions[from + k];
      System.arraycopy(values, offsets[i], data, ends[k], ends[k + 1] - ends[k]);
    }
    return variable((Scalar) type, ends, data, selected);
  }

  /** The same values, of which only those that are valid in both are not NULL; shared. */
  public DecodedColumn maskedBy(Validity mask) {
    return new DecodedColumn(
        type, count, values, valuesOffset, offsets, children, validity.and(mask, count));
  }

  private byte[] copyFixed(int start, int stride, int n) {
    int width = type.byteWidth();
    byte[] copy = new byte[n * width];
    if (stride == 1) {
      System.arraycopy(values, valuesOffset + start * width, copy, 0, copy.length);
    } else {
      for (int k = 0; k < n; k++) {
        int from = valuesOffset + (start + k * stride) * width;
        System.arraycopy(values, from, copy, k * width, width);
      }
    }
    return copy;
  }

  private DecodedColumn selectVariable(int start, int stride, int n, Validity selected) {
    int[] positions = new int[n + 1];
    for (int k = 0; k < n; k++) {
      int i = start + k * stride;
      positions[k + 1] = positions[k] + offsets[i + 1] - offsets[i];
    }
    byte[] data = new byte[positions[n]];
    for (int k = 0; k < n; k++) {
      int from = offsets[start + k * stride];
      System.arraycopy(values, from, data, positions[k], positions[k + 1] - positions[k]);
    }
    return variable((Scalar) type, positions, data, selected);
  }
}
