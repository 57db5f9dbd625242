package io.arraymorph.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One version of a local file: size, modification time and inode, which every process on the
 * machine sees alike and which no replacement leaves as they were.
 *
 * @param size in bytes
 * @param modifiedNanos since 1970
 * @param inode empty where the file system has none
 */
record LocalVersion(long size, long modifiedNanos, String inode) {
  private static final AtomicLong LAST_STAMP = new AtomicLong();

  /**
   * The version of the regular file at a path, links followed.
   *
   * @throws NoSuchFileException also if something else is there, as a directory
   */
  static LocalVersion of(Path path) throws IOException {
    BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
    if (!attributes.isRegularFile()) {
      throw new NoSuchFileException(path.toString(), null, "not a regular file");
    }
    return of(attributes);
  }

  static LocalVersion of(BasicFileAttributes attributes) {
    Object key = attributes.fileKey();
    // "(dev=..,ino=..)": the device number is left out, it may differ after mounting again.
    String text = key == null ? "" : key.toString();
    int start = text.indexOf("ino=");
    String inode = start < 0 ? "" : text.substring(start + 4, text.length() - 1);
    return new LocalVersion(
        attributes.size(), attributes.lastModifiedTime().to(TimeUnit.NANOSECONDS), inode);
  }

  /**
   * Gives a new file a modification time that no other file of this process has: kernels stamp in
   * steps of milliseconds and reuse inodes at once, so that two quick replacements of one size
   * could look the same.
   */
  static void stamp(Path path) throws IOException {
    Instant now = Instant.now();
    long nanos = TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    long unique = LAST_STAMP.updateAndGet(last -> Math.max(last + 1, nanos));
    Files.setLastModifiedTime(path, FileTime.from(unique, TimeUnit.NANOSECONDS));
  }

  String etag() {
    return Long.toHexString(modifiedNanos) + "-" + Long.toHexString(size) + "-" + inode;
  }

  ObjectStat stat(String key) {
    return new ObjectStat(
        key, size, etag(), FileTime.from(modifiedNanos, TimeUnit.NANOSECONDS).toInstant());
  }
}
