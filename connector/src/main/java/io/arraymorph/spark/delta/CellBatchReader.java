package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorDecoder;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.table.TableReader;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.IndexRegion;
import io.arraymorph.delta.tensor.IntegerElements;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.Validity;
import io.arraymorph.spark.read.DecodedColumnVector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.apache.spark.unsafe.types.UTF8String;

/** Cells of a tensor as column batches: the stored ones, or all with the fill value. */
final class CellBatchReader implements PartitionReader<ColumnarBatch> {
  private static final int BATCH_CELLS = 32_768;

  private final TableReader reader;
  private final TensorHeader header;
  private final TensorPart partition;
  private final StructType schema;
  private final TensorDecoder decoder;
  private final CfDecoding values;
  private final Iterator<CellBuffer> batches;
  private ColumnarBatch current;

  CellBatchReader(
      TableReader reader, TensorHeader header, TensorPart partition, StructType schema) {
    this.reader = reader;
    this.header = header;
    this.partition = partition;
    this.schema = schema;
    this.decoder = new TensorDecoder(header.schema(), header.layout());
    this.values = CfDecoding.raw(header.schema().dataType());
    this.batches =
        partition instanceof TensorPart.StoredCells
            ? storedCells((TensorPart.StoredCells) partition)
            : List.of(allCells()).iterator();
  }

  /** The stored cells, cut into batches of at least so many cells. */
  private Iterator<CellBuffer> storedCells(TensorPart.StoredCells part) {
    List<Piece> pieces = new ArrayList<>();
    for (DataFile file : part.files()) {
      reader.pieces(
          file, header.tensorId(), part.region(), part.share(), part.shares(), pieces::add);
    }
    Iterator<Piece> left = pieces.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return left.hasNext();
      }

      @Override
      public CellBuffer next() {
        CellBuffer cells = empty();
        while (left.hasNext() && cells.count() < BATCH_CELLS) {
          decoder.decode(left.next(), part.region(), cells);
        }
        return cells;
      }
    };
  }

  private CellBuffer empty() {
    return new CellBuffer(header.schema().shape().rank(), header.schema().dataType());
  }

  /** Every cell of the partition's region, of which there are few enough. */
  private CellBuffer allCells() {
    IndexRegion region = partition.region();
    CellBuffer stored = empty();
    for (DataFile file : partition.files()) {
      reader.pieces(
          file, header.tensorId(), region, piece -> decoder.decode(piece, region, stored));
    }
    ArraySchema all = header.schema();
    int rank = region.rank();
    long[] extent = new long[rank];
    for (int d = 0; d < rank; d++) {
      extent[d] = region.last(d) - region.first(d) + 1;
    }
    int volume = Math.toIntExact(Shape.of(extent).elementCount());
    int[] cellAt = new int[volume];
    for (int i = 0; i < stored.count(); i++) {
      long place = 0;
      for (int d = 0; d < rank; d++) {
        place = place * extent[d] + stored.column(d)[i] - region.first(d);
      }
      if (cellAt[(int) place] != 0) {
        throw twice(header, stored, i);
      }
      cellAt[(int) place] = i + 1;
    }
    Elements storedValues = stored.values().toElements();
    CellBuffer cells = empty();
    long[] cell = new long[rank];
    for (int place = 0; place < volume; place++) {
      long rest = place;
      boolean inside = true;
      for (int d = rank - 1; d >= 0; d--) {
        cell[d] = region.first(d) + rest % extent[d];
        rest /= extent[d];
        inside &= region.contains(d, cell[d]);
      }
      if (inside) {
        cells.append(cell);
        int from = cellAt[place] - 1;
        cells.values().append(from < 0 ? all.fill() : storedValues, Math.max(0, from));
      }
    }
    return cells;
  }

  /** Which of two rows with one cell is meant cannot be told. */
  static ArrayMorphException twice(TensorHeader header, CellBuffer cells, int i) {
    long[] cell = new long[cells.rank()];
    for (int d = 0; d < cell.length; d++) {
      cell[d] = cells.column(d)[i];
    }
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "two rows of the table hold the cell "
            + Arrays.toString(cell)
            + " of tensor '"
            + header.tensorId()
            + "'",
        "Rows were copied by another program; go back to an earlier version of the table");
  }

  @Override
  public boolean next() {
    while (batches.hasNext()) {
      CellBuffer cells = batches.next();
      if (cells.count() > 0) {
        current = batch(cells);
        return true;
      }
    }
    return false;
  }

  private ColumnarBatch batch(CellBuffer cells) {
    List<String> dimensions = header.schema().dimensionNames();
    ColumnVector[] vectors = new ColumnVector[schema.size()];
    int column = 0;
    for (StructField field : schema.fields()) {
      if (dimensions.contains(field.name())) {
        vectors[column++] = dimension(cells, field);
      } else if (field.name().equals(TensorMetadata.INDEX)) {
        vectors[column++] =
            TensorMetadata.index((StructType) field.dataType(), f -> dimension(cells, f));
      } else if (field.name().equals(TensorMetadata.CHUNK)) {
        vectors[column++] = TensorMetadata.chunks(header.layout(), cells);
      } else if (field.name().equals(TensorColumns.valueColumn(header))) {
        vectors[column++] = new DecodedColumnVector(values.decode(cells.values().toElements()));
      } else {
        vectors[column++] = constant(field, cells.count());
      }
    }
    return new ColumnarBatch(vectors, cells.count());
  }

  /** The indices along a dimension, NULL if it is one of other tensors. */
  private ColumnVector dimension(CellBuffer cells, StructField field) {
    int d = header.schema().dimensionNames().indexOf(field.name());
    return d >= 0 ? new DecodedColumnVector(indices(cells, d)) : constant(field, cells.count());
  }

  /** The id of the tensor, or NULL for a column of other tensors. */
  private ColumnVector constant(StructField field, int count) {
    ConstantColumnVector constant = new ConstantColumnVector(count, field.dataType());
    if (field.name().equals(TensorColumns.TENSOR)) {
      constant.setNotNull();
      constant.setUtf8String(UTF8String.fromString(header.tensorId()));
    } else {
      constant.setNull();
    }
    return constant;
  }

  private static DecodedColumn indices(CellBuffer cells, int dimension) {
    byte[] bytes = new byte[8 * cells.count()];
    long[] column = cells.column(dimension);
    for (int i = 0; i < cells.count(); i++) {
      IntegerElements.write(bytes, 8 * i, 8, column[i]);
    }
    return DecodedColumn.fixed(ColumnType.Scalar.LONG, cells.count(), bytes, 0, Validity.ALL);
  }

  @Override
  public ColumnarBatch get() {
    return current;
  }

  @Override
  public void close() {}
}
