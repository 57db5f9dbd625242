package io.arraymorph.spark.delta;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Files without a name that another process holds and nobody looks at: a result may be written over
 * what they hold, for which the system need not clear memory. Immutable.
 */
final class SpareFiles {
  /** No files. */
  static final SpareFiles NONE = new SpareFiles(List.of());

  /** A file may be so many times as long as what is written into it, */
  private static final long LONGER = 4;

  /** or longer by so many bytes. */
  private static final long LONGER_BYTES = 1 << 20;

  private final List<Spare> spares;

  /**
   * @param path a link to the file, as Linux has it below {@code /proc}
   * @param inode of the file, so that nothing else behind that path is taken for it
   */
  record Spare(Path path, long inode, long bytes) {

    /**
     * True if the path still leads to the file, which nobody else can open by a name. To be asked
     * again once it was opened: only then is it surely this file that is written.
     */
    boolean isThere() {
      try {
        return path.startsWith("/proc")
            && Files.getAttribute(path, "unix:ino").equals(inode)
            && Files.getAttribute(path, "unix:nlink").equals(0);
      } catch (IOException | IllegalArgumentException | UnsupportedOperationException e) {
        return false; // A new file does as well.
      }
    }
  }

  private SpareFiles(List<Spare> spares) {
    this.spares = spares;
  }

  /** Files as the other process names them: lines with path, inode and length in bytes. */
  static SpareFiles of(String lines) {
    if (lines.isEmpty()) {
      return NONE;
    }
    List<Spare> spares = new ArrayList<>();
    for (String line : lines.split("\n")) {
      String[] fields = line.split(" ");
      try {
        spares.add(
            new Spare(Path.of(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2])));
      } catch (InvalidPathException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
        throw new IllegalArgumentException("no spare file: " + line, e);
      }
    }
    return new SpareFiles(spares);
  }

  /**
   * The file that fits so many bytes best: the shortest that is long enough unless it is far too
   * long, else the longest, which grows.
   */
  Optional<Spare> fit(long size) {
    Spare best = null;
    for (Spare spare : spares) {
      boolean fits = spare.bytes <= Math.max(size * LONGER, size + LONGER_BYTES);
      if (fits && (best == null || better(spare.bytes, best.bytes, size)) && spare.isThere()) {
        best = spare;
      }
    }
    return Optional.ofNullable(best);
  }

  private static boolean better(long bytes, long than, long size) {
    return bytes >= size ? than < size || bytes < than : bytes > than && than < size;
  }
}
