package io.arraymorph.optimizer.profile;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process saw of a store: latency of small requests, speed of large ones, and how much
 * came in at once. Refines a profile, with a weight that grows with the number of requests and
 * stays bounded, so that a bad minute cannot turn a plan around. Thread-safe.
 */
public final class ObservedTransport {
  private static final long SMALL = 64 << 10;
  private static final long LARGE = 1 << 20;
  private static final int SIDE_BY_SIDE = 4;
  private static final double HALF_WEIGHT_AT = 50;
  private static final double MOST_WEIGHT = 0.8;
  private static final double LATEST = 0.05;

  /** Stores close connections that were idle a little longer. */
  private static final long WARM_NANOS = Duration.ofSeconds(10).toNanos();

  private static final Map<String, ObservedTransport> STORES = new ConcurrentHashMap<>();

  /** A mean in which later values count more. */
  private static final class Mean {
    private double value;
    private long count;

    void add(double next) {
      count++;
      value += Math.max(LATEST, 1.0 / count) * (next - value);
    }

    /** Between what was believed and what was seen, on a scale of factors. */
    double refine(double believed) {
      double weight = Math.min(MOST_WEIGHT, count / (count + HALF_WEIGHT_AT));
      return believed > 0 && value > 0
          ? Math.pow(believed, 1 - weight) * Math.pow(value, weight)
          : believed;
    }
  }

  private final Mean latency = new Mean();
  private final Mean connection = new Mean();
  private final Mean pipe = new Mean();
  private int concurrency;
  private long concurrencyAt;

  /** Nothing was seen yet. */
  public ObservedTransport() {}

  /**
   * What was seen of a store by all readers of this process.
   *
   * @param uri of the store or anything in it
   */
  public static ObservedTransport of(String uri) {
    return STORES.computeIfAbsent(root(uri), store -> new ObservedTransport());
  }

  private static String root(String uri) {
    try {
      URI parsed = URI.create(uri);
      return parsed.getScheme() + "://" + parsed.getRawAuthority();
    } catch (IllegalArgumentException e) {
      return uri;
    }
  }

  /**
   * A request was answered.
   *
   * @param bytes of the answer
   * @param seconds from sending to the last byte, above 0
   * @param underWay requests of the same reader at that time, this one included
   */
  public synchronized void answered(long bytes, double seconds, int underWay) {
    if (!(seconds > 0)) {
      return;
    }
    if (bytes <= SMALL) {
      latency.add(seconds);
    } else if (bytes >= LARGE) {
      double flowing = Math.max(seconds / 20, seconds - latency.value);
      connection.add(bytes / flowing);
      if (underWay >= SIDE_BY_SIDE) {
        pipe.add(underWay * (bytes / seconds));
      }
    }
  }

  /**
   * A reader has as many requests under way as it found to be good.
   *
   * @param slots at once, at least 1
   * @param nanos time, as System.nanoTime
   */
  public synchronized void reached(int slots, long nanos) {
    concurrency = slots;
    concurrencyAt = nanos;
  }

  /**
   * How many requests at once a reader found to be good a short while ago, so that there are
   * connections for as many; 0 if none did.
   *
   * @param nanos time, as System.nanoTime
   */
  public synchronized int concurrency(long nanos) {
    return nanos - concurrencyAt < WARM_NANOS ? concurrency : 0;
  }

  /** How many requests were seen. */
  public synchronized long requests() {
    return latency.count + connection.count;
  }

  /** What is believed of a host's transport after what was seen. */
  public synchronized Transport refine(Transport believed) {
    double first = latency.refine(believed.latencySeconds());
    double slower = believed.tailLatencySeconds() - believed.latencySeconds();
    double most = believed.bandwidth().maximum();
    return new Transport(
        believed.bandwidth().scaled(pipe.refine(most) / most),
        connection.refine(believed.connectionBytesPerSecond()),
        first,
        first + slower,
        believed.requestSeconds(),
        believed.partSeconds(),
        believed.concurrency());
  }
}
