package io.arraymorph.spark.delta;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorDecoder;
import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.table.TableReader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementVectors;
import io.arraymorph.delta.tensor.IndexRegion;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;

/** Chunks of a dense tensor as rows, clipped to a region. */
final class ChunkRowReader implements PartitionReader<InternalRow> {
  private final TensorRows rows;
  private final TensorDecoder decoder;
  private final IndexRegion region;
  private final Iterator<Piece> pieces;
  private Iterator<Hyperslab> slabs = List.<Hyperslab>of().iterator();
  private Elements chunk;
  private Box box;
  private InternalRow current;

  ChunkRowReader(TableReader reader, TensorPart.Chunks part, TensorRows rows) {
    this.rows = rows;
    this.decoder = new TensorDecoder(rows.header().schema(), rows.header().layout());
    this.region = part.region();
    List<Piece> found = new ArrayList<>();
    for (DataFile file : part.files()) {
      reader.pieces(
          file, rows.header().tensorId(), region, part.share(), part.shares(), found::add);
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
    Hyperslab slab = slabs.next();
    current = rows.row(slab, () -> elements(slab));
    return true;
  }

  private Elements elements(Hyperslab slab) {
    int count = Math.toIntExact(slab.elementCount());
    return count == chunk.count()
        ? chunk
        : ElementVectors.gather(chunk, places(slab, count), 0, count);
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
