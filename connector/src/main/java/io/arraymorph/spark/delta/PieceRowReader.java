package io.arraymorph.spark.delta;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.delta.encoding.TensorDecoder;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.table.TableReader;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IndexRegion;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;

/**
 * A piece of a tensor as dense rows, the fill value where nothing is stored: one row, or one for
 * each hyperslab of the region.
 */
final class PieceRowReader implements PartitionReader<InternalRow> {
  private final TensorRows rows;
  private final boolean fills;
  private final IndexRegion region;
  private final CellBuffer stored;
  private final Elements values;
  private final Iterator<Hyperslab> slabs;

  /** The stored cells of each hyperslab. */
  private final Iterator<List<Integer>> cells;

  private InternalRow current;

  PieceRowReader(TableReader reader, TensorPart.Piece part, TensorRows rows) {
    this.rows = rows;
    this.fills = part.fills();
    this.region = part.region();
    TensorHeader header = rows.header();
    this.stored = new CellBuffer(region.rank(), header.schema().dataType());
    TensorDecoder decoder = new TensorDecoder(header.schema(), header.layout());
    for (DataFile file : part.files()) {
      reader.pieces(
          file, header.tensorId(), region, piece -> decoder.decode(piece, region, stored));
    }
    this.values = stored.values().toElements();
    this.slabs = OrthogonalSelection.of(region.indices()).hyperslabs().iterator();
    this.cells = cellsOfSlabs().iterator();
  }

  /** In the order of the hyperslabs: the ranges of the last dimension change first. */
  private List<List<Integer>> cellsOfSlabs() {
    int rank = region.rank();
    int slabCount = 1;
    int[][] rangeAt = new int[rank][];
    for (int d = 0; d < rank; d++) {
      long first = region.first(d);
      rangeAt[d] = new int[Math.toIntExact(region.last(d) - first + 1)];
      List<IndexRange> ranges = region.indices(d).ranges();
      slabCount = Math.multiplyExact(slabCount, ranges.size());
      for (int r = 0; r < ranges.size(); r++) {
        for (long i = ranges.get(r).start();
            i < ranges.get(r).stop();
            i += ranges.get(r).stride()) {
          rangeAt[d][(int) (i - first)] = r;
        }
      }
    }
    List<List<Integer>> cellsOf = new ArrayList<>();
    IntStream.range(0, slabCount).forEach(s -> cellsOf.add(new ArrayList<>()));
    for (int i = 0; i < stored.count(); i++) {
      int slab = 0;
      for (int d = 0; d < rank; d++) {
        int range = rangeAt[d][(int) (stored.column(d)[i] - region.first(d))];
        slab = slab * region.indices(d).ranges().size() + range;
      }
      cellsOf.get(slab).add(i);
    }
    return cellsOf;
  }

  @Override
  public boolean next() {
    while (slabs.hasNext()) {
      Hyperslab slab = slabs.next();
      List<Integer> inside = cells.next();
      if (fills || !inside.isEmpty()) {
        current = rows.row(slab, () -> dense(slab, inside));
        return true;
      }
    }
    return false;
  }

  private Elements dense(Hyperslab slab, List<Integer> inside) {
    int volume = Math.toIntExact(slab.elementCount());
    int[] cellAt = new int[volume];
    for (int i : inside) {
      long place = 0;
      for (int d = 0; d < slab.rank(); d++) {
        IndexRange range = slab.range(d);
        long position = (stored.column(d)[i] - range.start()) / range.stride();
        place = place * range.count() + position;
      }
      if (cellAt[(int) place] != 0) {
        throw CellBatchReader.twice(rows.header(), stored, i);
      }
      cellAt[(int) place] = i + 1;
    }
    Elements fill = rows.header().schema().fill();
    ElementBuffer packed = new ElementBuffer(rows.header().schema().dataType());
    for (int cell : cellAt) {
      packed.append(cell == 0 ? fill : values, Math.max(0, cell - 1));
    }
    return packed.toElements();
  }

  @Override
  public InternalRow get() {
    return current;
  }

  @Override
  public void close() {}
}
