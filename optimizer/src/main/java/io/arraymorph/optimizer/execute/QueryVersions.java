package io.arraymorph.optimizer.execute;

import java.util.HashMap;
import java.util.Map;

/**
 * The versions of objects that the readers of one query in this process share, so that two tasks
 * that run side by side never mix two versions of an object either. Thread-safe.
 *
 * <p>Known while at least one reader of the query is open: a query that is run again later reads
 * what is there then.
 */
final class QueryVersions implements AutoCloseable {
  private static final Map<String, QueryVersions> OPEN = new HashMap<>();

  private final String query;
  private final ObjectVersions versions;
  private int readers;

  private QueryVersions(String query, ObjectPins pinned) {
    this.query = query;
    this.versions = new ObjectVersions(pinned);
  }

  /**
   * Joins the readers of a query; each closes what it was given once.
   *
   * @param pinned the same for all readers of the query
   */
  static QueryVersions join(String query, ObjectPins pinned) {
    synchronized (OPEN) {
      QueryVersions shared = OPEN.computeIfAbsent(query, q -> new QueryVersions(q, pinned));
      shared.readers++;
      return shared;
    }
  }

  /** What the readers have seen. */
  ObjectVersions versions() {
    return versions;
  }

  /** Leaves; the last reader takes the versions along. */
  @Override
  public void close() {
    synchronized (OPEN) {
      readers--;
      if (readers == 0) {
        OPEN.remove(query);
      }
    }
  }
}
