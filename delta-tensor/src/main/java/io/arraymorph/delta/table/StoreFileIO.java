package io.arraymorph.delta.table;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.WriteCondition;
import io.delta.kernel.defaults.engine.fileio.FileIO;
import io.delta.kernel.defaults.engine.fileio.InputFile;
import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Delta Kernel's file access on an object store.
 *
 * <p>A path is a slash and the key of the object. Writing a log entry is one put-if-absent, so that
 * of any number of writers on any number of machines exactly one gets a version; there is no need
 * for a log store of Delta's kind.
 */
final class StoreFileIO implements FileIO {
  private final ObjectStore store;
  private final LogListing log;

  /**
   * @param log what is known of the log of the table that is accessed
   */
  StoreFileIO(ObjectStore store, LogListing log) {
    this.store = store;
    this.log = log;
  }

  /** The path by which Kernel knows an object or prefix. */
  static String path(String key) {
    return "/" + key;
  }

  /** The key of a path. */
  static String key(String path) {
    String key = path.startsWith("file:") ? path.substring("file:".length()) : path;
    int start = 0;
    while (start < key.length() && key.charAt(start) == '/') {
      start++;
    }
    return key.substring(start);
  }

  /** A store's failure as Kernel expects it. */
  static IOException io(StoreException e) {
    if (e.kind() == StoreException.Kind.NOT_FOUND) {
      FileNotFoundException missing = new FileNotFoundException(e.object());
      missing.initCause(e);
      return missing;
    }
    return new IOException(e);
  }

  @Override
  public CloseableIterator<FileStatus> listFrom(String path) throws IOException {
    String from = key(path);
    String prefix = from.substring(0, from.lastIndexOf('/') + 1);
    List<FileStatus> found = new ArrayList<>();
    boolean any = false;
    String continuation = "";
    try {
      do {
        ListPage page = log.list(prefix, continuation);
        for (ObjectStat object : page.objects()) {
          any = true;
          if (object.key().compareTo(from) >= 0) {
            found.add(status(object));
          }
        }
        any |= !page.prefixes().isEmpty();
        continuation = page.continuation();
      } while (!continuation.isEmpty());
    } catch (StoreException e) {
      throw io(e);
    }
    if (!any) {
      throw new FileNotFoundException(store.uri() + "/" + prefix);
    }
    return closeable(found.iterator());
  }

  private static FileStatus status(ObjectStat object) {
    return FileStatus.of(path(object.key()), object.size(), object.lastModified().toEpochMilli());
  }

  private static <T> CloseableIterator<T> closeable(Iterator<T> items) {
    return new CloseableIterator<>() {
      @Override
      public boolean hasNext() {
        return items.hasNext();
      }

      @Override
      public T next() {
        return items.next();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public FileStatus getFileStatus(String path) throws IOException {
    try {
      return status(StoreAnswers.await(store.head(key(path))));
    } catch (StoreException e) {
      throw io(e);
    }
  }

  @Override
  public String resolvePath(String path) {
    return path(key(path));
  }

  @Override
  public boolean mkdirs(String path) {
    return true; // Object stores have no directories.
  }

  @Override
  public boolean delete(String path) throws IOException {
    try {
      StoreAnswers.await(store.delete(key(path), WriteCondition.NONE));
      return true;
    } catch (StoreException e) {
      throw io(e);
    }
  }

  @Override
  public Optional<String> getConf(String name) {
    return Optional.empty();
  }

  @Override
  public InputFile newInputFile(String path, long size) {
    return new KernelInputFile(this, path, size);
  }

  @Override
  public OutputFile newOutputFile(String path) {
    return new KernelOutputFile(this, path);
  }

  @Override
  public void copyFileAtomically(String source, String target, boolean overwrite)
      throws IOException {
    put(target, read(source), overwrite);
  }

  /** All bytes of an object. */
  byte[] read(String path) throws IOException {
    String key = key(path);
    try {
      if (log.doesWithout(key)) {
        throw new FileNotFoundException(store.uri() + "/" + key);
      }
      Optional<byte[]> before = log.bytes(key);
      if (before.isPresent()) {
        return before.get();
      }
      ObjectBytes whole = StoreAnswers.await(store.get(key, ByteRange.WHOLE, ReadCondition.NONE));
      byte[] bytes = new byte[whole.bytes().remaining()];
      whole.bytes().get(bytes);
      log.keep(key, whole.etag(), bytes);
      return bytes;
    } catch (StoreException e) {
      throw io(e);
    }
  }

  /**
   * Writes an object at once.
   *
   * @throws FileAlreadyExistsException if it exists with other content and {@code overwrite} is
   *     false; the same content means that an earlier try of ours had arrived unheard
   */
  void put(String path, byte[] bytes, boolean overwrite) throws IOException {
    WriteCondition condition = overwrite ? WriteCondition.NONE : WriteCondition.IF_ABSENT;
    try {
      String etag = StoreAnswers.await(store.put(key(path), ByteBuffer.wrap(bytes), condition));
      log.keep(key(path), etag, bytes);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        throw io(e);
      }
      if (!java.util.Arrays.equals(read(path), bytes)) {
        FileAlreadyExistsException exists = new FileAlreadyExistsException(path);
        exists.initCause(e);
        throw exists;
      }
    }
  }
}
