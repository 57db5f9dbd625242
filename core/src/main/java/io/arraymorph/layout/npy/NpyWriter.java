package io.arraymorph.layout.npy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes a {@code .npy} file from elements in C order. The file appears when it is complete; until
 * then it has another name. Not thread-safe.
 */
public final class NpyWriter implements AutoCloseable {
  private final Path file;
  private final Path part;
  private final FileChannel channel;
  private long missingBytes;
  private boolean published;

  private NpyWriter(Path file, Path part, FileChannel channel, long bytes) {
    this.file = file;
    this.part = part;
    this.channel = channel;
    this.missingBytes = bytes;
  }

  /**
   * Begins a file.
   *
   * @throws ArrayMorphException UNSUPPORTED_TYPE, STORE_UNAVAILABLE
   */
  public static NpyWriter create(Path file, DataType type, Shape shape) {
    byte[] header = NpyHeader.format(type, shape);
    Path directory = file.toAbsolutePath().getParent();
    try {
      Path part = Files.createTempFile(directory, "." + file.getFileName(), ".part");
      FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE);
      NpyWriter writer =
          new NpyWriter(file, part, channel, shape.elementCount() * type.byteWidth());
      writer.write(ByteBuffer.wrap(header));
      return writer;
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.STORE_UNAVAILABLE,
          "cannot write " + file + ": " + e,
          "Check that its directory exists and has room",
          e);
    }
  }

  /** Appends elements. */
  public void append(FixedWidthElements elements) {
    int length = (int) elements.byteSize();
    if (length > missingBytes) {
      throw new IllegalStateException("more elements than the shape has");
    }
    missingBytes -= length;
    write(ByteBuffer.wrap(elements.bytes(), elements.offset(), length));
  }

  private void write(ByteBuffer bytes) {
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.STORE_FULL, "cannot write " + file + ": " + e, "Make room on the disk", e);
    }
  }

  /** Gives the complete file its name. */
  public void publish() {
    if (missingBytes != 0) {
      throw new IllegalStateException(missingBytes + " bytes were not written");
    }
    try {
      channel.close();
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      published = true;
    } catch (IOException e) {
      throw NpyReader.failure(file, e);
    }
  }

  /** Removes the file unless it was published. */
  @Override
  public void close() {
    try {
      channel.close();
      if (!published) {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw NpyReader.failure(part, e);
    }
  }
}
