package io.arraymorph.spark.delta;

import io.arraymorph.delta.exchange.TensorPacking;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;
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

  /** A new file that holds a packed tensor; who reads it deletes it. */
  static Path write(TensorPacking packing) throws IOException {
    List<IOException> failures = new ArrayList<>();
    if (Files.isWritable(SHARED_MEMORY)) {
      try {
        return write(packing, Files.createTempFile(SHARED_MEMORY, "arraymorph-", ".cells"));
      } catch (IOException e) {
        failures.add(e); // Often small: the temporary directory may do.
      }
    }
    try {
      return write(packing, Files.createTempFile("arraymorph-", ".cells"));
    } catch (IOException e) {
      failures.forEach(e::addSuppressed);
      throw e;
    }
  }

  private static Path write(TensorPacking packing, Path file) throws IOException {
    try (WritableByteChannel out = Files.newByteChannel(file, StandardOpenOption.WRITE)) {
      packing.write(out);
      return file;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }
}
