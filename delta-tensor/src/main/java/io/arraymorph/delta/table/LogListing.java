package io.arraymorph.delta.table;

import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a table's log: the listing of the load under way, and the entries read or
 * written before, which never change as long as their ETag is the same. One per table handle.
 * Thread-safe.
 */
final class LogListing {
  static final String LOG = "_delta_log/";

  private static final String LAST_CHECKPOINT = LOG + "_last_checkpoint";
  private static final String CHECKSUM = ".crc";
  private static final long MOST_BYTES = 16 << 20;
  private static final int MOST_NAMES = 10_000;
  private static final int LARGEST = 1 << 20;

  @SuppressWarnings("ArrayRecordComponent") // A cached buffer.
  private record Entry(String etag, byte[] bytes) {}

  private final ObjectStore store;
  private final Map<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<String, String> listed = new LinkedHashMap<>();

  @SuppressWarnings("ThreadLocalUsage") // One for each listing, which is meant.
  private final ThreadLocal<ListPage> ahead = new ThreadLocal<>();

  @SuppressWarnings("ThreadLocalUsage") // One for each listing, which is meant.
  private final ThreadLocal<Boolean> reading = ThreadLocal.withInitial(() -> false);

  private long held;

  LogListing(ObjectStore store) {
    this.store = store;
  }

  /**
   * Begins a load of this thread for reading only: checksums of versions are not worth a request,
   * for they repeat what the entries say that are read in any case.
   */
  void beginReading() {
    reading.set(true);
  }

  /**
   * True if a key is that of the pointer to the last checkpoint and the log is so short that one
   * page lists it whole: that page, which Kernel asks for next, names every checkpoint, and the
   * pointer is not worth a request.
   */
  boolean doesWithout(String key) {
    if (!key.endsWith(LAST_CHECKPOINT)) {
      return false;
    }
    ahead.remove();
    String prefix = key.substring(0, key.length() - LAST_CHECKPOINT.length()) + LOG;
    ListPage page = StoreAnswers.await(store.list(prefix, "/", ""));
    ahead.set(page);
    return page.continuation().isEmpty();
  }

  /** A page of a listing, the one that was read ahead if it is the first. */
  ListPage list(String prefix, String continuation) {
    ListPage page = continuation.isEmpty() && prefix.endsWith(LOG) ? ahead.get() : null;
    ahead.remove();
    if (page == null) {
      page = StoreAnswers.await(store.list(prefix, "/", continuation));
    }
    if (prefix.endsWith(LOG)) {
      remember(page);
    }
    return reading.get() ? withoutChecksums(page) : page;
  }

  private static ListPage withoutChecksums(ListPage page) {
    return new ListPage(
        page.objects().stream().filter(o -> !o.key().endsWith(CHECKSUM)).toList(),
        page.prefixes(),
        page.continuation());
  }

  /** Forgets the page that was read ahead: it is as old as the load that asked for it. */
  void endLoad() {
    ahead.remove();
    reading.remove();
  }

  private synchronized void remember(ListPage page) {
    if (listed.size() > MOST_NAMES) {
      listed.clear();
    }
    for (ObjectStat object : page.objects()) {
      listed.put(object.key(), object.etag());
      Entry entry = entries.get(object.key());
      if (entry != null && !entry.etag().equals(object.etag())) {
        drop(object.key());
      }
    }
  }

  /** The bytes of an entry of the log, if they were read before and the last listing agrees. */
  synchronized Optional<byte[]> bytes(String key) {
    Entry entry = entries.get(key);
    return entry != null && entry.etag().equals(listed.get(key))
        ? Optional.of(entry.bytes())
        : Optional.empty();
  }

  /** Keeps the bytes of an entry of the log. */
  synchronized void keep(String key, String etag, byte[] bytes) {
    int slash = key.lastIndexOf('/') + 1;
    if (!key.substring(0, slash).endsWith(LOG) || bytes.length > LARGEST || etag.isEmpty()) {
      return;
    }
    drop(key);
    entries.put(key, new Entry(etag, bytes));
    held += bytes.length;
    while (held > MOST_BYTES) {
      drop(entries.keySet().iterator().next());
    }
  }

  private void drop(String key) {
    Entry entry = entries.remove(key);
    held -= entry == null ? 0 : entry.bytes().length;
  }
}
