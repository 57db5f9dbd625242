package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.profile.Transport;
import java.util.function.LongSupplier;

/**
 * How many bytes may be under way while a stream has more to read than its window holds.
 *
 * <p>Answers that are asked for together share the pipe and end together. With a whole window of
 * them the pipe is then empty until their chunks are decoded and the next window has been asked
 * for, one latency later. So a stream begins with what fills the pipe a few times over, sends
 * another request for each answer, and beside that as many bytes as the pipe brings, until half of
 * the window is under way: answers then end one after the other, others are always on their way,
 * and an answer makes room for a request that waits, without being decoded first (measured over 20
 * MB/s and 90 ms: 0.3 s less for each window of 100 MB).
 *
 * <p>The pipe is what the profile of the store says it is. If more comes than that says, nothing is
 * held back any more. Not thread-safe: its queue guards it.
 */
final class Pacing {
  /** Pipes full of bytes to begin with: a profile may be off by a factor. */
  private static final double PIPES = 8;

  /** Of the requests that are needed to reach the full bandwidth. */
  private static final double STREAMS = 2;

  /** Stores nearer than this have no latency worth hiding. */
  private static final double NEAR_SECONDS = 0.002;

  /** More bytes a second than the profile says by this factor show that it says too little. */
  private static final double WRONG = 3;

  private final double bandwidth;
  private final double latencySeconds;
  private final double leastBytes;
  private final int leastRequests;
  private final LongSupplier clock;
  private boolean wanted;
  private boolean off;
  private boolean begun;
  private long beganAt;
  private double came;
  private double window;

  /**
   * @param transport what is believed of the store
   * @param clock nanoseconds, as System::nanoTime
   */
  Pacing(Transport transport, LongSupplier clock) {
    this.bandwidth = transport.bandwidth().maximum();
    this.latencySeconds = transport.latencySeconds();
    this.leastBytes = PIPES * bandwidth * latencySeconds;
    this.leastRequests =
        (int)
            Math.min(
                1 << 20, STREAMS * Math.ceil(bandwidth / transport.connectionBytesPerSecond()));
    this.clock = clock;
    this.off = !(latencySeconds >= NEAR_SECONDS);
  }

  /** There is more to read than the window holds; from now on, for good. */
  void want() {
    wanted = true;
  }

  /**
   * True if another request may be sent.
   *
   * @param bytes under way, as far as they are known
   * @param waiting bytes that wait to be sent
   * @param requests under way
   */
  boolean allows(double bytes, double waiting, int requests) {
    if (!wanted || off) {
      return true;
    }
    if (!begun) {
      begun = true;
      beganAt = clock.getAsLong();
    }
    window = Math.max(window, bytes + waiting);
    double most = Math.min(leastBytes + bandwidth * seconds(), window / 2);
    return requests < leastRequests || bytes < Math.max(leastBytes, most);
  }

  /** So many bytes have come. */
  void answered(long bytes) {
    if (begun && !off) {
      came += bytes;
      double expected = bandwidth * Math.max(0, seconds() - latencySeconds);
      off = came > leastBytes && came > WRONG * expected;
    }
  }

  private double seconds() {
    return (clock.getAsLong() - beganAt) / 1e9;
  }
}
