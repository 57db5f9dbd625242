package io.arraymorph.optimizer.profile;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this process saw of a store: its latency, how fast bytes came in together, and how many
 * requests at once were good. Refines a profile, with a weight that grows with the number of
 * requests and stays bounded, so that a bad minute cannot turn a plan around. Thread-safe.
 *
 * <p>Latency is the least time of the last small answers, for queues only add to it. Bandwidth is
 * what came in while a request was under way, by its time; that says how wide the pipe is if
 * requests side by side waited for it, and else only that it is at least so wide (as in Cardwell et
 * al., BBR: congestion-based congestion control, 2016).
 */
public final class ObservedTransport {
  private static final long SMALL = 64 << 10;
  private static final int SIDE_BY_SIDE = 4;
  private static final double HALF_WEIGHT_AT = 8;
  private static final double MOST_WEIGHT = 0.9;

  /** What a profile may be off by before {@link #correct} says otherwise. */
  private static final double SURELY = 2;

  /** Taken for the latency where no small answer has told it: more than most have. */
  private static final double LONG_LATENCY_SECONDS = 0.1;

  /** Stores close connections that were idle a little longer. */
  private static final long WARM_NANOS = Duration.ofSeconds(10).toNanos();

  private static final Map<String, ObservedTransport> STORES = new ConcurrentHashMap<>();

  private final Least latency = new Least();
  private final Flows flows = new Flows();
  private long requests;
  private long arrived;
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

  /** How many bytes have come so far, to be told again when a request that starts now ends. */
  public synchronized long arrived() {
    return arrived;
  }

  /**
   * A request was answered.
   *
   * @param bytes of the answer
   * @param seconds from sending to the last byte, above 0
   * @param underWay requests of the same reader at that time, this one included
   * @param before {@link #arrived} when it was sent
   */
  public synchronized void answered(long bytes, double seconds, int underWay, long before) {
    requests++;
    arrived += bytes;
    if (!(seconds > 0)) {
      return;
    }
    if (bytes <= SMALL) {
      latency.add(seconds);
      return;
    }
    double first = latency.isKnown() ? latency.value() : LONG_LATENCY_SECONDS;
    boolean waited = underWay >= SIDE_BY_SIDE && seconds > 2 * first;
    double alone = bytes / Math.max(seconds / 20, seconds - first);
    flows.add((arrived - before) / seconds, waited ? alone : Double.POSITIVE_INFINITY);
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
    return requests;
  }

  /** What is believed of a host's transport after what was seen. */
  public synchronized Transport refine(Transport believed) {
    return between(believed, 0);
  }

  /** As {@link #refine}, but only where the store is slower than believed by a factor of two. */
  public synchronized Transport correct(Transport believed) {
    return between(believed, SURELY);
  }

  /** True if even the fastest small answers took twice as long as believed, or longer. */
  synchronized boolean isFartherThan(Transport believed) {
    return latency.isKnown() && latency.value() > SURELY * believed.latencySeconds();
  }

  /** As {@code 312 requests (0.0211 s, 2.1E8 bytes/s)}; what was not seen is left out. */
  @Override
  public synchronized String toString() {
    Flows.Pipe pipe = flows.pipe(Double.POSITIVE_INFINITY);
    String seen = text(latency.isKnown() ? latency.value() : 0, pipe.bytesPerSecond());
    return requests + " requests" + (seen.isEmpty() ? "" : " (" + seen + ")");
  }

  /** As {@code 0.0211 s, 2.1E8 bytes/s}, without what is not known or 0. */
  static String text(double seconds, double bytesPerSecond) {
    List<String> known = new ArrayList<>();
    if (seconds > 0) {
      known.add(String.format(Locale.ROOT, "%.3g s", seconds));
    }
    if (bytesPerSecond > 0) {
      known.add(String.format(Locale.ROOT, "%.3g bytes/s", bytesPerSecond));
    }
    return String.join(", ", known);
  }

  private Transport between(Transport believed, double surely) {
    double first = believed.latencySeconds();
    if (latency.isKnown() && latency.value() > surely * first) {
      first = refined(first, latency.value(), latency.count);
    }
    double most = believed.bandwidth().maximum();
    double pipe = most;
    Flows.Pipe seen = flows.pipe(believed.connectionBytesPerSecond() / 2);
    if (seen.times() > 0 && seen.bytesPerSecond() * surely < most) {
      pipe = refined(most, seen.bytesPerSecond(), seen.times());
    }
    double slower = believed.tailLatencySeconds() - believed.latencySeconds();
    return new Transport(
        believed.bandwidth().scaled(pipe / most),
        Math.min(believed.connectionBytesPerSecond(), pipe),
        first,
        first + slower,
        believed.requestSeconds(),
        believed.partSeconds(),
        believed.concurrency());
  }

  /** Between what was believed and what was seen so many times, on a scale of factors. */
  private static double refined(double believed, double seen, long times) {
    double weight = Math.min(MOST_WEIGHT, times / (times + HALF_WEIGHT_AT));
    return believed > 0 && seen > 0
        ? Math.pow(believed, 1 - weight) * Math.pow(seen, weight)
        : believed;
  }

  /** The least of the last few hundred values. */
  private static final class Least {
    private static final int WINDOW = 256;

    private double before = Double.POSITIVE_INFINITY;
    private double now = Double.POSITIVE_INFINITY;
    private long count;

    void add(double value) {
      if (count++ % WINDOW == 0) {
        before = now;
        now = value;
      }
      now = Math.min(now, value);
    }

    boolean isKnown() {
      return count > 0;
    }

    double value() {
      return Math.min(before, now);
    }
  }

  /** How fast bytes came in during the last answers, of all requests and of each alone. */
  private static final class Flows {
    private static final int KEPT = 64;

    /** What was seen of a pipe, and how many answers say so. */
    record Pipe(double bytesPerSecond, int times) {}

    private final double[] together = new double[KEPT];
    private final double[] alone = new double[KEPT];
    private long count;

    void add(double rateTogether, double rateAlone) {
      int at = (int) (count++ % KEPT);
      together[at] = rateTogether;
      alone[at] = rateAlone;
    }

    /**
     * The pipe: the upper tenth of the rates of answers that waited for it, but no less than came
     * in without waiting.
     *
     * @param slow bytes per second of an answer that waited
     */
    Pipe pipe(double slow) {
      int kept = (int) Math.min(count, KEPT);
      double[] waited = new double[kept];
      int times = 0;
      double least = 0;
      for (int i = 0; i < kept; i++) {
        if (alone[i] < slow) {
          waited[times++] = together[i];
        } else {
          least = Math.max(least, together[i]);
        }
      }
      if (times == 0) {
        return new Pipe(least, 0);
      }
      Arrays.sort(waited, 0, times);
      return new Pipe(Math.max(least, waited[times * 9 / 10]), times);
    }
  }
}
