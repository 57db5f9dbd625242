package io.arraymorph.spark.read;

import io.arraymorph.optimizer.execute.ReadMetrics;
import java.util.Arrays;
import java.util.function.ToLongFunction;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * The metrics of a scan in Spark's UI: sums over its tasks.
 *
 * <p>Spark makes each metric by its public constructor, so each is a class.
 */
public final class ReadMetric {
  private static final CustomMetric[] ALL = {
    new ChunksRead(),
    new Requests(),
    new RangeRequests(),
    new SliceFunctionRequests(),
    new BytesRead(),
    new BytesNeeded(),
    new CachedChunks(),
    new CacheHits(),
    new CacheBytes(),
    new Retries(),
    new EstimatedMillis(),
    new ActualMillis(),
    new EstimatedMicroDollars()
  };

  private ReadMetric() {}

  /** All metrics of a scan. */
  static CustomMetric[] all() {
    return ALL.clone();
  }

  /**
   * The metrics of one task so far.
   *
   * @param retries requests that were sent again
   */
  static CustomTaskMetric[] values(ReadMetrics metrics, long retries) {
    TaskNumbers numbers = new TaskNumbers(metrics, retries);
    return Arrays.stream(ALL)
        .map(metric -> new TaskValue(metric.name(), ((Sum) metric).value.applyAsLong(numbers)))
        .toArray(CustomTaskMetric[]::new);
  }

  private record TaskNumbers(ReadMetrics reader, long retries) {}

  private record TaskValue(String name, long value) implements CustomTaskMetric {}

  private abstract static class Sum extends CustomSumMetric {
    private final String name;
    private final ToLongFunction<TaskNumbers> value;

    Sum(String name, ToLongFunction<TaskNumbers> value) {
      this.name = name;
      this.value = value;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String description() {
      return name;
    }
  }

  /** Chunks of which some elements were delivered. */
  public static final class ChunksRead extends Sum {
    /** Called by Spark. */
    public ChunksRead() {
      super("chunks read", n -> n.reader().chunks());
    }
  }

  /** Requests sent to object stores. */
  public static final class Requests extends Sum {
    /** Called by Spark. */
    public Requests() {
      super("requests", n -> n.reader().requests());
    }
  }

  /** Requests for a part of an object. */
  public static final class RangeRequests extends Sum {
    /** Called by Spark. */
    public RangeRequests() {
      super("range requests", n -> n.reader().rangeRequests());
    }
  }

  /** Calls of the slice function. */
  public static final class SliceFunctionRequests extends Sum {
    /** Called by Spark. */
    public SliceFunctionRequests() {
      super("slice-function requests", n -> n.reader().sliceFunctionRequests());
    }
  }

  /** Bytes received. */
  public static final class BytesRead extends Sum {
    /** Called by Spark. */
    public BytesRead() {
      super("bytes read", n -> n.reader().bytesRead());
    }
  }

  /** Decoded bytes of the elements asked for. */
  public static final class BytesNeeded extends Sum {
    /** Called by Spark. */
    public BytesNeeded() {
      super("bytes needed", n -> n.reader().bytesNeeded());
    }
  }

  /** Chunks for which no request was planned, for the task held them. */
  public static final class CachedChunks extends Sum {
    /** Called by Spark. */
    public CachedChunks() {
      super("chunks planned cached", n -> n.reader().cachedChunks());
    }
  }

  /** Chunks and shard indexes taken from memory. */
  public static final class CacheHits extends Sum {
    /** Called by Spark. */
    public CacheHits() {
      super("cache hits", n -> n.reader().cacheHits());
    }
  }

  /** Bytes taken from memory. */
  public static final class CacheBytes extends Sum {
    /** Called by Spark. */
    public CacheBytes() {
      super("cache bytes", n -> n.reader().cacheBytes());
    }
  }

  /** Requests that were sent again after a transient failure. */
  public static final class Retries extends Sum {
    /** Called by Spark. */
    public Retries() {
      super("retries", TaskNumbers::retries);
    }
  }

  /** Milliseconds that tasks waited for elements. */
  public static final class ActualMillis extends Sum {
    /** Called by Spark. */
    public ActualMillis() {
      super("actual ms", n -> n.reader().waitNanos() / 1_000_000);
    }
  }

  /** Milliseconds that the requests were estimated to take, batch after batch. */
  public static final class EstimatedMillis extends Sum {
    /** Called by Spark. */
    public EstimatedMillis() {
      super("estimated ms", n -> Math.round(n.reader().estimatedSeconds() * 1e3));
    }
  }

  /** Millionths of a dollar that the requests were estimated to cost. */
  public static final class EstimatedMicroDollars extends Sum {
    /** Called by Spark. */
    public EstimatedMicroDollars() {
      super("estimated micro-dollars", n -> Math.round(n.reader().estimatedDollars() * 1e6));
    }
  }
}
