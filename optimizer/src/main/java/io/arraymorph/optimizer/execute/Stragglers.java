package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Tells which requests take so much longer than their like that asking a second time pays, and how
 * often that may be done. Not thread-safe: its queue guards it.
 *
 * <p>Alike are requests for up to twice as many bytes. Patience ends somewhat after the slowest
 * twentieth would have answered, or after a few times the median if that is sooner, but not before
 * that twentieth: so the few that hang are asked again, and a network that is slow for all is not
 * burdened more (Dean and Barroso, The tail at scale, 2013). It ends sooner while nothing else
 * waits to be sent: then a straggler is all that the reader waits for, and the pipe has room.
 */
final class Stragglers {
  /** Fewer answers say nothing about what is usual. */
  private static final int FEWEST = 8;

  private static final int KEPT = 64;
  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LEAST_NANOS = Duration.ofMillis(25).toNanos();

  private final double share;
  private final long start;
  private final Map<Integer, Durations> bySize = new HashMap<>();
  private long requests;
  private long repeated;

  /**
   * @param share of requests that may be sent a second time, in [0, 1]; unless 0, one always may,
   *     and one more for each second, so that none hangs long for want of an allowance
   * @param now nanoseconds
   */
  Stragglers(double share, long now) {
    this.share = share;
    this.start = now;
  }

  /** A request was sent for the first time. */
  void sent() {
    requests++;
  }

  /**
   * A request was answered.
   *
   * @param bytes asked for, or -1 for all of an object
   */
  void answered(long bytes, long nanos) {
    bySize.computeIfAbsent(size(bytes), size -> new Durations()).add(nanos);
  }

  /**
   * How long to wait for a request before sending it again; empty while too little is known.
   *
   * @param idle true if no other request waits to be sent
   */
  OptionalLong patience(long bytes, boolean idle) {
    Durations alike = bySize.get(size(bytes));
    return alike == null ? OptionalLong.empty() : alike.patience(idle);
  }

  /** Takes one of the requests that may be sent again, if there is one left. */
  boolean tryRepeat(long now) {
    long allowed = 1 + (long) (requests * share) + (now - start) / SECOND_NANOS;
    if (share == 0 || repeated >= allowed) {
      return false;
    }
    repeated++;
    return true;
  }

  private static int size(long bytes) {
    return bytes < 0 ? -1 : 64 - Long.numberOfLeadingZeros(bytes);
  }

  /** The last durations of requests alike. */
  private static final class Durations {
    private final long[] recent = new long[KEPT];
    private int count;
    private int counted;
    private long median;
    private long slow;

    void add(long nanos) {
      recent[count++ % KEPT] = nanos;
    }

    OptionalLong patience(boolean idle) {
      if (count < FEWEST) {
        return OptionalLong.empty();
      }
      if (counted != count) {
        counted = count;
        long[] sorted = Arrays.copyOf(recent, Math.min(count, KEPT));
        Arrays.sort(sorted);
        median = sorted[sorted.length / 2];
        slow = sorted[sorted.length * 19 / 20];
      }
      long patience =
          idle ? Math.min(2 * median, slow * 5 / 4) : Math.min(3 * median, slow * 3 / 2);
      return OptionalLong.of(Math.max(LEAST_NANOS, Math.max(slow, patience)));
    }
  }
}
