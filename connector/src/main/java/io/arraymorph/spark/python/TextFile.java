package io.arraymorph.spark.python;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.column.DecodedColumn;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Texts or bytes in a file for Python, little-endian: {@code count + 1} offsets of 4 bytes, {@code
 * count} bytes that are 1 for NULL, then the data.
 */
final class TextFile {
  private TextFile() {}

  static void write(Path file, DecodedColumn column) {
    int count = column.count();
    int[] offsets = column.offsets();
    ByteBuffer head =
        ByteBuffer.allocate(Math.toIntExact(5L * count + 4)).order(ByteOrder.LITTLE_ENDIAN);
    for (int offset : offsets) {
      head.putInt(offset - offsets[0]);
    }
    for (int i = 0; i < count; i++) {
      head.put((byte) (column.isNull(i) ? 1 : 0));
    }
    ByteBuffer data = ByteBuffer.wrap(column.values(), offsets[0], offsets[count] - offsets[0]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
      head.flip();
      write(channel, head);
      write(channel, data);
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.STORE_UNAVAILABLE,
          "the file for the result cannot be written: " + e.getMessage(),
          "Check the folder for temporary files",
          e);
    }
  }

  private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
