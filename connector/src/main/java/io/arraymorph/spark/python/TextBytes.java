package io.arraymorph.spark.python;

import io.arraymorph.layout.column.DecodedColumn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Texts or bytes for Python, little-endian: {@code count + 1} offsets of 4 bytes, {@code count}
 * bytes that are 1 for NULL, then the data.
 */
final class TextBytes {
  private TextBytes() {}

  static void put(DecodedColumn column, StagedOutput output) {
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
    output.putBytes(head.array(), 0, head.position(), 0);
    output.putBytes(column.values(), offsets[0], offsets[count] - offsets[0], head.position());
  }
}
