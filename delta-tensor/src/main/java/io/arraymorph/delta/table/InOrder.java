package io.arraymorph.delta.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;

/**
 * Work on a run of numbers by this thread and those of the common pool, begun in ascending order:
 * what was asked for first, and so arrives first, is worked on first. Parallel streams would begin
 * in the middle as well.
 */
final class InOrder {
  private InOrder() {}

  /**
   * What the work makes of the numbers {@code [from, to)}, in their order. The first failure ends
   * all; it is thrown once no thread is at work any more.
   */
  static <T> List<T> map(int from, int to, IntFunction<T> work) {
    Object[] results = new Object[to - from];
    AtomicInteger next = new AtomicInteger(from);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Runnable share =
        () -> {
          try {
            for (int i = next.getAndIncrement(); i < to; i = next.getAndIncrement()) {
              results[i - from] = work.apply(i);
            }
          } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            next.set(to);
          }
        };
    int helpers = Math.min(ForkJoinPool.getCommonPoolParallelism(), to - from - 1);
    List<ForkJoinTask<?>> others = new ArrayList<>();
    for (int h = 0; h < helpers; h++) {
      others.add(ForkJoinPool.commonPool().submit(share));
    }
    share.run();
    others.forEach(ForkJoinTask::join);
    if (failure.get() instanceof Error) {
      throw (Error) failure.get();
    }
    if (failure.get() != null) {
      throw (RuntimeException) failure.get();
    }
    @SuppressWarnings("unchecked") // Only the work's results are in it.
    List<T> all = (List<T>) Arrays.asList(results);
    return all;
  }
}
