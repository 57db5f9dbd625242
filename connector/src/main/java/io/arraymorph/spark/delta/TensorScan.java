package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.IndexRegion;
import io.arraymorph.spark.read.ClippedColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;

/** One scan of a tensor: which columns of which cells. Used on the driver. */
final class TensorScan implements Scan, Batch, ClippedColumns {
  /** Stored bytes that one task should read. */
  private static final long SPLIT_BYTES = 8L << 20;

  /** Cells, stored or not, that one task makes at a time. */
  private static final long DENSE_CELLS = 1L << 20;

  private static final int MOST_BOXES = 100_000;

  private final TensorSource source;
  private final StructType schema;
  private final IndexRegion region;
  private final boolean cellRows;
  private final boolean allCells;

  TensorScan(
      TensorSource source,
      StructType schema,
      IndexRegion region,
      boolean cellRows,
      boolean allCells) {
    this.source = source;
    this.schema = schema;
    this.region = region;
    this.cellRows = cellRows;
    this.allCells = allCells;
  }

  @Override
  public StructType readSchema() {
    return schema;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public String description() {
    return "arraymorph "
        + source
        + " "
        + source.tensor().header().layout().encoding().label()
        + " region "
        + region
        + (cellRows ? allCells ? ", all cells" : ", stored cells" : "");
  }

  @Override
  public InputPartition[] planInputPartitions() {
    List<InputPartition> partitions = new ArrayList<>();
    if (region.isEmpty()) {
      return new InputPartition[0];
    }
    if (cellRows && allCells) {
      for (Box box : boxes()) {
        IndexRegion part = region.clip(box);
        partitions.add(
            new TensorPartition(new ArrayList<>(source.tensor().files(part)), part, 0, 1));
      }
    } else {
      for (DataFile file : source.tensor().files(region)) {
        int shares = (int) Math.max(1, Math.min(64, file.size() / SPLIT_BYTES));
        for (int share = 0; share < shares; share++) {
          partitions.add(
              new TensorPartition(new ArrayList<>(List.of(file)), region, share, shares));
        }
      }
    }
    return partitions.toArray(InputPartition[]::new);
  }

  /** Cuts the region's bounds into boxes of bounded volume, slowest dimensions first. */
  private List<Box> boxes() {
    int rank = region.rank();
    long[] step = new long[rank];
    long left = DENSE_CELLS;
    for (int d = rank - 1; d >= 0; d--) {
      long extent = region.last(d) - region.first(d) + 1;
      step[d] = Math.max(1, Math.min(extent, left));
      left = Math.max(1, left / step[d]);
    }
    List<Box> boxes = new ArrayList<>();
    cut(new long[rank], new long[rank], step, 0, boxes);
    return boxes;
  }

  private void cut(long[] low, long[] high, long[] step, int d, List<Box> boxes) {
    if (d == low.length) {
      if (boxes.size() == MOST_BOXES) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            "all cells of "
                + source
                + " in "
                + region
                + " are more than "
                + MOST_BOXES * DENSE_CELLS,
            "Use cells=stored, or a narrower predicate");
      }
      boxes.add(Box.of(low, high));
      return;
    }
    for (long from = region.first(d); from <= region.last(d); from += step[d]) {
      low[d] = from;
      high[d] = Math.min(region.last(d), from + step[d] - 1);
      cut(low, high, step, d + 1, boxes);
    }
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new TensorReaderFactory(
        source.path(),
        source.config(),
        HeaderJson.write(source.tensor().header()),
        schema,
        cellRows,
        allCells);
  }

  @Override
  public Set<String> packedColumns() {
    return cellRows ? Set.of() : Set.copyOf(source.tensor().schema().dimensionNames());
  }

  @Override
  public Set<String> packedIndexFields() {
    return Set.of();
  }

  @Override
  public String source() {
    return source.toString();
  }
}
