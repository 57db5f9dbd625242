package io.arraymorph.lambda;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long objects were, by what their names begin with: chunks of an array are much the same
 * length, and a store answers all of a small object sooner than a part of it. Only a hint, and only
 * for so many arrays. Thread-safe.
 */
final class ObjectLengths {
  private static final int MOST = 1024;

  private final Map<String, Long> longest =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MOST;
        }
      };

  /** The longest found so far of objects whose names differ in numbers at their end; else -1. */
  synchronized long likely(String object) {
    return longest.getOrDefault(family(object), -1L);
  }

  /** Takes note of the length of an object that exists. */
  synchronized void found(String object, long bytes) {
    longest.merge(family(object), bytes, Math::max);
  }

  /** A name without the coordinates of a chunk at its end. */
  static String family(String object) {
    int end = object.length();
    while (end > 0 && "0123456789./".indexOf(object.charAt(end - 1)) >= 0) {
      end--;
    }
    return object.substring(0, end);
  }
}
