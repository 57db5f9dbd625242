package io.arraymorph.spark.read;

import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.dataset.Coordinate;
import io.arraymorph.layout.dataset.Dimension;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * The chunk functions of dimensions, and those made last by name: Spark knows a function by the
 * name that a scan reports and asks the catalog for it.
 */
public final class ChunkFunctions {
  /** Coordinates beyond this are not looked at: grouping by them is left to Spark. */
  private static final int MOST_COORDINATES = 1 << 20;

  private static final int MOST_REMEMBERED = 64;
  private static final Pattern OF_INDEX = Pattern.compile("chunk_(\\d{1,18})");

  private static final Map<String, ChunkFunction> REMEMBERED =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ChunkFunction> eldest) {
          return size() > MOST_REMEMBERED;
        }
      };

  private ChunkFunctions() {}

  /** The function of this name, if a scan has reported it not long ago. */
  public static Optional<ChunkFunction> find(String name) {
    if (OF_INDEX.matcher(name).matches() && !name.equals("chunk_0")) {
      return Optional.of(ChunkFunction.ofIndex(Long.parseLong(name.substring(6))));
    }
    synchronized (REMEMBERED) {
      return Optional.ofNullable(REMEMBERED.get(name));
    }
  }

  /**
   * The function of a dimension, unless its coordinates are of another kind than numbers or times,
   * hold NULL or NaN, or are not strictly ascending or descending: then one value may lie in
   * several chunks. Reads the coordinates.
   *
   * @param span indices in a group
   */
  static Optional<ChunkFunction> of(Dimension dimension, long span) {
    if (dimension.coordinate().isEmpty()) {
      return Optional.of(ChunkFunction.ofIndex(span));
    }
    Coordinate coordinate = dimension.coordinate().get();
    DataType type = SparkTypes.of(coordinate.type());
    boolean whole =
        type instanceof IntegralType
            || type instanceof TimestampType
            || type instanceof TimestampNTZType;
    boolean isNumber = whole || ChunkFunction.isFloating(type);
    if (!isNumber || coordinate.length() > MOST_COORDINATES) {
      return Optional.empty();
    }
    DecodedColumn values = coordinate.values();
    for (int i = 0; i < values.count(); i++) {
      if (values.isNull(i)) {
        return Optional.empty();
      }
    }
    Optional<ChunkFunction> function =
        whole ? ofLongs(values, type, span) : ofDoubles(values, type, span);
    function.ifPresent(
        made -> {
          synchronized (REMEMBERED) {
            REMEMBERED.put(made.name(), made);
          }
        });
    return function;
  }

  private static Optional<ChunkFunction> ofLongs(DecodedColumn column, DataType type, long span) {
    long[] values = new long[column.count()];
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES);
    for (int i = 0; i < values.length; i++) {
      values[i] = column.longAt(i);
      bytes.putLong(values[i]);
      if (i > 0
          && (values[i] == values[i - 1] || values[i] > values[i - 1] != isAscending(values))) {
        return Optional.empty();
      }
    }
    return Optional.of(ChunkFunction.ofLongs(span, type, values, digest(bytes)));
  }

  private static boolean isAscending(long[] values) {
    return values[1] > values[0];
  }

  private static Optional<ChunkFunction> ofDoubles(DecodedColumn column, DataType type, long span) {
    double[] values = new double[column.count()];
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Double.BYTES);
    for (int i = 0; i < values.length; i++) {
      double value = column.doubleAt(i);
      values[i] = value == 0 ? 0.0 : value; // SQL knows one zero.
      bytes.putDouble(values[i]);
      boolean follows =
          i == 0 || (values[1] > values[0] ? values[i] > values[i - 1] : values[i] < values[i - 1]);
      if (!follows || Double.isNaN(value)) {
        return Optional.empty();
      }
    }
    return Optional.of(ChunkFunction.ofDoubles(span, type, values, digest(bytes)));
  }

  private static String digest(ByteBuffer bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes.flip());
      return HexFormat.of().formatHex(digest.digest(), 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
