package io.arraymorph.spark.read;

import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * How many tasks run at once: they share the network of their host.
 *
 * @param perHost tasks that an executor runs at once, at least 1; executors are taken to be hosts
 * @param hosts executors, at least 1
 */
record TaskSlots(int perHost, int hosts) {
  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  TaskSlots {
    if (perHost < 1 || hosts < 1) {
      throw new IllegalArgumentException(perHost + " tasks on " + hosts + " hosts");
    }
  }

  /** The slots of this session, as far as its driver knows. */
  static TaskSlots ofSession() {
    SparkContext context = SparkSession.active().sparkContext();
    SparkConf conf = context.getConf();
    int parallelism = Math.max(1, context.defaultParallelism());
    if (context.isLocal()) {
      return new TaskSlots(parallelism, 1);
    }
    // The driver counts as one.
    int hosts = Math.max(1, context.statusTracker().getExecutorInfos().length - 1);
    int cores = conf.getInt("spark.executor.cores", Math.max(1, parallelism / hosts));
    return new TaskSlots(
        Math.max(1, cores / Math.max(1, conf.getInt("spark.task.cpus", 1))), hosts);
  }

  /** Tasks that run at once when there are so many. */
  int atOnce(int tasks) {
    return (int) Math.max(1, Math.min(tasks, (long) perHost * hosts));
  }

  /** What each of so many tasks has of its host, in (0, 1]. */
  double share(int tasks) {
    int onHost = (Math.max(1, tasks) - 1) / hosts + 1;
    return 1.0 / Math.min(perHost, onHost);
  }
}
