package io.arraymorph.array;

/**
 * Elements of text or bytes of any length, as Arrow lays them out: element {@code i} is {@code
 * bytes[offsets[i]] .. bytes[offsets[i + 1]]}; text is valid UTF-8.
 *
 * @param type {@link DataType.VariableString} or {@link DataType.VariableBytes}
 * @param offsets {@code count + 1} ascending positions
 */
// Bulk data: two holders of equal bytes are not meant to be compared.
@SuppressWarnings("ArrayRecordComponent")
public record VariableWidthElements(DataType type, Shape shape, int[] offsets, byte[] bytes)
    implements Elements {

  /** Throws {@link IllegalArgumentException} if there are not {@code count + 1} offsets. */
  public VariableWidthElements {
    if (offsets.length != shape.elementCount() + 1) {
      throw new IllegalArgumentException(
          shape + " needs " + (shape.elementCount() + 1) + " offsets, not " + offsets.length);
    }
  }

  @Override
  public long byteSize() {
    return bytes.length + 4L * offsets.length;
  }
}
