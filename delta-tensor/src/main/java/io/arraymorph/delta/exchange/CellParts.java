package io.arraymorph.delta.exchange;

import io.arraymorph.delta.tensor.SparseTensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.stream.IntStream;

/** Writes the columns and values of many cells where they belong in a file, by several threads. */
final class CellParts {
  /** Cells at a time: what is made of them stays in the processor's cache. */
  private static final int SOME = 1 << 14;

  private static final int WIDEST = 8;

  private static final ThreadLocal<Memory> MEMORY = ThreadLocal.withInitial(Memory::new);

  private final SparseTensor cells;
  private final FileChannel file;
  private final long body;
  private final long[] starts;
  private final int valueWidth;

  /** What a thread works with. */
  private static final class Memory {
    /** Outside Java's memory, so that the system takes the bytes without copying them again. */
    final ByteBuffer buffer =
        ByteBuffer.allocateDirect(SOME * WIDEST).order(ByteOrder.LITTLE_ENDIAN);

    final int[] ints = new int[SOME];
    final long[] longs = new long[SOME];
    final byte[] bytes = new byte[SOME * WIDEST];
  }

  /**
   * @param cells with values of one width
   * @param body where the first part begins in the file
   * @param starts where each part begins after that, and where the last one ends
   */
  CellParts(SparseTensor cells, FileChannel file, long body, long[] starts) {
    this.cells = cells;
    this.file = file;
    this.body = body;
    this.starts = starts;
    this.valueWidth = cells.schema().dataType().byteWidth();
  }

  void write() throws IOException {
    int parts = starts.length - 1;
    int steps = (cells.count() + SOME - 1) / SOME;
    long end = body + starts[parts];
    put(file, end - 1, ByteBuffer.allocate(1));
    try {
      IntStream.range(0, parts * steps)
          .parallel()
          .forEach(
              task -> {
                int from = task / parts * SOME;
                int to = Math.min(cells.count(), from + SOME);
                try {
                  part(task % parts, from, to);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void part(int part, int from, int to) throws IOException {
    if (part == starts.length - 2) {
      values(from, to);
      return;
    }
    Memory memory = MEMORY.get();
    ByteBuffer buffer = memory.buffer.clear();
    int n = to - from;
    boolean narrow = cells.schema().shape().length(part) <= Integer.MAX_VALUE;
    if (narrow) {
      cells.copyColumn(part, from, to, memory.ints);
      buffer.asIntBuffer().put(memory.ints, 0, n);
    } else {
      cells.copyColumn(part, from, to, memory.longs);
      buffer.asLongBuffer().put(memory.longs, 0, n);
    }
    int width = narrow ? Integer.BYTES : Long.BYTES;
    put(file, body + starts[part] + (long) from * width, buffer.limit(n * width));
  }

  private void values(int from, int to) throws IOException {
    Memory memory = MEMORY.get();
    int most = SOME * WIDEST / valueWidth;
    for (int first = from; first < to; first += most) {
      int n = Math.min(to - first, most);
      cells.copyValues(first, first + n, memory.bytes);
      ByteBuffer buffer = memory.buffer.clear().put(memory.bytes, 0, n * valueWidth).flip();
      put(file, body + starts[starts.length - 2] + (long) first * valueWidth, buffer);
    }
  }

  /** Writes all of a buffer at a position. */
  static void put(FileChannel file, long position, ByteBuffer bytes) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += file.write(bytes, at);
    }
  }
}
