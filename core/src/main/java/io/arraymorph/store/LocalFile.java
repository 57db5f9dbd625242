package io.arraymorph.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A version of a local file that is open: replacing the file does not change what is read. */
final class LocalFile implements OpenObject {
  private final Path path;
  private final String object;
  private final LocalVersion version;
  private final FileChannel channel;

  private LocalFile(Path path, String object, LocalVersion version, FileChannel channel) {
    this.path = path;
    this.object = object;
    this.version = version;
    this.channel = channel;
  }

  /** Opens the file at a path; {@code object} is its URI, for errors. */
  static LocalFile open(Path path, String object, ReadCondition condition) {
    try {
      LocalVersion version = LocalVersion.of(path);
      if (condition instanceof ReadCondition.IfMatch
          && !((ReadCondition.IfMatch) condition).etag().equals(version.etag())) {
        throw changed(object, version);
      }
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      return new LocalFile(path, object, version, channel);
    } catch (IOException e) {
      throw LocalFailures.of(object, e);
    }
  }

  private static StoreException changed(String object, LocalVersion now) {
    return new StoreException(
        StoreException.Kind.PRECONDITION_FAILED, object, "has changed to ETag " + now.etag(), null);
  }

  @Override
  public long size() {
    return version.size();
  }

  @Override
  public String etag() {
    return version.etag();
  }

  @Override
  public void read(long start, ByteBuffer target) {
    if (start < 0 || start + target.remaining() > version.size()) {
      throw new StoreException(
          StoreException.Kind.RANGE_NOT_SATISFIABLE,
          object,
          "it has " + version.size() + " bytes",
          null);
    }
    try {
      LocalWriter.readFully(channel, target, start);
    } catch (IOException e) {
      throw LocalFailures.of(object, e);
    }
    if (target.hasRemaining()) {
      check();
      throw new StoreException(
          StoreException.Kind.PRECONDITION_FAILED, object, "has become shorter", null);
    }
  }

  @Override
  public void check() {
    try {
      LocalVersion now = LocalVersion.of(path);
      if (!now.equals(version)) {
        throw changed(object, now);
      }
    } catch (NoSuchFileException e) {
      throw new StoreException(StoreException.Kind.PRECONDITION_FAILED, object, "was deleted", e);
    } catch (IOException e) {
      throw LocalFailures.of(object, e);
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing was written: nothing is lost.
    }
  }
}
