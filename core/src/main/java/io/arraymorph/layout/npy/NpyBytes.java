package io.arraymorph.layout.npy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/** Arrays as the bytes of a {@code .npy} file in memory, whole. */
public final class NpyBytes {
  private NpyBytes() {}

  /**
   * The bytes that {@code numpy.save} writes for an array in C order.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE if numpy does not know the type
   */
  public static byte[] write(FixedWidthElements array) {
    byte[] header = NpyHeader.format(array.type(), array.shape());
    int length = Math.multiplyExact(array.count(), array.type().byteWidth());
    byte[] all = Arrays.copyOf(header, Math.addExact(header.length, length));
    System.arraycopy(array.bytes(), array.offset(), all, header.length, length);
    return all;
  }

  /** The element type that the header names. */
  public static DataType type(byte[] file, String name) {
    return header(file, name).npyType().type();
  }

  /**
   * The array in the bytes of a file.
   *
   * @param name of the file, for errors
   * @throws ArrayMorphException METADATA_INVALID, UNSUPPORTED_TYPE, UNSUPPORTED_FEATURE
   */
  public static FixedWidthElements read(byte[] file, String name) {
    NpyHeader header = header(file, name);
    DataType type = header.npyType().type();
    long length = header.shape().elementCount() * type.byteWidth();
    if (file.length - header.dataStart() != length) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          name + " has " + file.length + " bytes for the shape " + header.shape(),
          "Save it again with numpy.save");
    }
    int start = (int) header.dataStart();
    byte[] values = Arrays.copyOfRange(file, start, file.length);
    NpyReader.swap(values, header.npyType().swapUnit());
    return new FixedWidthElements(type, header.shape(), values, 0);
  }

  private static NpyHeader header(byte[] file, String name) {
    NpyHeader.Source source =
        (into, position) -> {
          if (position >= file.length) {
            return -1;
          }
          int count = Math.min(into.remaining(), file.length - (int) position);
          into.put(file, (int) position, count);
          return count;
        };
    try {
      return NpyHeader.read(source, file.length, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
