package io.arraymorph.spark.read;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.function.IntUnaryOperator;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.StructType;

/**
 * The function from a value along one dimension to the group of chunks that it lies in: what Spark
 * knows a partition of a scan by.
 *
 * <p>Its name says everything that its results depend on (the number of indices in a group, and a
 * digest of the coordinates), so two scans whose functions have one name are divided alike.
 * Immutable.
 */
public final class ChunkFunction implements UnboundFunction, ScalarFunction<Long> {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final DataType input;
  private final long span;

  /** Strictly ascending or descending, or null where the value is the index itself. */
  private final double[] doubles;

  private final long[] longs;

  private ChunkFunction(String name, DataType input, long span, double[] doubles, long[] longs) {
    this.name = name;
    this.input = input;
    this.span = span;
    this.doubles = doubles;
    this.longs = longs;
  }

  /** Of an index. */
  static ChunkFunction ofIndex(long span) {
    return new ChunkFunction("chunk_" + span, DataTypes.LongType, span, null, null);
  }

  /** Of a floating point coordinate, strictly ascending or descending. */
  static ChunkFunction ofDoubles(long span, DataType input, double[] values, String digest) {
    return new ChunkFunction(name(span, input, digest), input, span, values, null);
  }

  /** Of an integer coordinate or a time, strictly ascending or descending. */
  static ChunkFunction ofLongs(long span, DataType input, long[] values, String digest) {
    return new ChunkFunction(name(span, input, digest), input, span, null, values);
  }

  private static String name(long span, DataType input, String digest) {
    return "chunk_" + span + "_" + input.typeName() + "_" + digest;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String canonicalName() {
    return "arraymorph." + name;
  }

  @Override
  public String description() {
    return name + ": the group of chunks that a value along a dimension lies in";
  }

  @Override
  public BoundFunction bind(StructType inputType) {
    if (inputType.size() != 1 || !inputType.fields()[0].dataType().equals(input)) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          name + " takes one " + input.simpleString() + ", not " + inputType.simpleString(),
          "Use it for the dimension that it is of");
    }
    return this;
  }

  @Override
  public DataType[] inputTypes() {
    return new DataType[] {input};
  }

  @Override
  public DataType resultType() {
    return DataTypes.LongType;
  }

  /** The group, -1 for a value that is no coordinate, null for null. */
  @Override
  public Long produceResult(InternalRow row) {
    if (row.isNullAt(0)) {
      return null;
    }
    long index = index(row);
    return index < 0 ? -1L : Math.floorDiv(index, span);
  }

  private long index(InternalRow row) {
    if (doubles != null) {
      double value = input instanceof FloatType ? row.getFloat(0) : row.getDouble(0);
      return position(doubles, value == 0 ? 0.0 : value);
    }
    Object value = row.get(0, input);
    long whole = ((Number) value).longValue();
    return longs == null ? whole : position(longs, whole);
  }

  private static long position(double[] values, double value) {
    boolean descends = values.length > 1 && values[0] > values[1];
    return search(values.length, i -> Double.compare(values[i], value) * (descends ? -1 : 1));
  }

  private static long position(long[] values, long value) {
    boolean descends = values.length > 1 && values[0] > values[1];
    return search(values.length, i -> Long.compare(values[i], value) * (descends ? -1 : 1));
  }

  /** Binary search by how the value at a place compares; -1 if none is equal. */
  private static long search(int length, IntUnaryOperator comparison) {
    int low = 0;
    int high = length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int compared = comparison.applyAsInt(middle);
      if (compared == 0) {
        return middle;
      }
      if (compared < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -1;
  }

  /** True if a type is floating point. */
  static boolean isFloating(DataType type) {
    return type instanceof FloatType || type instanceof DoubleType;
  }
}
