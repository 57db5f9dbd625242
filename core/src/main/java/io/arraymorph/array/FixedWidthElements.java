package io.arraymorph.array;

/**
 * Elements of a fixed-width type: little-endian bytes in a heap array.
 *
 * @param type a type with a positive {@link DataType#byteWidth()}
 * @param shape lengths along each dimension
 * @param bytes holds the elements from {@code offset} on; shared, not copied
 * @param offset index of the first element's first byte
 */
// Bulk data: two holders of equal bytes are not meant to be compared.
@SuppressWarnings("ArrayRecordComponent")
public record FixedWidthElements(DataType type, Shape shape, byte[] bytes, int offset)
    implements Elements {

  /** Throws {@link IllegalArgumentException} if the array is too short for the shape. */
  public FixedWidthElements {
    long needed = Math.multiplyExact(shape.elementCount(), (long) type.byteWidth());
    if (offset < 0 || offset + needed > bytes.length) {
      throw new IllegalArgumentException(
          shape
              + " of "
              + type.zarrName()
              + " needs "
              + needed
              + " bytes from "
              + offset
              + ", there are "
              + bytes.length);
    }
  }

  @Override
  public long byteSize() {
    return shape.elementCount() * type.byteWidth();
  }
}
