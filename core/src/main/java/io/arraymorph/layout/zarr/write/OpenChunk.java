package io.arraymorph.layout.zarr.write;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.codec.FillElements;
import java.util.BitSet;

/**
 * A chunk object that is being put together from cells and boxes, with a bit for every cell that
 * was given.
 *
 * <p>Cells have offsets: their number in C order in the chunk's nominal shape. Not thread-safe.
 */
public abstract sealed class OpenChunk {
  private final ChunkCoordinates coordinates;
  private final long[] start;
  private final long[] end;
  private final long[] strides;
  private final Shape shape;
  private final BitSet given;
  private int count;

  private OpenChunk(WrittenArray array, ChunkCoordinates coordinates, Shape shape) {
    this.coordinates = coordinates;
    this.shape = shape;
    this.start = array.start(coordinates);
    this.end = start.clone();
    this.strides = new long[start.length];
    long stride = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      end[d] += shape.length(d);
      strides[d] = stride;
      stride *= shape.length(d);
    }
    this.given = new BitSet((int) stride);
  }

  /** An open chunk all of whose cells are the fill value. */
  static OpenChunk of(WrittenArray array, ChunkCoordinates coordinates) {
    Shape shape = array.objectShape();
    DataType type = array.array().schema().dataType();
    Elements fill = array.array().schema().fill();
    if (type.isFixedWidth()) {
      return new Fixed(
          array,
          coordinates,
          (FixedWidthElements) fill,
          (FixedWidthElements) FillElements.of(fill, shape));
    }
    return new Variable(array, coordinates, shape, (VariableWidthElements) fill);
  }

  ChunkCoordinates coordinates() {
    return coordinates;
  }

  /** True if a cell of the array lies in this chunk. */
  public final boolean contains(long[] index) {
    for (int d = 0; d < start.length; d++) {
      if (index[d] < start[d] || index[d] >= end[d]) {
        return false;
      }
    }
    return true;
  }

  /** The offset of a cell that lies in this chunk. */
  public final int offset(long[] index) {
    long offset = 0;
    for (int d = 0; d < start.length; d++) {
      offset += (index[d] - start[d]) * strides[d];
    }
    return (int) offset;
  }

  /** The index in the array of the cell at an offset. */
  final long[] index(int offset) {
    long[] index = new long[start.length];
    long rest = offset;
    for (int d = 0; d < index.length; d++) {
      index[d] = start[d] + rest / strides[d];
      rest %= strides[d];
    }
    return index;
  }

  /** Marks a cell as given; false if it was given before. */
  public final boolean give(int offset) {
    if (given.get(offset)) {
      return false;
    }
    given.set(offset);
    count++;
    return true;
  }

  /** Marks a run of cells as given; the offset of the first that was given before, or -1. */
  final int give(int from, int to) {
    int before = given.nextSetBit(from);
    if (before >= 0 && before < to) {
      int already = given.get(from, to).cardinality();
      given.set(from, to);
      count += to - from - already;
      return before;
    }
    given.set(from, to);
    count += to - from;
    return -1;
  }

  /** The number of cells given. */
  final int count() {
    return count;
  }

  final BitSet given() {
    return given;
  }

  final Shape shape() {
    return shape;
  }

  /**
   * Copies a run of elements into consecutive cells, without marking them.
   *
   * @param source number of the first element in {@code from}
   */
  abstract void copy(Elements from, int source, int offset, int length);

  /** The bytes held, for memory accounting. */
  abstract long byteSize();

  /** All cells; the chunk must not be changed any more. */
  abstract Elements elements();

  /** Sets the cell at an offset to bytes: the little-endian element, or text, or any bytes. */
  public abstract void set(int offset, byte[] bytes);

  /** Gives the cell at an offset the fill value. */
  public abstract void setFill(int offset);

  /** Elements of fixed width: little-endian bytes, which may be written to directly. */
  public static final class Fixed extends OpenChunk {
    private final FixedWidthElements fill;
    private final FixedWidthElements elements;
    private final int width;

    private Fixed(
        WrittenArray array,
        ChunkCoordinates coordinates,
        FixedWidthElements fill,
        FixedWidthElements elements) {
      super(array, coordinates, elements.shape());
      this.fill = fill;
      this.elements = elements;
      this.width = elements.type().byteWidth();
    }

    /** The bytes of all cells; cell {@code i} starts at {@code i} times the element width. */
    public byte[] bytes() {
      return elements.bytes();
    }

    @Override
    void copy(Elements from, int source, int offset, int length) {
      FixedWidthElements fixed = (FixedWidthElements) from;
      System.arraycopy(
          fixed.bytes(),
          fixed.offset() + source * width,
          elements.bytes(),
          offset * width,
          length * width);
    }

    @Override
    public void set(int offset, byte[] bytes) {
      System.arraycopy(bytes, 0, elements.bytes(), offset * width, width);
    }

    @Override
    public void setFill(int offset) {
      System.arraycopy(fill.bytes(), fill.offset(), elements.bytes(), offset * width, width);
    }

    @Override
    long byteSize() {
      return elements.byteSize() + elements.count() / 8;
    }

    @Override
    Elements elements() {
      return elements;
    }
  }

  /** Text or bytes of any length. */
  public static final class Variable extends OpenChunk {
    private static final int REFERENCE_BYTES = 24;

    private final VariableWidthElements fill;
    private final byte[][] values;
    private long valueBytes;

    private Variable(
        WrittenArray array, ChunkCoordinates coordinates, Shape shape, VariableWidthElements fill) {
      super(array, coordinates, shape);
      this.fill = fill;
      this.values = new byte[Math.toIntExact(shape.elementCount())][];
    }

    @Override
    public void set(int offset, byte[] bytes) {
      if (values[offset] != null) {
        valueBytes -= values[offset].length;
      }
      values[offset] = bytes;
      valueBytes += bytes.length;
    }

    @Override
    public void setFill(int offset) {
      if (values[offset] != null) {
        valueBytes -= values[offset].length;
        values[offset] = null;
      }
    }

    @Override
    void copy(Elements from, int source, int offset, int length) {
      VariableWidthElements variable = (VariableWidthElements) from;
      for (int i = 0; i < length; i++) {
        int begin = variable.offsets()[source + i];
        byte[] value = new byte[variable.offsets()[source + i + 1] - begin];
        System.arraycopy(variable.bytes(), begin, value, 0, value.length);
        set(offset + i, value);
      }
    }

    @Override
    long byteSize() {
      return valueBytes + (long) REFERENCE_BYTES * values.length;
    }

    @Override
    Elements elements() {
      int fillStart = fill.offsets()[0];
      int fillLength = fill.offsets()[1] - fillStart;
      int[] offsets = new int[values.length + 1];
      for (int i = 0; i < values.length; i++) {
        int length = values[i] == null ? fillLength : values[i].length;
        offsets[i + 1] = Math.addExact(offsets[i], length);
      }
      byte[] bytes = new byte[offsets[values.length]];
      for (int i = 0; i < values.length; i++) {
        if (values[i] == null) {
          System.arraycopy(fill.bytes(), fillStart, bytes, offsets[i], fillLength);
        } else {
          System.arraycopy(values[i], 0, bytes, offsets[i], values[i].length);
        }
      }
      return new VariableWidthElements(fill.type(), shape(), offsets, bytes);
    }
  }
}
