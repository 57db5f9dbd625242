package io.arraymorph.spark.python;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.PrimitiveIterator;
import org.apache.spark.storage.StorageUtils;

/**
 * A packed array in C order in a file that numpy maps too. The file has its length already; it may
 * be deleted once this is open. One thread at a time.
 */
final class MappedOutput implements AutoCloseable {
  /** A buffer holds at most 2 GiB, so the file is mapped window by window. */
  private static final long WINDOW = 1L << 30;

  private final MappedByteBuffer[] windows;
  private final Shape shape;
  private final int width;

  private MappedOutput(MappedByteBuffer[] windows, Shape shape, int width) {
    this.windows = windows;
    this.shape = shape;
    this.width = width;
  }

  /**
   * Maps a file.
   *
   * @param width bytes of one element
   * @throws ArrayMorphException STORE_UNAVAILABLE if there is no such file of that length
   */
  static MappedOutput open(Path file, Shape shape, int width) {
    long bytes = Math.multiplyExact(shape.elementCount(), (long) width);
    MappedByteBuffer[] windows =
        new MappedByteBuffer[Math.toIntExact((bytes + WINDOW - 1) / WINDOW)];
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (channel.size() < bytes) {
        throw new IOException("it has " + channel.size() + " bytes, " + bytes + " are needed");
      }
      for (int w = 0; w < windows.length; w++) {
        long start = w * WINDOW;
        long length = Math.min(WINDOW, bytes - start);
        windows[w] = channel.map(FileChannel.MapMode.READ_WRITE, start, length);
      }
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.STORE_UNAVAILABLE,
          "the file for the result cannot be mapped: " + e.getMessage(),
          "Python and the driver's JVM must share the folder for temporary files",
          e);
    }
    return new MappedOutput(windows, shape, width);
  }

  /** Puts packed elements at a contiguous box. */
  void place(FixedWidthElements packed, Hyperslab box) {
    if (box.isEmpty()) {
      return;
    }
    ElementRuns runs = ElementRuns.of(box, shape).scale(width, 0);
    int length = Math.toIntExact(runs.runLength());
    int from = packed.offset();
    for (PrimitiveIterator.OfLong starts = runs.starts(); starts.hasNext(); ) {
      put(starts.nextLong(), packed.bytes(), from, length);
      from += length;
    }
  }

  private void put(long at, byte[] bytes, int from, int length) {
    int window = (int) (at / WINDOW);
    int within = (int) (at % WINDOW);
    int first = (int) Math.min(length, WINDOW - within);
    windows[window].put(within, bytes, from, first);
    if (first < length) {
      put(at + first, bytes, from + first, length - first);
    }
  }

  /** Unmaps the file; a deleted one gives its space back once numpy lets go of it too. */
  @Override
  public void close() {
    for (int w = 0; w < windows.length; w++) {
      if (windows[w] != null) {
        StorageUtils.dispose(windows[w]);
        windows[w] = null;
      }
    }
  }
}
