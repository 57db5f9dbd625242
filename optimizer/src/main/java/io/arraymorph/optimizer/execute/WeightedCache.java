package io.arraymorph.optimizer.execute;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The most recently used values within a bound on their bytes. Thread-safe. */
final class WeightedCache<K, V> {
  private record Entry<V>(V value, long bytes) {}

  private final long capacity;
  private final LinkedHashMap<K, Entry<V>> entries = new LinkedHashMap<>(64, 0.75f, true);
  private long bytes;

  WeightedCache(long capacity) {
    this.capacity = capacity;
  }

  /** The value of a key, or null. */
  synchronized V get(K key) {
    Entry<V> entry = entries.get(key);
    return entry == null ? null : entry.value;
  }

  /** True if nothing is kept. */
  synchronized boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Keeps a value unless it is larger than the cache; drops the least recently used for it. */
  synchronized void put(K key, V value, long size) {
    remove(key);
    if (size > capacity) {
      return;
    }
    entries.put(key, new Entry<>(value, size));
    bytes += size;
    Iterator<Map.Entry<K, Entry<V>>> eldest = entries.entrySet().iterator();
    while (bytes > capacity) {
      bytes -= eldest.next().getValue().bytes;
      eldest.remove();
    }
  }

  /** Forgets a key. */
  synchronized void remove(K key) {
    Entry<V> old = entries.remove(key);
    if (old != null) {
      bytes -= old.bytes;
    }
  }

  /** Forgets everything. */
  synchronized void clear() {
    entries.clear();
    bytes = 0;
  }
}
