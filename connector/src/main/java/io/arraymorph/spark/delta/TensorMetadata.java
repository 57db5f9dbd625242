package io.arraymorph.spark.delta;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.spark.RowMode;
import io.arraymorph.spark.read.StructVector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * The metadata columns of tensors, as arrays have them: {@code _index} with the position of the
 * row's first cell along each dimension, and {@code _coords} with the indices of all its cells
 * along each packed dimension. Fields of dimensions that a tensor lacks are NULL in its rows.
 */
final class TensorMetadata {
  static final String INDEX = "_index";
  static final String COORDINATES = "_coords";

  private TensorMetadata() {}

  /** True if a column is one of metadata. */
  static boolean isMetadata(String name) {
    return name.equals(INDEX) || name.equals(COORDINATES);
  }

  /** The metadata columns of a read. */
  static MetadataColumn[] columns(TensorColumns columns, RowMode rows) {
    List<StructField> positions = new ArrayList<>();
    List<StructField> coordinates = new ArrayList<>();
    DataType list = DataTypes.createArrayType(DataTypes.LongType, false);
    for (String dimension : columns.orderedDimensions()) {
      boolean everywhere = columns.isOfAll(dimension);
      positions.add(DataTypes.createStructField(dimension, DataTypes.LongType, !everywhere));
      if (rows.packs(dimension)) {
        coordinates.add(DataTypes.createStructField(dimension, list, !everywhere));
      }
    }
    List<MetadataColumn> all = new ArrayList<>();
    if (!positions.isEmpty()) {
      all.add(
          new Column(
              INDEX,
              DataTypes.createStructType(positions),
              "position of the row's first cell along each dimension"));
    }
    if (!coordinates.isEmpty()) {
      all.add(
          new Column(
              COORDINATES,
              DataTypes.createStructType(coordinates),
              "indices of the row's cells along each packed dimension"));
    }
    return all.toArray(MetadataColumn[]::new);
  }

  private record Column(String name, DataType dataType, String comment) implements MetadataColumn {
    @Override
    public boolean isNullable() {
      return false;
    }
  }

  /** The column {@code _index} of cells; of each field the vector is asked for. */
  static ColumnVector index(StructType type, Function<StructField, ColumnVector> fields) {
    ColumnVector[] children = new ColumnVector[type.size()];
    for (int i = 0; i < children.length; i++) {
      children[i] = fields.apply(type.fields()[i]);
    }
    return new StructVector(type, children);
  }

  /** The value of a metadata column in the row of a piece. */
  static InternalRow value(StructField column, List<String> dimensions, Hyperslab slab) {
    StructType type = (StructType) column.dataType();
    Object[] fields = new Object[type.size()];
    for (int i = 0; i < fields.length; i++) {
      int d = dimensions.indexOf(type.fields()[i].name());
      if (d >= 0) {
        fields[i] = column.name().equals(INDEX) ? slab.range(d).start() : indices(slab.range(d));
      }
    }
    return new GenericInternalRow(fields);
  }

  private static Object indices(IndexRange range) {
    long[] indices = new long[Math.toIntExact(range.count())];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = range.start() + i * range.stride();
    }
    return UnsafeArrayData.fromPrimitiveArray(indices);
  }
}
