package io.arraymorph.spark.python;

import java.util.function.Supplier;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/** Runs work with a session active on the thread, for py4j's threads have none of their own. */
final class ActiveSession {
  private ActiveSession() {}

  static <T> T with(SparkSession session, Supplier<T> work) {
    Option<SparkSession> before = SparkSession.getActiveSession();
    SparkSession.setActiveSession(session);
    try {
      return work.get();
    } finally {
      if (before.isDefined()) {
        SparkSession.setActiveSession(before.get());
      } else {
        SparkSession.clearActiveSession();
      }
    }
  }
}
