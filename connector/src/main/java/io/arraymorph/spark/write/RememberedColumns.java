package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The columns that a session catalog remembers of a table: what it reads later must have them.
 *
 * <p>Such a catalog keeps the columns of the statement that made the table, where ours asks the
 * array. Integers that count positions are read as BIGINT and dates as timestamps, so a table made
 * of those could never be read.
 */
public final class RememberedColumns implements ArrayWriteBuilder.Replacement {
  private final StructType columns;

  /**
   * @param columns as the catalog gives them
   */
  public RememberedColumns(StructType columns) {
    this.columns = columns;
  }

  /** A group, in which a single array keeps the name of its column. */
  @Override
  public Map<String, String> layout() {
    return Map.of("group", "true");
  }

  /** Integers that were coordinates when the table was made are coordinates. */
  @Override
  public Dataset<Row> columns(Dataset<Row> rows) {
    Dataset<Row> described = rows;
    for (StructField field : columns.fields()) {
      if (field.metadata().contains("coordinate")
          && List.of(rows.columns()).contains(field.name())) {
        described = described.withMetadata(field.name(), field.metadata());
      }
    }
    return described;
  }

  /**
   * Makes sure that a new array is read with the remembered columns.
   *
   * @param input the columns that are about to be written
   * @throws ArrayMorphException TYPE_MISMATCH, INVALID_OPTION naming column and remedy
   */
  void requireReadable(InputColumns input) {
    for (StructField dimension : input.dimensionFields().values()) {
      boolean isPosition =
          DimensionKey.isIndex(dimension.dataType())
              && !dimension.metadata().contains("coordinate");
      require(dimension, isPosition ? DataTypes.LongType : readBack(dimension.dataType()));
    }
    for (StructField value : input.values()) {
      require(value, input.isTensors() ? value.dataType() : readBack(value.dataType()));
    }
  }

  private static DataType readBack(DataType type) {
    return type.equals(DataTypes.DateType) ? DataTypes.TimestampType : type;
  }

  private void require(StructField written, DataType read) {
    Optional<StructField> known =
        Arrays.stream(columns.fields())
            .filter(field -> field.name().equals(written.name()))
            .findFirst();
    DataType remembered = known.map(StructField::dataType).orElse(read);
    if (!remembered.catalogString().equals(read.catalogString())) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "column "
              + written.name()
              + " of the table is "
              + remembered.catalogString()
              + ", which this catalog remembers, but an array gives "
              + read.catalogString(),
          "Use CAST("
              + written.name()
              + " AS "
              + read.sql()
              + "), or make the table in a catalog of class"
              + " io.arraymorph.spark.ArrayMorphCatalog");
    }
  }
}
