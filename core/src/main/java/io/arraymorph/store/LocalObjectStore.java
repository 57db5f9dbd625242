package io.arraymorph.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * A directory of a local file system as an object store: each regular file below it is an object,
 * its path the key.
 *
 * <p>What differs from an object store in a cloud:
 *
 * <ul>
 *   <li>{@code a} and {@code a/b} cannot both exist (kind INVALID).
 *   <li>Keys cannot leave the directory, but symbolic links in it are followed wherever they lead:
 *       who may make links there decides what is read.
 *   <li>Directories that a delete leaves empty are removed; files that start with {@link
 *       #HIDDEN_PREFIX} are this store's own and no objects.
 *   <li>A put survives the death of the process once complete; it is not flushed to the device.
 *   <li>Conditional writes exclude each other among all processes. An unconditional put of another
 *       process that falls between check and rename of an If-Match put is overwritten by it.
 * </ul>
 *
 * <p>The ETag is made of size, modification time in nanoseconds and inode. Thread-safe.
 */
public final class LocalObjectStore implements ObjectStore {
  /** How the names of this store's own files start; keys with such a segment are refused. */
  public static final String HIDDEN_PREFIX = ".arraymorph-store-";

  private static final int PAGE_SIZE = 10_000;

  /** How often a read starts over because the file is replaced under it. */
  private static final int READ_ATTEMPTS = 100;

  private final Path root;
  private final String uri;
  private final LocalWriter writer;
  private final RequestPool pool;

  /** The store of a directory, which need not exist yet. */
  public LocalObjectStore(Path root) {
    this.root = root.toAbsolutePath().normalize();
    String path = this.root.toString();
    this.uri = "file://" + (path.equals("/") ? "" : path);
    this.writer = new LocalWriter(this.root);
    this.pool =
        new RequestPool(
            "arraymorph-local", Math.max(8, 2 * Runtime.getRuntime().availableProcessors()));
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return submit(key, () -> read(path(key), key, range, condition));
  }

  @Override
  public Optional<ObjectOpener> opener() {
    return Optional.of((key, condition) -> LocalFile.open(path(key), object(key), condition));
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return submit(key, () -> LocalVersion.of(path(key)).stat(key));
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return submit(
        prefix,
        () -> {
          ObjectKeys.checkDelimiter(uri, delimiter);
          return LocalListing.page(root, prefix, !delimiter.isEmpty(), continuation, PAGE_SIZE);
        });
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    ByteBuffer content = bytes.duplicate();
    return submit(
        key, () -> writer.write(path(key), object(key), condition, LocalWriter.content(content)));
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return submit(
        sourceKey,
        () -> {
          Path source = path(sourceKey);
          Path target = path(targetKey);
          LocalVersion.of(source); // a directory is not found
          LocalWriter.Content content = LocalWriter.copyOf(source, object(sourceKey));
          return writer.write(target, object(targetKey), condition, content);
        });
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return submit(
        key,
        () -> {
          writer.delete(path(key), object(key), condition);
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    Collection<String> copy = List.copyOf(keys);
    return submit(
        "",
        () -> {
          for (String key : copy) {
            path(key);
          }
          for (String key : copy) {
            writer.delete(path(key), object(key), WriteCondition.NONE);
          }
          return null;
        });
  }

  @Override
  public void close() {
    pool.close();
  }

  @Override
  public String toString() {
    return uri;
  }

  private ObjectBytes read(Path path, String key, ByteRange range, ReadCondition condition)
      throws IOException {
    for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      LocalVersion version = LocalVersion.of(path);
      String etag = version.etag();
      if (condition instanceof ReadCondition.IfMatch
          && !((ReadCondition.IfMatch) condition).etag().equals(etag)) {
        throw failure(StoreException.Kind.PRECONDITION_FAILED, key, "has changed to ETag " + etag);
      }
      ResolvedRange bytes = ResolvedRange.of(range, version.size(), object(key));
      ByteBuffer buffer = ByteBuffer.wrap(new byte[bytes.length()]);
      try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
        LocalWriter.readFully(channel, buffer, bytes.start());
      }
      // Files are replaced, never changed: if the path still shows this version, these are its
      // bytes.
      if (!buffer.hasRemaining() && LocalVersion.of(path).equals(version)) {
        buffer.rewind();
        return new ObjectBytes(buffer, bytes.start(), version.size(), etag);
      }
    }
    throw failure(StoreException.Kind.UNAVAILABLE, key, "changes faster than it can be read");
  }

  private Path path(String key) {
    ObjectKeys.check(uri, key);
    if (key.startsWith(HIDDEN_PREFIX) || key.contains("/" + HIDDEN_PREFIX)) {
      throw failure(StoreException.Kind.INVALID, key, "names a file of the store itself");
    }
    try {
      return root.resolve(key);
    } catch (InvalidPathException e) {
      throw new StoreException(
          StoreException.Kind.INVALID, object(key), "no file name: " + e.getReason(), e);
    }
  }

  private <T> CompletableFuture<T> submit(String key, Callable<T> call) {
    return pool.submit(
        object(key),
        () -> {
          try {
            return call.call();
          } catch (NoSuchFileException e) {
            throw new StoreException(StoreException.Kind.NOT_FOUND, object(key), "not found", e);
          } catch (IOException e) {
            throw LocalFailures.of(object(key), e);
          }
        });
  }

  private StoreException failure(StoreException.Kind kind, String key, String detail) {
    return new StoreException(kind, object(key), detail, null);
  }

  private String object(String key) {
    return key.isEmpty() ? uri : uri + "/" + key;
  }
}
