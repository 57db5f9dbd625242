package io.arraymorph.optimizer.execute;

import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The versions of some objects as one process found them, for others to read: what several tasks of
 * a query read parts of. That an object does not exist is a version too. Immutable.
 */
public final class ObjectPins implements Serializable {
  /** No object is pinned. */
  public static final ObjectPins NONE = new ObjectPins(Map.of());

  private static final long serialVersionUID = 1L;
  private static final int AT_ONCE = 64;

  private final HashMap<String, String> etags;

  private ObjectPins(Map<String, String> etags) {
    this.etags = new HashMap<>(etags);
  }

  /**
   * Asks the stores for the present versions, one HEAD for each object and up to 64 at once.
   *
   * @throws StoreException if a store neither gives a version nor says that there is no object
   */
  public static ObjectPins read(Collection<StorePath> objects) {
    Map<String, String> etags = new HashMap<>();
    Deque<Asked> underWay = new ArrayDeque<>();
    for (StorePath object : objects) {
      underWay.add(new Asked(object, object.store().head(object.key())));
      if (underWay.size() >= AT_ONCE) {
        underWay.remove().into(etags);
      }
    }
    underWay.forEach(asked -> asked.into(etags));
    return etags.isEmpty() ? NONE : new ObjectPins(etags);
  }

  private record Asked(StorePath object, CompletableFuture<ObjectStat> answer) {
    void into(Map<String, String> etags) {
      try {
        etags.put(object.toString(), answer.join().etag());
      } catch (CompletionException e) {
        StoreException failure = StoreException.of(e, object.toString());
        if (failure.kind() != StoreException.Kind.NOT_FOUND) {
          throw failure;
        }
        etags.put(object.toString(), ObjectVersions.ABSENT);
      }
    }
  }

  /** The number of objects. */
  public int size() {
    return etags.size();
  }

  /** The version of an object, empty if it is not pinned. */
  Optional<String> of(StorePath object) {
    return Optional.ofNullable(etags.get(object.toString()));
  }

  /** As {@code 3 objects}. */
  @Override
  public String toString() {
    return size() + " objects";
  }
}
