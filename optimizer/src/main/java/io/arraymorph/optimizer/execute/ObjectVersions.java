package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The version of each object as it was first seen, so that one query never mixes two.
 *
 * <p>Objects are told by their URIs, for each task opens its own stores. Absence is a version too.
 * The least recently seen objects are forgotten beyond {@value #CAPACITY}. Thread-safe.
 */
final class ObjectVersions {
  private static final int CAPACITY = 1 << 16;
  static final String ABSENT = "";

  private final Map<String, String> seen =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > CAPACITY;
        }
      };

  private final ObjectPins pinned;

  /**
   * @param pinned versions that count as seen first; they are never forgotten
   */
  ObjectVersions(ObjectPins pinned) {
    this.pinned = pinned;
  }

  private String known(StorePath object) {
    return pinned.of(object).orElseGet(() -> seen.get(object.toString()));
  }

  /** True if no object was seen. */
  synchronized boolean isEmpty() {
    return seen.isEmpty() && pinned.size() == 0;
  }

  /** Only the version seen before, if any was. */
  synchronized ReadCondition condition(StorePath object) {
    String etag = known(object);
    return etag == null || etag.equals(ABSENT) ? ReadCondition.NONE : ReadCondition.ifMatch(etag);
  }

  /** True if the object is known not to exist. */
  synchronized boolean isAbsent(StorePath object) {
    return ABSENT.equals(known(object));
  }

  /** Notes a version; fails with OBJECT_CHANGED if another one was seen before. */
  void found(StorePath object, String etag) {
    String before = note(object, etag);
    if (before != null && !before.equals(etag)) {
      throw changed(
          object,
          before.equals(ABSENT)
              ? "did not exist before and does now"
              : "had ETag " + before + " and has " + etag,
          null);
    }
  }

  /** Notes that an object does not exist; fails with OBJECT_CHANGED if it did before. */
  void absent(StorePath object) {
    String before = note(object, ABSENT);
    if (before != null && !before.equals(ABSENT)) {
      throw changed(object, "was deleted", null);
    }
  }

  private synchronized String note(StorePath object, String etag) {
    Optional<String> pin = pinned.of(object);
    return pin.isPresent() ? pin.get() : seen.putIfAbsent(object.toString(), etag);
  }

  static ArrayMorphException changed(StorePath object, String how, Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.OBJECT_CHANGED,
        "object " + object + " changed while it was read: it " + how,
        "Open the array again, and run the query when nobody writes it",
        cause);
  }
}
