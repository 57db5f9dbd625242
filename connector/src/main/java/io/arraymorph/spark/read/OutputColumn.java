package io.arraymorph.spark.read;

import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** Where the values of one column of a scan come from. Travels to executors. */
sealed interface OutputColumn extends Serializable {

  /**
   * What depends on the index along one dimension: its coordinate, an auxiliary coordinate, or the
   * index itself.
   */
  final class Along implements OutputColumn {
    private static final long serialVersionUID = 1L;
    private final int dimension;
    private final DecodedColumn values;

    private Along(int dimension, DecodedColumn values) {
      this.dimension = dimension;
      this.values = values;
    }

    /** The values at each index. */
    static Along values(int dimension, DecodedColumn values) {
      return new Along(dimension, values);
    }

    /** The index. */
    static Along index(int dimension) {
      return new Along(dimension, null);
    }

    int dimension() {
      return dimension;
    }

    /** The values, or empty if the column is the index. */
    Optional<DecodedColumn> values() {
      return Optional.ofNullable(values);
    }

    /** The type of one value. */
    DataType type() {
      return SparkTypes.of(columnType());
    }

    /** The logical type of one value. */
    ColumnType columnType() {
      return values == null ? ColumnType.Scalar.LONG : values.type();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Along
          && dimension == ((Along) other).dimension
          && values == ((Along) other).values;
    }

    @Override
    public int hashCode() {
      return 31 * dimension + System.identityHashCode(values);
    }
  }

  /** Metadata column {@code _index}: the position along these dimensions. */
  record IndexStruct(List<Along> dimensions, StructType type) implements OutputColumn {}

  /** Metadata column {@code _coords}: all coordinates of a tensor row along these dimensions. */
  record CoordinatesStruct(List<Along> dimensions, StructType type) implements OutputColumn {}

  /** Metadata column {@code _chunk}. */
  record ChunkName() implements OutputColumn {}

  /**
   * The decoded value of a variable in each cell.
   *
   * @param variable position among the variables that are read
   * @param type as Spark wants it; fields of a struct may be missing
   */
  record Value(int variable, DataType type) implements OutputColumn {}

  /**
   * A tensor of a variable's values.
   *
   * @param variable position among the variables that are read, -1 if only the shape is wanted
   * @param cell the type of one value
   * @param type the struct as Spark wants it; {@code data} or {@code shape} may be missing
   */
  record Tensor(int variable, ColumnType cell, StructType type) implements OutputColumn {}
}
