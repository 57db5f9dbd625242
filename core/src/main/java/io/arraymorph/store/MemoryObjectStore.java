package io.arraymorph.store;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An object store in the heap of this process, with the semantics of S3 and no limits of its own.
 *
 * <p>Bytes are copied on the way in and out. Thread-safe.
 */
public final class MemoryObjectStore implements ObjectStore {
  private static final int PAGE_SIZE = 1000;

  private final String uri;
  private final ConcurrentSkipListMap<String, Version> objects =
      new ConcurrentSkipListMap<>(Utf8Order.INSTANCE);
  private final AtomicLong versions = new AtomicLong();
  private final RequestPool pool = new RequestPool("arraymorph-memory", 4);

  private static final class Version {
    private final byte[] bytes;
    private final String etag;
    private final Instant modified;

    Version(byte[] bytes, String etag, Instant modified) {
      this.bytes = bytes;
      this.etag = etag;
      this.modified = modified;
    }

    ObjectStat stat(String key) {
      return new ObjectStat(key, bytes.length, etag, modified);
    }
  }

  /** An empty store with the URI {@code memory://name}. */
  public MemoryObjectStore(String name) {
    this.uri = "memory://" + name;
  }

  @Override
  public String uri() {
    return uri;
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    return submit(
        key,
        () -> {
          Version version = find(key);
          if (condition instanceof ReadCondition.IfMatch
              && !((ReadCondition.IfMatch) condition).etag().equals(version.etag)) {
            throw failure(StoreException.Kind.PRECONDITION_FAILED, key, "has changed");
          }
          ResolvedRange bytes = ResolvedRange.of(range, version.bytes.length, object(key));
          int start = (int) bytes.start();
          byte[] copy = Arrays.copyOfRange(version.bytes, start, start + bytes.length());
          return new ObjectBytes(
              ByteBuffer.wrap(copy), bytes.start(), version.bytes.length, version.etag);
        });
  }

  @Override
  public CompletableFuture<ObjectStat> head(String key) {
    return submit(key, () -> find(key).stat(key));
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return pool.submit(object(prefix), () -> page(prefix, delimiter, continuation));
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    ByteBuffer content = bytes.duplicate();
    return submit(
        key,
        () -> {
          byte[] copy = new byte[content.remaining()];
          content.get(copy);
          return write(key, copy, condition);
        });
  }

  @Override
  public CompletableFuture<String> copy(
      String sourceKey, String targetKey, WriteCondition condition) {
    return submit(
        sourceKey,
        () -> {
          ObjectKeys.check(uri, targetKey);
          return write(targetKey, find(sourceKey).bytes, condition);
        });
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return submit(
        key,
        () -> {
          if (condition instanceof WriteCondition.IfAbsent) {
            throw failure(StoreException.Kind.INVALID, key, "cannot be deleted if absent");
          }
          synchronized (objects) {
            check(key, condition);
            objects.remove(key);
          }
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    List<String> copy = List.copyOf(keys);
    return pool.submit(
        uri,
        () -> {
          ObjectKeys.checkAll(uri, copy);
          objects.keySet().removeAll(copy);
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

  private Version find(String key) {
    Version version = objects.get(key);
    if (version == null) {
      throw failure(StoreException.Kind.NOT_FOUND, key, "not found");
    }
    return version;
  }

  private String write(String key, byte[] bytes, WriteCondition condition) {
    Version version =
        new Version(bytes, Long.toHexString(versions.incrementAndGet()), Instant.now());
    synchronized (objects) {
      check(key, condition);
      objects.put(key, version);
    }
    return version.etag;
  }

  private void check(String key, WriteCondition condition) {
    Version current = objects.get(key);
    if (condition instanceof WriteCondition.IfAbsent && current != null) {
      throw failure(StoreException.Kind.PRECONDITION_FAILED, key, "exists already");
    }
    if (condition instanceof WriteCondition.IfMatch
        && (current == null || !((WriteCondition.IfMatch) condition).etag().equals(current.etag))) {
      throw failure(StoreException.Kind.PRECONDITION_FAILED, key, "has changed");
    }
  }

  private ListPage page(String prefix, String delimiter, String continuation) {
    ObjectKeys.checkDelimiter(uri, delimiter);
    List<ObjectStat> found = new ArrayList<>();
    List<String> prefixes = new ArrayList<>();
    String last = continuation;
    String from = Utf8Order.INSTANCE.compare(prefix, continuation) > 0 ? prefix : continuation;
    for (var entry : objects.tailMap(from, true).entrySet()) {
      String key = entry.getKey();
      if (!key.startsWith(prefix)) {
        break;
      }
      int slash = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
      String name = slash < 0 ? key : key.substring(0, slash + 1);
      if (name.equals(last) || Utf8Order.INSTANCE.compare(name, continuation) <= 0) {
        continue;
      }
      if (found.size() + prefixes.size() == PAGE_SIZE) {
        return new ListPage(found, prefixes, last);
      }
      last = name;
      if (slash < 0) {
        found.add(entry.getValue().stat(key));
      } else {
        prefixes.add(name);
      }
    }
    return new ListPage(found, prefixes, "");
  }

  private <T> CompletableFuture<T> submit(String key, Callable<T> call) {
    return pool.submit(
        object(key),
        () -> {
          ObjectKeys.check(uri, key);
          return call.call();
        });
  }

  private StoreException failure(StoreException.Kind kind, String key, String detail) {
    return new StoreException(kind, object(key), detail, null);
  }

  private String object(String key) {
    return key.isEmpty() ? uri : uri + "/" + key;
  }
}
