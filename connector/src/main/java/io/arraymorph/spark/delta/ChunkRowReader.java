package io.arraymorph.spark.delta;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorDecoder;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.table.TableReader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.IndexRegion;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.spark.read.DecodedColumnVector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.vectorized.ColumnarArray;

/** Chunks of a dense tensor as rows, clipped to a region. */
final class ChunkRowReader implements PartitionReader<InternalRow> {
  private final TensorHeader header;
  private final StructType schema;
  private final TensorDecoder decoder;
  private final CfDecoding values;
  private final IndexRegion region;
  private final Iterator<Piece> pieces;
  private Iterator<Hyperslab> slabs = List.<Hyperslab>of().iterator();
  private Elements chunk;
  private Box box;
  private InternalRow current;

  ChunkRowReader(
      TableReader reader, TensorHeader header, TensorPartition partition, StructType schema) {
    this.header = header;
    this.schema = schema;
    this.decoder = new TensorDecoder(header.schema(), header.layout());
    this.values = CfDecoding.raw(header.schema().dataType());
    this.region = partition.region();
    List<Piece> found = new ArrayList<>();
    for (DataFile file : partition.files()) {
      reader.pieces(
          file, header.tensorId(), region, partition.share(), partition.shares(), found::add);
    }
    this.pieces = found.iterator();
  }

  @Override
  public boolean next() {
    while (!slabs.hasNext()) {
      if (!pieces.hasNext()) {
        return false;
      }
      Piece piece = pieces.next();
      box = piece.box();
      chunk = decoder.decodeDense(piece);
      slabs = OrthogonalSelection.of(region.clip(box).indices()).hyperslabs().iterator();
    }
    current = row(slabs.next());
    return true;
  }

  private InternalRow row(Hyperslab slab) {
    List<String> dimensions = header.schema().dimensionNames();
    Object[] cells = new Object[schema.size()];
    int column = 0;
    for (StructField field : schema.fields()) {
      int d = dimensions.indexOf(field.name());
      cells[column++] = d >= 0 ? (Object) slab.range(d).start() : tensor(slab, field);
    }
    return new GenericInternalRow(cells);
  }

  /** The struct with the fields that were asked for. */
  private InternalRow tensor(Hyperslab slab, StructField field) {
    StructType struct = (StructType) field.dataType();
    Object[] parts = new Object[struct.size()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = struct.fields()[i].name().equals("data") ? data(slab) : shape(slab);
    }
    return new GenericInternalRow(parts);
  }

  private static ArrayData shape(Hyperslab slab) {
    int[] shape = new int[slab.rank()];
    for (int d = 0; d < shape.length; d++) {
      shape[d] = Math.toIntExact(slab.range(d).count());
    }
    return UnsafeArrayData.fromPrimitiveArray(shape);
  }

  private ArrayData data(Hyperslab slab) {
    int count = Math.toIntExact(slab.elementCount());
    Elements packed = chunk;
    if (count != chunk.count()) {
      packed = ElementVectors.gather(chunk, places(slab, count), 0, count);
    }
    DecodedColumn column = values.decode(packed);
    return new ColumnarArray(new DecodedColumnVector(column), 0, count);
  }

  /** Where the elements of a slab lie in the chunk. */
  private int[] places(Hyperslab slab, int count) {
    int[] places = new int[count];
    int rank = slab.rank();
    long[] position = new long[rank];
    for (int i = 0; i < count; i++) {
      long place = 0;
      for (int d = 0; d < rank; d++) {
        long index = slab.range(d).start() + position[d] * slab.range(d).stride();
        place = place * box.extent(d) + index - box.low(d);
      }
      places[i] = (int) place;
      for (int d = rank - 1; d >= 0 && ++position[d] == slab.range(d).count(); d--) {
        position[d] = 0;
      }
    }
    return places;
  }

  @Override
  public InternalRow get() {
    return current;
  }

  @Override
  public void close() {}
}
