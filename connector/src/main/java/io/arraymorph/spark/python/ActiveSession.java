package io.arraymorph.spark.python;

import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;

/**
 * Runs work with a session active on the thread, for py4j's threads have none of their own. It
 * stays the active one, as after PySpark's own calls.
 */
final class ActiveSession {
  private ActiveSession() {}

  static <T> T with(SparkSession session, Supplier<T> work) {
    SparkSession.setActiveSession(session);
    return work.get();
  }
}
