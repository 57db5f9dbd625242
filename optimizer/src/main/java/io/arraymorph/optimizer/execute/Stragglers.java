package io.arraymorph.optimizer.execute;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Tells which requests are so late that asking a second time pays, and how often that may be done.
 * Not thread-safe: its queue guards it.
 *
 * <p>A request is late by the measure of those that were sent shortly before and after it for about
 * as many bytes (up to twice): they wait for the same pipe, behind the same answers. So requests
 * that a full pipe holds up are not late, however long they take, and nothing is sent twice through
 * it; the few that hang are, for others overtake them (Dean and Barroso, The tail at scale, 2013).
 * Patience is half as long again as all but an eighth of its neighbours took, and a quarter when
 * little else is under way: then a straggler is all that the reader waits for, and the pipe has
 * room.
 */
final class Stragglers {
  /** Fewer answers say nothing about what is usual. */
  private static final int FEWEST = 8;

  /** How many requests before and after one are its neighbours. */
  private static final int BEFORE = 16;

  private static final int AFTER = 48;

  /** Of so many that were sent next, half must have been answered. */
  private static final int NEXT = 8;

  private static final long SECOND_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LEAST_NANOS = Duration.ofMillis(25).toNanos();

  /** Bytes that may always be sent again, and as many more for each second as a quarter. */
  private static final long FREE_BYTES = 4L << 20;

  private final double share;
  private final long start;
  private final Map<Integer, Alike> bySize = new HashMap<>();
  private long requests;
  private double bytes;
  private long repeated;
  private double repeatedBytes;

  /**
   * @param share of requests, and of bytes, that may be sent a second time, in [0, 1]; unless 0,
   *     one request and 4 MiB always may, and one more and 1 MiB for each second, so that none
   *     hangs long for want of an allowance
   * @param now nanoseconds
   */
  Stragglers(double share, long now) {
    this.share = share;
    this.start = now;
  }

  /** A request as it is compared with others. */
  static final class Sent {
    private final int size;
    private final long bytes;
    private final long at;
    private long number;
    private long nanos = -1;

    private Sent(int size, long bytes, long at) {
      this.size = size;
      this.bytes = bytes;
      this.at = at;
    }
  }

  /**
   * A request is sent for the first time.
   *
   * @param expected bytes of its answer, 0 if nobody can tell
   */
  Sent sent(long expected, long now) {
    requests++;
    bytes += expected;
    Sent sent = new Sent(64 - Long.numberOfLeadingZeros(expected), expected, now);
    bySize.computeIfAbsent(sent.size, size -> new Alike()).add(sent);
    return sent;
  }

  /**
   * A request was answered.
   *
   * @param nanos that the attempt took which brought the answer
   */
  void answered(Sent sent, long nanos) {
    sent.nanos = nanos;
  }

  /**
   * True if a request takes much longer than its neighbours.
   *
   * @param idle true if so little else is under way that the pipe has room
   */
  boolean isLate(Sent sent, long now, boolean idle) {
    long age = now - sent.at;
    return age > LEAST_NANOS
        && bySize.get(sent.size).isLate(sent, idle ? age / 5 * 4 : age / 3 * 2);
  }

  /** Takes one of the requests that may be sent again, if there is one left. */
  boolean tryRepeat(Sent sent, long now) {
    double seconds = (double) (now - start) / SECOND_NANOS;
    long allowed = 1 + (long) (requests * share) + (long) seconds;
    double allowedBytes = bytes * share + FREE_BYTES * (1 + seconds / 4);
    if (share == 0 || repeated >= allowed || repeatedBytes + sent.bytes > allowedBytes) {
      return false;
    }
    repeated++;
    repeatedBytes += sent.bytes;
    return true;
  }

  /** The last requests of about one size, in the order in which they were sent. */
  private static final class Alike {
    private static final int KEPT = 512;

    private final Sent[] recent = new Sent[KEPT];
    private long count;

    void add(Sent sent) {
      sent.number = count;
      recent[(int) (count++ % KEPT)] = sent;
    }

    /** True if all but an eighth of the neighbours took less than {@code nanos}. */
    boolean isLate(Sent sent, long nanos) {
      long first = Math.max(sent.number - BEFORE, Math.max(0, count - KEPT));
      long end = Math.min(count, Math.max(first, sent.number) + AFTER);
      int answered = 0;
      int slower = 0;
      int next = 0;
      int nextAnswered = 0;
      for (long i = first; i < end; i++) {
        Sent other = recent[(int) (i % KEPT)];
        boolean came = other.nanos >= 0;
        if (i > sent.number && next < NEXT) {
          next++;
          nextAnswered += came ? 1 : 0;
        }
        answered += came ? 1 : 0;
        slower += came && other.nanos >= nanos ? 1 : 0;
      }
      return answered >= FEWEST && slower <= answered / 8 && 2 * nextAnswered >= next;
    }
  }
}
