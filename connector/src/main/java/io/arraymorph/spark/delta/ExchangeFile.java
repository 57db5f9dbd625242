package io.arraymorph.spark.delta;

import io.arraymorph.delta.exchange.TensorPacking;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Files in which results are handed to another process of the same user and machine: in memory
 * where the system has room for that, else in the temporary directory. Readable by their owner
 * only.
 */
final class ExchangeFile {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  private ExchangeFile() {}

  /** Writes what a file shall hold. */
  interface Content {
    /** Writes everything; may do so by several threads, at any positions. */
    void write(FileChannel out) throws IOException;
  }

  /** A new file that holds a packed tensor; who reads it deletes it. */
  static Path write(TensorPacking packing) throws IOException {
    return write(packing.size(), packing::writeFile);
  }

  /** A new file of {@code size} bytes; who reads it deletes it. The content may be asked twice. */
  static Path write(long size, Content content) throws IOException {
    List<IOException> failures = new ArrayList<>();
    if (Files.isWritable(SHARED_MEMORY) && SHARED_MEMORY.toFile().getUsableSpace() > size) {
      try {
        return write(content, Files.createTempFile(SHARED_MEMORY, "arraymorph-", ".cells"));
      } catch (IOException e) {
        failures.add(e); // Another program took the room: the temporary directory may do.
      }
    }
    try {
      return write(content, Files.createTempFile("arraymorph-", ".cells"));
    } catch (IOException e) {
      failures.forEach(e::addSuppressed);
      throw e;
    }
  }

  private static Path write(Content content, Path file) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      content.write(out);
      return file;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }
}
