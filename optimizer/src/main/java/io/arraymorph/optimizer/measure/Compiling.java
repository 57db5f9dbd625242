package io.arraymorph.optimizer.measure;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What Java's compiler does beside a measurement: it takes the processors that requests need, and
 * the code that it works on is slow until it is done.
 */
final class Compiling {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int MOST_LOOKS = 10;

  private Compiling() {}

  /** Waits until nothing was compiled for a moment, a fifth of a second at most. */
  static void awaitRest() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
      return;
    }
    long before = -1;
    for (int i = 0; i < MOST_LOOKS; i++) {
      long taken = compiler.getTotalCompilationTime();
      if (taken == before) {
        return;
      }
      before = taken;
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
