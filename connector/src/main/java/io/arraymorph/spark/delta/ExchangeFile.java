package io.arraymorph.spark.delta;

import io.arraymorph.delta.exchange.TensorPacking;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

  /** A file that holds a packed tensor: a spare one, or a new one that its reader deletes. */
  static Path write(TensorPacking packing, SpareFiles spares) throws IOException {
    return write(packing.size(), spares, packing::writeFile);
  }

  /**
   * A file of at least {@code size} bytes: a spare one, or a new one that its reader deletes. The
   * content may be asked again if it fails.
   */
  static Path write(long size, SpareFiles spares, Content content) throws IOException {
    List<IOException> failures = new ArrayList<>();
    Optional<SpareFiles.Spare> spare = spares.fit(size);
    if (spare.isPresent()) {
      Path file = spare.get().path();
      try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
        if (spare.get().isThere()) {
          content.write(out);
          return file;
        }
      } catch (IOException e) {
        failures.add(e); // It could not grow, or not be opened: a new one may do.
      }
    }
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
