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
  private final ObjectVersions versions = new ObjectVersions();
  private int readers;

  private QueryVersions(String query) {
    this.query = query;
  }

  /** Joins the readers of a query; each closes what it was given once. */
  static QueryVersions join(String query) {
    synchronized (OPEN) {
      QueryVersions shared = OPEN.computeIfAbsent(query, QueryVersions::new);
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
