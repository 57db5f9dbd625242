package io.arraymorph.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Exclusion of writers of one local file, among the threads of this process and, when asked for,
 * among processes.
 *
 * <p>Processes exclude each other by an operating system lock on a small file beside the target,
 * which a crash releases. The holder removes that file; who then gets the lock of the removed file
 * notices, because what it writes into it is not what the path shows, and starts over.
 */
final class LocalLock implements AutoCloseable {
  private static final ReentrantLock[] STRIPES = new ReentrantLock[256];

  static {
    for (int i = 0; i < STRIPES.length; i++) {
      STRIPES[i] = new ReentrantLock();
    }
  }

  private final ReentrantLock stripe;
  private final Path file;
  private final List<Closeable> open;

  private LocalLock(ReentrantLock stripe, Path file, List<Closeable> open) {
    this.stripe = stripe;
    this.file = file;
    this.open = open;
  }

  /** Excludes the other threads of this process. */
  static LocalLock ofThreads(Path target) {
    ReentrantLock stripe = STRIPES[Math.floorMod(target.hashCode() * 0x9E3779B9, STRIPES.length)];
    stripe.lock();
    return new LocalLock(stripe, null, List.of());
  }

  /**
   * Excludes all other threads and processes.
   *
   * @throws NoSuchFileException if the directory of the target does not exist
   */
  static LocalLock ofProcesses(Path target) throws IOException {
    ReentrantLock stripe = ofThreads(target).stripe;
    try {
      String name = target.getFileName().toString();
      Path file =
          target.resolveSibling(
              LocalObjectStore.HIDDEN_PREFIX
                  + "lock-"
                  + UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)));
      while (true) {
        List<Closeable> open = new ArrayList<>();
        boolean held = false;
        try {
          FileChannel channel =
              FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          open.add(channel);
          held = lock(file, channel, open);
        } finally {
          if (!held) {
            closeAll(open);
          }
        }
        if (held) {
          return new LocalLock(stripe, file, open);
        }
      }
    } catch (Throwable thrown) {
      stripe.unlock();
      throw thrown;
    }
  }

  /** Locks the file; false if what is locked is no longer what the path shows. */
  private static boolean lock(Path file, FileChannel channel, List<Closeable> open)
      throws IOException {
    channel.lock();
    String token = UUID.randomUUID().toString();
    channel.write(ByteBuffer.wrap(token.getBytes(StandardCharsets.US_ASCII)), 0);
    FileChannel shown;
    try {
      shown = FileChannel.open(file, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      return false;
    }
    // Stays open: POSIX ends all locks of a process on a file when it closes any descriptor of it.
    open.add(shown);
    ByteBuffer seen = ByteBuffer.allocate(token.length());
    LocalWriter.readFully(shown, seen, 0);
    return token.equals(StandardCharsets.US_ASCII.decode(seen.flip()).toString());
  }

  @Override
  public void close() throws IOException {
    try {
      if (file != null) {
        Files.deleteIfExists(file);
      }
    } finally {
      try {
        closeAll(open);
      } finally {
        stripe.unlock();
      }
    }
  }

  private static void closeAll(List<Closeable> open) throws IOException {
    for (Closeable channel : open) {
      channel.close();
    }
  }
}
