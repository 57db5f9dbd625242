package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The objects below the target of a write, by keys relative to it; every method waits for its
 * answer.
 *
 * <p>Failures are {@link StoreException}s. Thread-safe.
 */
final class TargetObjects {
  /** Requests in flight when many objects are copied. */
  private static final int WINDOW = 32;

  private static final int DELETE_BATCH = 1000;
  private static final int LARGEST_DOCUMENT = 64 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final StorePath target;

  TargetObjects(StorePath target) {
    this.target = target;
  }

  /** An object's bytes with the version they are of. */
  // Bulk data: two holders of equal bytes are not meant to be compared.
  @SuppressWarnings("ArrayRecordComponent")
  record Versioned(byte[] bytes, String etag) {
    /** The bytes as JSON. */
    JsonNode json(String where) {
      try {
        return JSON.readTree(bytes);
      } catch (IOException malformed) {
        throw new ArrayMorphException(
            ErrorCode.METADATA_INVALID,
            where + " is not JSON",
            "Repair or delete the object",
            malformed);
      }
    }
  }

  StorePath target() {
    return target;
  }

  /** The path of an object; {@code key} may be empty for the target itself. */
  StorePath path(String key) {
    return key.isEmpty() ? target : target.resolve(key);
  }

  Optional<Versioned> read(String key) {
    try {
      ObjectBytes answer =
          await(
              path(key), target.store().get(path(key).key(), ByteRange.WHOLE, ReadCondition.NONE));
      byte[] bytes = new byte[answer.bytes().remaining()];
      answer.bytes().get(bytes);
      return Optional.of(new Versioned(bytes, answer.etag()));
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw failure;
    }
  }

  /** As {@link #read} for an object that a person or another program may have written. */
  Optional<Versioned> readDocument(String key) {
    Optional<ObjectStat> stat = head(key);
    if (stat.isPresent() && stat.get().size() > LARGEST_DOCUMENT) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          path(key) + " has " + stat.get().size() + " bytes, too many for metadata",
          "Check that the path is right");
    }
    return stat.isPresent() ? read(key) : Optional.empty();
  }

  Optional<ObjectStat> head(String key) {
    try {
      return Optional.of(await(path(key), target.store().head(path(key).key())));
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw failure;
    }
  }

  String put(String key, byte[] bytes, WriteCondition condition) {
    return await(path(key), target.store().put(path(key).key(), ByteBuffer.wrap(bytes), condition));
  }

  /**
   * As {@link #put} under a condition; where that fails because an earlier try of this very put
   * arrived and its answer was lost, it counts as done.
   */
  String putOnce(String key, byte[] bytes, WriteCondition condition) {
    try {
      return put(key, bytes, condition);
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        Optional<Versioned> now = read(key);
        if (now.isPresent() && Arrays.equals(now.get().bytes(), bytes)) {
          return now.get().etag();
        }
      }
      throw failure;
    }
  }

  /** A copy of which the answer may have been lost: equal bytes at the target count as done. */
  String copyOnce(String source, String copy, WriteCondition condition) {
    try {
      return await(
          path(copy), target.store().copy(path(source).key(), path(copy).key(), condition));
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        Optional<Versioned> now = read(copy);
        Optional<Versioned> wanted = read(source);
        if (now.isPresent()
            && wanted.isPresent()
            && Arrays.equals(now.get().bytes(), wanted.get().bytes())) {
          return now.get().etag();
        }
      }
      throw failure;
    }
  }

  void delete(String key, WriteCondition condition) {
    await(path(key), target.store().delete(path(key).key(), condition));
  }

  void deleteAll(Collection<String> keys) {
    List<String> batch = new ArrayList<>();
    for (String key : keys) {
      batch.add(path(key).key());
      if (batch.size() == DELETE_BATCH) {
        await(target, target.store().deleteAll(batch));
        batch = new ArrayList<>();
      }
    }
    if (!batch.isEmpty()) {
      await(target, target.store().deleteAll(batch));
    }
  }

  /** Gives every object whose key starts with {@code prefix} to {@code each}, keys relative. */
  void list(String prefix, Consumer<ObjectStat> each) {
    String root = target.key().isEmpty() ? "" : target.key() + "/";
    String continuation = "";
    do {
      ListPage page = await(path(prefix), target.store().list(root + prefix, "", continuation));
      for (ObjectStat stat : page.objects()) {
        each.accept(
            new ObjectStat(
                stat.key().substring(root.length()),
                stat.size(),
                stat.etag(),
                stat.lastModified()));
      }
      continuation = page.continuation();
    } while (!continuation.isEmpty());
  }

  /** The names that end in a slash directly below {@code prefix}, as keys. */
  List<String> directories(String prefix) {
    String root = target.key().isEmpty() ? "" : target.key() + "/";
    List<String> directories = new ArrayList<>();
    String continuation = "";
    do {
      ListPage page = await(path(prefix), target.store().list(root + prefix, "/", continuation));
      page.prefixes().forEach(found -> directories.add(found.substring(root.length())));
      continuation = page.continuation();
    } while (!continuation.isEmpty());
    return directories;
  }

  /** All keys that start with {@code prefix}, ascending. */
  List<String> keys(String prefix) {
    List<String> keys = new ArrayList<>();
    list(prefix, stat -> keys.add(stat.key()));
    return keys;
  }

  /**
   * Starts requests for all items, a bounded number at a time, and waits for all.
   *
   * @param before runs before each request is started
   */
  <T> void forEach(Iterator<T> items, Runnable before, Function<T, CompletableFuture<?>> request) {
    Deque<CompletableFuture<?>> pending = new ArrayDeque<>();
    try {
      while (items.hasNext()) {
        if (pending.size() == WINDOW) {
          await(target, pending.remove());
        }
        before.run();
        pending.add(request.apply(items.next()));
      }
      while (!pending.isEmpty()) {
        await(target, pending.remove());
      }
    } finally {
      // After a failure: nothing may still be on its way when the caller goes on.
      for (CompletableFuture<?> started : pending) {
        settle(started);
      }
    }
  }

  /** Starts a server-side copy. */
  CompletableFuture<String> startCopy(String source, String copy, WriteCondition condition) {
    return target.store().copy(path(source).key(), path(copy).key(), condition);
  }

  static byte[] bytes(ObjectNode json) {
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }

  static <T> T await(StorePath object, CompletableFuture<T> request) {
    try {
      return request.get();
    } catch (InterruptedException interrupted) {
      request.cancel(true);
      Thread.currentThread().interrupt();
      throw new StoreException(
          StoreException.Kind.CANCELLED, object.toString(), "interrupted", interrupted);
    } catch (java.util.concurrent.ExecutionException
        | java.util.concurrent.CancellationException failure) {
      throw StoreException.of(failure, object.toString());
    }
  }

  private static void settle(CompletableFuture<?> started) {
    started.handle((answer, failure) -> null).join();
  }
}
