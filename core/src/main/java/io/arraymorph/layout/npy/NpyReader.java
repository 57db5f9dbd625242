package io.arraymorph.layout.npy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.PrimitiveIterator;

/** Reads boxes of a {@code .npy} file, without holding the rest. Not thread-safe. */
public final class NpyReader implements AutoCloseable {
  /** Runs nearer than this are read with what lies between them. */
  private static final int GAP = 64 << 10;

  private static final int MAX_SPAN = 8 << 20;

  private final Path file;
  private final FileChannel channel;
  private final NpyHeader header;

  private NpyReader(Path file, FileChannel channel, NpyHeader header) {
    this.file = file;
    this.channel = channel;
    this.header = header;
  }

  /**
   * Opens a file and reads its header.
   *
   * @throws ArrayMorphException OBJECT_NOT_FOUND, METADATA_INVALID, UNSUPPORTED_TYPE,
   *     UNSUPPORTED_FEATURE
   */
  public static NpyReader open(Path file) {
    FileChannel channel = null;
    try {
      channel = FileChannel.open(file, StandardOpenOption.READ);
      return new NpyReader(file, channel, NpyHeader.read(channel::read, channel.size(), file));
    } catch (NoSuchFileException e) {
      throw new ArrayMorphException(
          ErrorCode.OBJECT_NOT_FOUND, "there is no file " + file, "Check the path", e);
    } catch (IOException | RuntimeException e) {
      closeQuietly(channel, e);
      throw e instanceof RuntimeException ? (RuntimeException) e : failure(file, (IOException) e);
    }
  }

  private static void closeQuietly(FileChannel channel, Exception cause) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }

  /** Type and shape. */
  public NpyHeader header() {
    return header;
  }

  /** The elements of a box, little-endian and packed. */
  public FixedWidthElements read(Hyperslab box) {
    int width = header.npyType().type().byteWidth();
    Shape counts = box.counts();
    byte[] packed = new byte[Math.toIntExact(Math.multiplyExact(counts.elementCount(), width))];
    ElementRuns runs =
        ElementRuns.of(box, header.shape()).scale(width, box.isEmpty() ? 0 : header.dataStart());
    try {
      readRuns(runs, packed);
    } catch (IOException e) {
      throw failure(file, e);
    }
    swap(packed, header.npyType().swapUnit());
    return new FixedWidthElements(header.npyType().type(), counts, packed, 0);
  }

  private void readRuns(ElementRuns runs, byte[] packed) throws IOException {
    int length = (int) runs.runLength();
    int filled = 0;
    byte[] span = new byte[0];
    long spanStart = 0;
    for (PrimitiveIterator.OfLong starts = runs.starts(); starts.hasNext(); ) {
      long start = starts.nextLong();
      boolean sparse =
          length >= MAX_SPAN || runs.levels() == 0 || runs.stride(runs.levels() - 1) - length > GAP;
      if (sparse) {
        NpyHeader.readFully(channel::read, ByteBuffer.wrap(packed, filled, length), start);
      } else {
        if (start < spanStart || start + length > spanStart + span.length) {
          span = new byte[(int) Math.min(MAX_SPAN, runs.end() - start)];
          spanStart = start;
          NpyHeader.readFully(channel::read, ByteBuffer.wrap(span), start);
        }
        System.arraycopy(span, (int) (start - spanStart), packed, filled, length);
      }
      filled += length;
    }
  }

  static void swap(byte[] bytes, int unit) {
    for (int start = 0; unit > 1 && start < bytes.length; start += unit) {
      for (int i = start, j = start + unit - 1; i < j; i++, j--) {
        byte b = bytes[i];
        bytes[i] = bytes[j];
        bytes[j] = b;
      }
    }
  }

  static ArrayMorphException failure(Path file, IOException e) {
    return new ArrayMorphException(
        ErrorCode.STORE_UNAVAILABLE,
        file + ": " + e.getMessage(),
        "Check the file and its disk",
        e);
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw failure(file, e);
    }
  }
}
