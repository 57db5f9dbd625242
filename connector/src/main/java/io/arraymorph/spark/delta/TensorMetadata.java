package io.arraymorph.spark.delta;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.spark.RowMode;
import io.arraymorph.spark.read.StructVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The metadata columns of tensors, as arrays have them: {@code _index} with the position of the
 * row's first cell along each dimension, {@code _coords} with the indices of all its cells along
 * each packed dimension, and {@code _chunk} with the place in the grid of the block that holds the
 * row's first cell. Fields of dimensions that a tensor lacks are NULL in its rows, and so is {@code
 * _chunk} if it is not stored in blocks.
 */
final class TensorMetadata {
  static final String INDEX = "_index";
  static final String COORDINATES = "_coords";
  static final String CHUNK = "_chunk";

  private TensorMetadata() {}

  /** True if a column is one of metadata. */
  static boolean isMetadata(String name) {
    return name.equals(INDEX) || name.equals(COORDINATES) || name.equals(CHUNK);
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
              false,
              DataTypes.createStructType(positions),
              "position of the row's first cell along each dimension"));
    }
    if (!coordinates.isEmpty()) {
      all.add(
          new Column(
              COORDINATES,
              false,
              DataTypes.createStructType(coordinates),
              "indices of the row's cells along each packed dimension"));
    }
    all.add(
        new Column(
            CHUNK,
            !columns.isAllInBlocks(),
            DataTypes.StringType,
            "block that holds the row's first cell"));
    return all.toArray(MetadataColumn[]::new);
  }

  private record Column(String name, boolean isNullable, DataType dataType, String comment)
      implements MetadataColumn {}

  /** The column {@code _index} of cells; of each field the vector is asked for. */
  static ColumnVector index(StructType type, Function<StructField, ColumnVector> fields) {
    ColumnVector[] children = new ColumnVector[type.size()];
    for (int i = 0; i < children.length; i++) {
      children[i] = fields.apply(type.fields()[i]);
    }
    return new StructVector(type, children);
  }

  /** The column {@code _chunk} of cells. */
  static ColumnVector chunks(TensorLayout layout, CellBuffer cells) {
    WritableColumnVector names = new OnHeapColumnVector(cells.count(), DataTypes.StringType);
    if (!layout.encoding().usesBlocks()) {
      names.putNulls(0, cells.count());
      return names;
    }
    long[] block = new long[cells.rank()];
    byte[] name = null;
    for (int i = 0; i < cells.count(); i++) {
      boolean same = name != null;
      for (int d = 0; d < block.length; d++) {
        long at = cells.column(d)[i] / layout.block().length(d);
        same &= at == block[d];
        block[d] = at;
      }
      if (!same) {
        name = name(block).getBytes();
      }
      names.putByteArray(i, name);
    }
    return names;
  }

  private static UTF8String name(long[] block) {
    return UTF8String.fromString(
        Arrays.stream(block).mapToObj(Long::toString).collect(Collectors.joining("/")));
  }

  private static UTF8String chunk(TensorLayout layout, Hyperslab slab) {
    if (!layout.encoding().usesBlocks()) {
      return null;
    }
    long[] block = new long[slab.rank()];
    Arrays.setAll(block, d -> slab.range(d).start() / layout.block().length(d));
    return name(block);
  }

  /** The value of a metadata column in the row of a piece. */
  static Object value(StructField column, TensorHeader header, Hyperslab slab) {
    if (column.name().equals(CHUNK)) {
      return chunk(header.layout(), slab);
    }
    List<String> dimensions = header.schema().dimensionNames();
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
