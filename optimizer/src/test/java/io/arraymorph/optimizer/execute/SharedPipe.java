package io.arraymorph.optimizer.execute;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** A network on a synthetic clock: answers begin after a latency and share a pipe fairly. */
final class SharedPipe {
  static final long MILLI = 1_000_000;

  private final double bytesPerMilli;
  private final long latencyMillis;
  private final Random random;
  private final List<Answer> underWay = new ArrayList<>();
  private long millis;
  private long idleMillis;

  /** The share of a millisecond's bytes that one answer gets varies by this factor. */
  private final double jitter;

  SharedPipe(double bytesPerSecond, long latencyMillis, double jitter, Random random) {
    this.bytesPerMilli = bytesPerSecond / 1000;
    this.latencyMillis = latencyMillis;
    this.jitter = jitter;
    this.random = random;
  }

  /** An answer on its way. */
  private static final class Answer {
    private final long from;
    private double left;
    private final Runnable whenDone;

    Answer(long from, double left, Runnable whenDone) {
      this.from = from;
      this.left = left;
      this.whenDone = whenDone;
    }
  }

  long nanos() {
    return millis * MILLI;
  }

  /** How long nothing passed although a request had been sent. */
  long idleMillis() {
    return idleMillis;
  }

  /** Sends a request of which the first byte comes {@code lateMillis} after the latency. */
  void send(long bytes, long lateMillis, Runnable whenDone) {
    underWay.add(new Answer(millis + latencyMillis + lateMillis, bytes, whenDone));
  }

  /** Lets time pass until a request is done that says so, or for the most milliseconds. */
  void run(long most, Consumer<Long> eachMilli, java.util.function.BooleanSupplier done) {
    for (long end = millis + most; millis < end && !done.getAsBoolean(); ) {
      millis++;
      pass();
      eachMilli.accept(millis);
    }
  }

  private void pass() {
    List<Answer> flowing = underWay.stream().filter(a -> a.from <= millis).toList();
    if (flowing.isEmpty()) {
      idleMillis++;
      return;
    }
    double[] weights =
        flowing.stream().mapToDouble(a -> 1 + jitter * random.nextDouble()).toArray();
    double sum = 0;
    for (double weight : weights) {
      sum += weight;
    }
    for (int i = 0; i < weights.length; i++) {
      flowing.get(i).left -= bytesPerMilli * weights[i] / sum;
    }
    List<Answer> ended = flowing.stream().filter(a -> a.left <= 0).toList();
    underWay.removeAll(ended);
    ended.forEach(a -> a.whenDone.run());
  }
}
