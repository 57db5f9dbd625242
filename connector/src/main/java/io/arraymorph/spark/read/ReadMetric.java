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
    new CacheHits(),
    new CacheBytes(),
    new ActualMillis()
  };

  private ReadMetric() {}

  /** All metrics of a scan. */
  static CustomMetric[] all() {
    return ALL.clone();
  }

  /** The metrics of one task so far. */
  static CustomTaskMetric[] values(ReadMetrics metrics) {
    return Arrays.stream(ALL)
        .map(metric -> new TaskValue(metric.name(), ((Sum) metric).value.applyAsLong(metrics)))
        .toArray(CustomTaskMetric[]::new);
  }

  private record TaskValue(String name, long value) implements CustomTaskMetric {}

  private abstract static class Sum extends CustomSumMetric {
    private final String name;
    private final ToLongFunction<ReadMetrics> value;

    Sum(String name, ToLongFunction<ReadMetrics> value) {
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
      super("chunks read", ReadMetrics::chunks);
    }
  }

  /** Requests sent to object stores. */
  public static final class Requests extends Sum {
    /** Called by Spark. */
    public Requests() {
      super("requests", ReadMetrics::requests);
    }
  }

  /** Requests for a part of an object. */
  public static final class RangeRequests extends Sum {
    /** Called by Spark. */
    public RangeRequests() {
      super("range requests", ReadMetrics::rangeRequests);
    }
  }

  /** Calls of the slice function. */
  public static final class SliceFunctionRequests extends Sum {
    /** Called by Spark. */
    public SliceFunctionRequests() {
      super("slice-function requests", ReadMetrics::sliceFunctionRequests);
    }
  }

  /** Bytes received. */
  public static final class BytesRead extends Sum {
    /** Called by Spark. */
    public BytesRead() {
      super("bytes read", ReadMetrics::bytesRead);
    }
  }

  /** Decoded bytes of the elements asked for. */
  public static final class BytesNeeded extends Sum {
    /** Called by Spark. */
    public BytesNeeded() {
      super("bytes needed", ReadMetrics::bytesNeeded);
    }
  }

  /** Chunks and shard indexes taken from memory. */
  public static final class CacheHits extends Sum {
    /** Called by Spark. */
    public CacheHits() {
      super("cache hits", ReadMetrics::cacheHits);
    }
  }

  /** Bytes taken from memory. */
  public static final class CacheBytes extends Sum {
    /** Called by Spark. */
    public CacheBytes() {
      super("cache bytes", ReadMetrics::cacheBytes);
    }
  }

  /** Milliseconds that tasks waited for elements. */
  public static final class ActualMillis extends Sum {
    /** Called by Spark. */
    public ActualMillis() {
      super("actual ms", metrics -> metrics.waitNanos() / 1_000_000);
    }
  }
}
