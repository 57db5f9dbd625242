package io.arraymorph.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Atomic writes and deletes of local files: bytes go into a new file beside the target, which then
 * takes its name by rename (last writer wins) or by hard link (first writer wins).
 */
final class LocalWriter {
  /**
   * How many bytes go through the channel at once: few enough for the cache of a core, since the
   * JDK copies heap buffers through native memory that it keeps per thread.
   */
  private static final int STEP = 512 << 10;

  /** How often a write starts over because a delete beside it removed the empty directory. */
  private static final int ATTEMPTS = 100;

  private final Path root;

  LocalWriter(Path root) {
    this.root = root;
  }

  /** What a new file is filled with. */
  @FunctionalInterface
  interface Content {
    void writeTo(Path newFile) throws IOException;
  }

  static Content content(ByteBuffer bytes) {
    return file -> {
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer rest = bytes.duplicate();
        int end = rest.limit();
        while (rest.position() < end) {
          rest.limit(Math.min(end, rest.position() + STEP));
          channel.write(rest);
        }
      }
    };
  }

  /**
   * @param object the URI of the source, for errors
   */
  static Content copyOf(Path source, String object) {
    return file -> {
      try {
        Files.copy(source, file);
      } catch (NoSuchFileException e) {
        if (Files.exists(source)) {
          throw e; // the directory of the target is missing
        }
        throw new StoreException(StoreException.Kind.NOT_FOUND, object, "not found", e);
      }
    };
  }

  /** Reads until the buffer is full or the file ends. */
  static void readFully(FileChannel channel, ByteBuffer buffer, long start) throws IOException {
    int end = buffer.limit();
    long offset = start;
    while (buffer.position() < end) {
      buffer.limit(Math.min(end, buffer.position() + STEP));
      int count = channel.read(buffer, offset);
      buffer.limit(end);
      if (count < 0) {
        return;
      }
      offset += count;
    }
  }

  /** Writes a file and returns its ETag. */
  String write(Path target, String object, WriteCondition condition, Content content)
      throws IOException {
    for (int attempt = 1; ; attempt++) {
      Path fresh =
          target.resolveSibling(LocalObjectStore.HIDDEN_PREFIX + "new-" + UUID.randomUUID());
      try {
        if (attempt > 1) {
          createDirectories(target.getParent(), object);
        }
        content.writeTo(fresh);
        LocalVersion.stamp(fresh);
        String etag = LocalVersion.of(fresh).etag();
        publish(fresh, target, object, condition);
        return etag;
      } catch (NoSuchFileException e) {
        // The directory does not exist, or no longer.
        if (attempt == ATTEMPTS) {
          throw e;
        }
      } catch (FileSystemException e) {
        if ("Not a directory".equals(e.getReason())) {
          throw new StoreException(
              StoreException.Kind.INVALID, object, "a parent of the key is an object", e);
        }
        throw e;
      } finally {
        discard(fresh);
      }
    }
  }

  private static void discard(Path fresh) throws IOException {
    try {
      Files.deleteIfExists(fresh);
    } catch (FileSystemException e) {
      if (Files.exists(fresh)) {
        throw e;
      }
    }
  }

  private static void createDirectories(Path directory, String object) throws IOException {
    try {
      Files.createDirectories(directory);
    } catch (FileAlreadyExistsException e) {
      Path there = Path.of(e.getFile());
      if (Files.isDirectory(there) || !Files.exists(there)) {
        // Another writer made it, or made it and removed it when it was empty again.
        throw new NoSuchFileException(e.getFile());
      }
      throw new StoreException(
          StoreException.Kind.INVALID, object, "'" + e.getFile() + "' is an object", e);
    }
  }

  @SuppressWarnings("try") // holding the lock is its use
  private void publish(Path fresh, Path target, String object, WriteCondition condition)
      throws IOException {
    if (condition instanceof WriteCondition.IfAbsent) {
      publishIfAbsent(fresh, target, object);
    } else if (condition instanceof WriteCondition.IfMatch) {
      try (LocalLock lock = LocalLock.ofProcesses(target)) {
        checkEtag(target, object, ((WriteCondition.IfMatch) condition).etag());
        rename(fresh, target);
      }
    } else {
      try (LocalLock lock = LocalLock.ofThreads(target)) {
        rename(fresh, target);
      }
    }
  }

  @SuppressWarnings("try") // holding the lock is its use
  private static void publishIfAbsent(Path fresh, Path target, String object) throws IOException {
    try {
      Files.createLink(target, fresh);
    } catch (FileAlreadyExistsException e) {
      throw exists(target, object, e);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (UnsupportedOperationException | FileSystemException e) {
      // No hard links here: the lock excludes the other writers of this kind.
      try (LocalLock lock = LocalLock.ofProcesses(target)) {
        if (Files.exists(target)) {
          throw exists(target, object, e);
        }
        rename(fresh, target);
      }
    }
  }

  private static StoreException exists(Path target, String object, Exception cause) {
    return Files.isDirectory(target)
        ? new StoreException(StoreException.Kind.INVALID, object, "is a directory", cause)
        : new StoreException(
            StoreException.Kind.PRECONDITION_FAILED, object, "exists already", cause);
  }

  private static void rename(Path fresh, Path target) throws IOException {
    try {
      Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException("this file system cannot rename atomically", e);
    }
  }

  private static void checkEtag(Path target, String object, String expected) throws IOException {
    String found;
    try {
      found = LocalVersion.of(target).etag();
    } catch (NoSuchFileException e) {
      throw new StoreException(
          StoreException.Kind.PRECONDITION_FAILED, object, "does not exist", e);
    }
    if (!found.equals(expected)) {
      throw new StoreException(
          StoreException.Kind.PRECONDITION_FAILED, object, "has changed to ETag " + found, null);
    }
  }

  /** Deletes a file, and the directories that this leaves empty. */
  @SuppressWarnings("try") // holding the lock is its use
  void delete(Path target, String object, WriteCondition condition) throws IOException {
    if (condition instanceof WriteCondition.IfAbsent) {
      throw new StoreException(
          StoreException.Kind.INVALID, object, "cannot be deleted if absent", null);
    }
    try (LocalLock lock =
        condition instanceof WriteCondition.IfMatch
            ? LocalLock.ofProcesses(target)
            : LocalLock.ofThreads(target)) {
      if (condition instanceof WriteCondition.IfMatch) {
        checkEtag(target, object, ((WriteCondition.IfMatch) condition).etag());
      }
      if (Files.isDirectory(target) || !Files.deleteIfExists(target)) {
        return;
      }
    } catch (NoSuchFileException e) {
      if (condition instanceof WriteCondition.IfMatch) {
        throw new StoreException(
            StoreException.Kind.PRECONDITION_FAILED, object, "does not exist", e);
      }
    } catch (FileSystemException e) {
      if (!"Not a directory".equals(e.getReason())) {
        throw e;
      }
    }
    prune(target.getParent());
  }

  /** Removes a directory if it is empty, then its parent, up to the root. */
  @SuppressWarnings("try") // holding the lock is its use
  private void prune(Path directory) throws IOException {
    Path empty = directory;
    while (empty != null && empty.startsWith(root) && !empty.equals(root)) {
      // Excludes a put that makes a file of this name meanwhile: delete would take that too.
      try (LocalLock lock = LocalLock.ofThreads(empty)) {
        if (!Files.isDirectory(empty, LinkOption.NOFOLLOW_LINKS)) {
          return;
        }
        Files.delete(empty);
      } catch (FileSystemException e) {
        return; // not empty, gone, or not ours to remove
      }
      empty = empty.getParent();
    }
  }
}
