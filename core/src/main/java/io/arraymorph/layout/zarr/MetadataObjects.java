package io.arraymorph.layout.zarr;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The requests for metadata: bounded reads of small objects, and listings. */
final class MetadataObjects {
  private static final int WINDOW = 32;
  private static final int MAX_CHILDREN = 100_000;

  private MetadataObjects() {}

  /** The bytes of an object, or nothing if it does not exist. */
  static Optional<byte[]> read(StorePath object) {
    return readAll(List.of(object)).get(0);
  }

  /** The bytes of several objects, fetched in parallel; nothing for those that do not exist. */
  static List<Optional<byte[]>> readAll(List<StorePath> objects) {
    List<CompletableFuture<ObjectBytes>> requests = new ArrayList<>();
    List<Optional<byte[]>> results = new ArrayList<>();
    try {
      while (results.size() < objects.size()) {
        while (requests.size() < objects.size() && requests.size() < results.size() + WINDOW) {
          StorePath object = objects.get(requests.size());
          requests.add(
              object
                  .store()
                  .get(
                      object.key(),
                      ByteRange.of(0, MetadataJson.MAX_BYTES + 1L),
                      ReadCondition.NONE));
        }
        results.add(await(objects.get(results.size()), requests.get(results.size())));
      }
      return results;
    } finally {
      requests.forEach(request -> request.cancel(true));
    }
  }

  private static Optional<byte[]> await(StorePath object, CompletableFuture<ObjectBytes> request) {
    try {
      ObjectBytes answer = join(request);
      if (answer.objectSize() > MetadataJson.MAX_BYTES) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            object + " has " + answer.objectSize() + " bytes of metadata",
            "Metadata may have " + MetadataJson.MAX_BYTES + " bytes; split the group");
      }
      ByteBuffer bytes = answer.bytes();
      byte[] copy = new byte[bytes.remaining()];
      bytes.duplicate().get(copy);
      return Optional.of(copy);
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      if (e.kind() == StoreException.Kind.RANGE_NOT_SATISFIABLE) {
        return Optional.of(new byte[0]); // the object is empty
      }
      throw e.toUser();
    }
  }

  /**
   * What a listing that stops at the next slash finds.
   *
   * @param names of the direct children that hold objects of their own
   * @param isPresent true if there is any object below the path
   */
  record Children(List<String> names, boolean isPresent) {}

  /** The names of the direct children of a path that hold objects of their own. */
  static List<String> childNames(StorePath path) {
    return children(path).names();
  }

  /** The direct children of a path. */
  static Children children(StorePath path) {
    boolean present = false;
    String prefix = path.key().isEmpty() ? "" : path.key() + "/";
    List<String> names = new ArrayList<>();
    String continuation = "";
    do {
      ListPage page;
      try {
        page = join(path.store().list(prefix, "/", continuation));
      } catch (StoreException e) {
        throw e.toUser();
      }
      present |= !page.objects().isEmpty() || !page.prefixes().isEmpty();
      for (String child : page.prefixes()) {
        names.add(child.substring(prefix.length(), child.length() - 1));
      }
      if (names.size() > MAX_CHILDREN) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            path + " has more than " + MAX_CHILDREN + " children",
            "Open the array by its own path or consolidate the metadata");
      }
      continuation = page.continuation();
    } while (!continuation.isEmpty());
    return new Children(names, present);
  }

  /** True if there is any object below a path: one page of a listing. */
  static boolean isPresent(StorePath path) {
    String prefix = path.key().isEmpty() ? "" : path.key() + "/";
    try {
      ListPage page = join(path.store().list(prefix, "/", ""));
      return !page.objects().isEmpty() || !page.prefixes().isEmpty();
    } catch (StoreException e) {
      throw e.toUser();
    }
  }

  /** Waits for a request; an interrupt cancels it. */
  private static <T> T join(CompletableFuture<T> request) {
    try {
      return request.get();
    } catch (InterruptedException e) {
      request.cancel(true);
      Thread.currentThread().interrupt();
      throw new ArrayMorphException(
          ErrorCode.CANCELLED, "Reading metadata was interrupted", "Run the query again", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoreException) {
        throw (StoreException) e.getCause();
      }
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new IllegalStateException(e.getCause());
    }
  }
}
