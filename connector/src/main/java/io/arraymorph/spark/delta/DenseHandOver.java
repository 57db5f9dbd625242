package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.delta.exchange.TensorPacking;
import io.arraymorph.delta.table.DeltaTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A large slice of a dense tensor on its way to another process: each chunk is written where it
 * belongs as soon as it is decoded, so that nobody ever holds the whole slice in Java's memory.
 */
final class DenseHandOver {
  /** With shorter runs of bytes, calls of the system cost more than they save. */
  private static final long LEAST_RUN = 64 << 10;

  private static final long LEAST_SIZE = 1 << 20;

  /** What a thread copies out of Java's memory at a time; stays in the processor's cache. */
  private static final int PART = 256 << 10;

  private final DeltaTensor tensor;
  private final TensorSlice slice;
  private final TensorPacking packing;
  private final long size;

  private DenseHandOver(DeltaTensor tensor, TensorSlice slice, TensorPacking packing, long size) {
    this.tensor = tensor;
    this.slice = slice;
    this.packing = packing;
    this.size = size;
  }

  /**
   * Empty if the slice is too small, its chunks would come in too small parts, or cells without a
   * chunk would not be zeros, which is what a new file holds.
   */
  static Optional<DenseHandOver> of(DeltaTensor tensor, TensorSlice slice, ArraySchema schema) {
    if (tensor.placedBytes(slice) < LEAST_RUN) {
      return Optional.empty();
    }
    FixedWidthElements fill = (FixedWidthElements) schema.fill();
    int width = schema.dataType().byteWidth();
    for (int i = 0; i < width; i++) {
      if (fill.bytes()[fill.offset() + i] != 0) {
        return Optional.empty();
      }
    }
    long valueBytes = schema.shape().elementCount() * width;
    if (valueBytes < LEAST_SIZE || valueBytes > Integer.MAX_VALUE) {
      return Optional.empty();
    }
    TensorPacking packing = TensorPacking.ofDense(schema);
    long size = packing.head().length + valueBytes;
    return Optional.of(new DenseHandOver(tensor, slice, packing, size));
  }

  /**
   * The file with the slice.
   *
   * @param spares taken only if every byte will be written
   */
  Path write(SpareFiles spares) {
    byte[] head = packing.head();
    try {
      return ExchangeFile.write(
          size,
          tensor.isCovered(slice) ? spares : SpareFiles.NONE,
          out -> {
            put(out, 0, head, 0, head.length);
            put(out, size - 1, new byte[1], 0, 1);
            place(out, head.length);
          });
    } catch (IOException e) {
      throw LocalTensors.tooLarge(size, e);
    }
  }

  private void place(FileChannel out, long start) throws IOException {
    try {
      tensor.place(
          slice,
          (at, bytes, from, length) -> {
            try {
              put(out, start + at, bytes, from, length);
            } catch (IOException e) {
              throw LocalTensors.tooLarge(size, e);
            }
          });
    } catch (ArrayMorphException e) {
      if (e.code() == ErrorCode.STORE_FULL && e.getCause() instanceof IOException) {
        throw (IOException) e.getCause(); // The file may fit elsewhere.
      }
      throw e;
    }
  }

  private static void put(FileChannel out, long position, byte[] bytes, int from, int length)
      throws IOException {
    for (int done = 0; done < length; ) {
      ByteBuffer part = ByteBuffer.wrap(bytes, from + done, Math.min(PART, length - done));
      done += out.write(part, position + done);
    }
  }
}
