package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What has to be known of all rows before the first can be written: the coordinates that occur, and
 * the largest index. One Spark job over the columns concerned, or none.
 */
final class RowSurvey {
  /** As many coordinates as fit a driver's memory. */
  private static final long MOST_COORDINATES = 1L << 24;

  private final Map<String, List<Object>> keys = new HashMap<>();
  private final Map<String, Long> extents = new HashMap<>();

  /** What to look for along a dimension. */
  enum Question {
    NOTHING,
    /** The distinct coordinates, ascending. */
    KEYS,
    /** The coordinates of pieces, from column {@code _coords}. */
    PACKED_KEYS,
    /** One past the largest index. */
    EXTENT
  }

  private RowSurvey() {}

  /**
   * Asks one question for each dimension.
   *
   * @throws ArrayMorphException INVALID_OPTION for coordinates without order, TOO_LARGE
   */
  static RowSurvey of(Dataset<Row> data, InputColumns input, List<Question> questions) {
    RowSurvey survey = new RowSurvey();
    List<String> expressions = new ArrayList<>();
    for (int d = 0; d < questions.size(); d++) {
      String name = input.dimensions().get(d);
      expression(input, name, questions.get(d)).ifPresent(expressions::add);
    }
    if (expressions.isEmpty()) {
      return survey;
    }
    Row row = data.selectExpr(expressions.toArray(String[]::new)).collectAsList().get(0);
    int column = 0;
    for (int d = 0; d < questions.size(); d++) {
      String name = input.dimensions().get(d);
      switch (questions.get(d)) {
        case KEYS:
          survey.keys.put(name, sorted(name, row.getList(column++)));
          break;
        case PACKED_KEYS:
          survey.keys.put(name, joined(name, row.getList(column++)));
          break;
        case EXTENT:
          long extent = row.isNullAt(column) ? 0 : row.getLong(column) + 1;
          survey.extents.put(name, Math.max(0, extent));
          column++;
          break;
        case NOTHING:
          break;
      }
    }
    return survey;
  }

  private static Optional<String> expression(
      InputColumns input, String dimension, Question question) {
    StructField field = input.dimensionFields().get(dimension);
    switch (question) {
      case KEYS:
        return Optional.of(
            "collect_set("
                + DimensionKey.expression(SqlNames.quote(field.name()), field.dataType())
                + ")");
      case PACKED_KEYS:
        StructField coordinates = input.coordinates().orElseThrow();
        StructType type = (StructType) coordinates.dataType();
        DataType element = ((ArrayType) type.apply(dimension).dataType()).elementType();
        return Optional.of(
            "collect_set(transform("
                + SqlNames.quote(coordinates.name())
                + "."
                + SqlNames.quote(dimension)
                + ", x -> "
                + DimensionKey.expression("x", element)
                + "))");
      case EXTENT:
        return Optional.of("max(CAST(" + SqlNames.quote(field.name()) + " AS BIGINT))");
      default:
        return Optional.empty();
    }
  }

  /** The distinct coordinates along a dimension in the order of their indices. */
  List<Object> keys(String dimension) {
    return keys.get(dimension);
  }

  /** One past the largest index along a dimension, if that was asked. */
  Optional<Long> extent(String dimension) {
    return Optional.ofNullable(extents.get(dimension));
  }

  private static List<Object> sorted(String dimension, List<Object> found) {
    require(dimension, found);
    List<Object> keys = new ArrayList<>(found);
    keys.sort(RowSurvey::compare);
    return keys;
  }

  /** The coordinates of pieces one after the other; ascending or descending as the pieces are. */
  private static List<Object> joined(String dimension, List<Object> found) {
    List<List<Object>> pieces = new ArrayList<>();
    for (Object piece : found) {
      List<Object> keys = asList(piece);
      require(dimension, keys);
      if (!keys.isEmpty()) {
        pieces.add(keys);
      }
    }
    boolean descends =
        pieces.stream()
            .anyMatch(piece -> piece.size() > 1 && compare(piece.get(0), piece.get(1)) > 0);
    pieces.sort((one, other) -> compare(one.get(0), other.get(0)));
    if (descends) {
      Collections.reverse(pieces);
    }
    List<Object> keys = new ArrayList<>();
    for (List<Object> piece : pieces) {
      for (Object key : piece) {
        int step = keys.isEmpty() ? 1 : compare(key, keys.get(keys.size() - 1));
        if ((descends && !keys.isEmpty() ? -step : step) <= 0) {
          throw new ArrayMorphException(
              ErrorCode.INVALID_OPTION,
              "the pieces' coordinates along " + dimension + " overlap or have no order at " + key,
              "Cut the pieces along chunks of one grid, or give integer indices instead");
        }
        keys.add(key);
      }
    }
    return keys;
  }

  /** What Spark returns for a nested array differs between Scala versions; both are a Seq. */
  private static List<Object> asList(Object piece) {
    return org.apache.spark.sql.RowFactory.create(piece).getList(0);
  }

  private static void require(String dimension, List<Object> keys) {
    if (keys.size() > MOST_COORDINATES) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "dimension " + dimension + " has " + keys.size() + " coordinates",
          "Give integer indices along it");
    }
    for (Object key : keys) {
      if (key == null || (key instanceof Double && Double.isNaN((Double) key))) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "dimension " + dimension + " has the coordinate " + key,
            "Give every row a coordinate that has a place in their order");
      }
    }
  }

  /** Orders keys of one kind. */
  static int compare(Object one, Object other) {
    if (one instanceof Long) {
      return Long.compare((Long) one, (Long) other);
    } else if (one instanceof Double) {
      return Double.compare((Double) one, (Double) other);
    }
    return ((String) one).compareTo((String) other);
  }
}
