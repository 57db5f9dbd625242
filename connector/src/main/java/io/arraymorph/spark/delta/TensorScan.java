package io.arraymorph.spark.delta;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.DataFile;
import io.arraymorph.delta.table.DeltaTensor;
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

/** One scan of tensors: which columns of which cells. Used on the driver. */
final class TensorScan implements Scan, Batch, ClippedColumns {
  /** Stored bytes that one task should read. */
  private static final long SPLIT_BYTES = 8L << 20;

  /** Smaller shares of files go into one task together. */
  private static final long SMALL_BYTES = 1L << 20;

  /** Cells, stored or not, that one task makes at a time. */
  private static final long DENSE_CELLS = 1L << 20;

  private static final int SHOWN = 5;

  private final TensorRead read;
  private final StructType schema;
  private final List<Selection> selections;

  /**
   * @param selections the cells of each tensor
   */
  TensorScan(TensorRead read, StructType schema, List<Selection> selections) {
    this.read = read;
    this.schema = schema;
    this.selections = selections;
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
    StringBuilder text = new StringBuilder("arraymorph " + read + " rows " + read.rows());
    int shown = 0;
    for (int t = 0; t < selections.size(); t++) {
      if (!selections.get(t).isEmpty() && shown++ < SHOWN) {
        TensorHeader header = read.columns().header(t);
        text.append(shown > 1 ? "; " : ", ")
            .append(header.tensorId())
            .append(' ')
            .append(header.layout().encoding().label())
            .append(" region ")
            .append(selections.get(t));
      }
    }
    if (shown > SHOWN) {
      text.append("; and ").append(shown - SHOWN).append(" more");
    }
    return text.append(read.allCells() ? ", all cells" : ", stored cells").toString();
  }

  @Override
  public InputPartition[] planInputPartitions() {
    TaskGroups groups = new TaskGroups();
    for (int t = 0; t < selections.size(); t++) {
      DeltaTensor tensor = read.tensors().get(t);
      byte[] header = HeaderJson.write(tensor.header());
      for (OrthogonalSelection part : selections.get(t).parts()) {
        plan(tensor, header, region(part), groups);
      }
    }
    return groups.partitions();
  }

  private static IndexRegion region(OrthogonalSelection part) {
    List<IndexSet> indices = new ArrayList<>();
    for (int d = 0; d < part.rank(); d++) {
      indices.add(part.indices(d));
    }
    return new IndexRegion(indices);
  }

  private void plan(DeltaTensor tensor, byte[] header, IndexRegion region, TaskGroups groups) {
    if (read.cells() && read.allCells()) {
      PieceGrid grid = PieceGrid.ofCells(tensor.schema().shape(), DENSE_CELLS);
      for (IndexRegion box : grid.cut(region, "all cells of " + read)) {
        groups.alone(new TensorPart.AllCells(header, new ArrayList<>(tensor.files(box)), box));
      }
    } else if (read.cells() || read.isByChunks(tensor.header())) {
      for (DataFile file : tensor.files(region)) {
        int shares = (int) Math.max(1, Math.min(64, file.size() / SPLIT_BYTES));
        ArrayList<DataFile> one = new ArrayList<>(List.of(file));
        for (int share = 0; share < shares; share++) {
          TensorPart part =
              read.cells()
                  ? new TensorPart.StoredCells(header, one, region, share, shares)
                  : new TensorPart.Chunks(header, one, region, share, shares);
          groups.add(part, file.size() / shares, SMALL_BYTES);
        }
      }
    } else {
      for (IndexRegion box : read.grid(tensor.header()).cut(region, "rows of " + read)) {
        ArrayList<DataFile> files = new ArrayList<>(tensor.files(box));
        if (read.allCells() || !files.isEmpty()) {
          groups.add(
              new TensorPart.Piece(header, files, box, read.allCells()), volume(box), DENSE_CELLS);
        }
      }
    }
  }

  private static long volume(IndexRegion region) {
    return OrthogonalSelection.of(region.indices()).elementCount();
  }

  /** Puts small parts together into tasks. */
  private static final class TaskGroups {
    private final List<InputPartition> done = new ArrayList<>();
    private ArrayList<TensorPart> open = new ArrayList<>();
    private long weight;

    void alone(TensorPart part) {
      done.add(new TensorPartition(new ArrayList<>(List.of(part))));
    }

    void add(TensorPart part, long partWeight, long most) {
      if (weight + partWeight > most) {
        close();
      }
      open.add(part);
      weight += partWeight;
    }

    private void close() {
      if (!open.isEmpty()) {
        done.add(new TensorPartition(open));
        open = new ArrayList<>();
      }
      weight = 0;
    }

    InputPartition[] partitions() {
      close();
      return done.toArray(InputPartition[]::new);
    }
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new TensorReaderFactory(read.path(), read.config(), schema, read.cells());
  }

  @Override
  public Set<String> packedColumns() {
    return read.packed();
  }

  @Override
  public Set<String> packedIndexFields() {
    return read.columns().hasMetadata() ? read.packed() : Set.of();
  }

  @Override
  public String source() {
    return read.toString();
  }
}
