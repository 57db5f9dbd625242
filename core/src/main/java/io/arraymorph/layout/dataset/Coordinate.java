package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.ArrayReader;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The values along one dimension: a 1-D array, decoded.
 *
 * <p>Its type is known from metadata; its values are read at the first use and kept as long as the
 * table is open. Not longer: others change chunks in place and leave the metadata as they are, also
 * in arrays that we wrote, so that metadata do not tell whether values still hold. {@link #loadAll}
 * reads several at once. Thread-safe.
 */
public final class Coordinate {
  /** The longest array that can be a coordinate; a longer dimension has its index only. */
  public static final long LONGEST = 1L << 26;

  private static final int PARALLEL = 8;

  private final ChunkedArray array;
  private final CfDecoding decoding;
  private final ArrayReader reader;
  private DecodedColumn values;
  private CoordinateIndex index;

  Coordinate(ChunkedArray array, CfDecoding decoding, ArrayReader reader) {
    this.array = array;
    this.decoding = decoding;
    this.reader = reader;
  }

  /** The array that holds the values. */
  public ChunkedArray array() {
    return array;
  }

  /** How its elements become values. */
  public CfDecoding decoding() {
    return decoding;
  }

  /** The type of the values, never a struct. Costs no reading. */
  public Scalar type() {
    return (Scalar) decoding.type();
  }

  /** True if a value may be NULL. Costs no reading. */
  public boolean isNullable() {
    return decoding.isNullable();
  }

  /** The number of values: the length of the dimension. */
  public long length() {
    return array.schema().shape().length(0);
  }

  /**
   * The values, one per index; read at the first call.
   *
   * @throws ArrayMorphException if they cannot be read or decoded
   */
  public synchronized DecodedColumn values() {
    if (values == null) {
      values = read();
    }
    return values;
  }

  private DecodedColumn read() {
    Elements raw = reader.read(array, Hyperslab.all(array.schema().shape()));
    if (raw.count() != length()) {
      throw new IllegalStateException(
          raw.count() + " elements were read of " + length() + " of " + array.path());
    }
    return decoding.decode(raw);
  }

  /** The values, ready to answer comparisons; read at the first call. */
  public synchronized CoordinateIndex index() {
    if (index == null) {
      index = indexOf(values());
    }
    return index;
  }

  /** What answers comparisons of a column of any type but structs. */
  public static CoordinateIndex indexOf(DecodedColumn column) {
    int count = column.count();
    switch ((Scalar) column.type()) {
      case FLOAT:
      case DOUBLE:
        return CoordinateIndex.ofDoubles(count, column::doubleAt, column::isNull);
      case DECIMAL20:
        return CoordinateIndex.ofUnsignedLongs(count, column::longAt, column::isNull);
      case STRING:
      case BINARY:
        return CoordinateIndex.ofBytes(count, column::bytesAt, column::isNull);
      case BOOLEAN:
        return CoordinateIndex.ofBooleans(count, column::booleanAt, column::isNull);
      default:
        return CoordinateIndex.ofLongs(count, column::longAt, column::isNull);
    }
  }

  /** True if an array of this length and decoding can be a coordinate. */
  static boolean isPossible(ChunkedArray array, CfDecoding decoding) {
    ColumnType type = decoding.type();
    return type instanceof Scalar && array.schema().shape().length(0) <= LONGEST;
  }

  /**
   * Reads the values of all of these that were not read before, several at a time.
   *
   * @throws ArrayMorphException the first failure; CANCELLED if the thread is interrupted
   */
  public static void loadAll(Collection<Coordinate> coordinates) {
    if (coordinates.isEmpty()) {
      return;
    }
    if (coordinates.size() == 1) {
      coordinates.iterator().next().values();
      return;
    }
    ExecutorService pool =
        Executors.newFixedThreadPool(
            Math.min(PARALLEL, coordinates.size()),
            work -> {
              Thread thread = new Thread(work, "arraymorph-coordinates");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<Future<DecodedColumn>> loads = new ArrayList<>();
      for (Coordinate coordinate : coordinates) {
        loads.add(pool.submit(coordinate::values));
      }
      for (Future<DecodedColumn> load : loads) {
        load.get();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new IllegalStateException("reading coordinates failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ArrayMorphException(
          ErrorCode.CANCELLED, "reading coordinates was interrupted", "Run the query again", e);
    } finally {
      pool.shutdownNow();
    }
  }
}
