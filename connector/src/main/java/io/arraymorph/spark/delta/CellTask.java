package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.table.FlatFileWriter;
import io.arraymorph.delta.table.PieceFile;
import io.arraymorph.delta.table.PieceWriter;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * Encodes the cells of one task and writes their files; rows come with equal cells, and the cells
 * of one block, next to each other. Memory is bounded: some million cells at a time.
 *
 * @param path of the table
 * @param header JSON of the tensor's header
 * @param duplicates what to do with two values for one cell
 * @param growing the dimension appended along
 * @param origin the length that it had before
 * @param flat true if cells become rows of a flat table
 */
// Sent to tasks, never compared.
@SuppressWarnings("ArrayRecordComponent")
record CellTask(
    String path,
    StoreConfig config,
    byte[] header,
    DuplicatePolicy duplicates,
    int growing,
    long origin,
    boolean flat)
    implements FlatMapFunction<Iterator<InternalRow>, PieceFile> {
  private static final int ENOUGH_CELLS = 1 << 20;
  private static final int MOST_CELLS = 1 << 22;

  @Override
  public Iterator<PieceFile> call(Iterator<InternalRow> rows) {
    TensorHeader tensor = HeaderJson.read(header);
    PieceWriter writer =
        new PieceWriter(
            ObjectStores.open(path, config),
            tensor.tensorId(),
            tensor.schema().shape().rank(),
            PieceWriter.Settings.DEFAULT);
    FlatFileWriter cells = new FlatFileWriter(ObjectStores.open(path, config), tensor);
    try {
      Encoding encoding = new Encoding(tensor, writer, cells);
      while (rows.hasNext()) {
        encoding.add(rows.next());
      }
      encoding.flush();
      return new ArrayList<>(flat ? cells.finish() : writer.finish()).iterator();
    } catch (RuntimeException e) {
      writer.abort();
      cells.abort();
      throw e;
    }
  }

  /** Cells on their way into pieces. */
  private final class Encoding {
    private final TensorHeader tensor;
    private final PieceWriter writer;
    private final FlatFileWriter flatWriter;
    private final TensorEncoder encoder;
    private final int rank;
    private final DataType type;
    private CellBuffer cells;
    private final long[] cell;

    Encoding(TensorHeader tensor, PieceWriter writer, FlatFileWriter flatWriter) {
      this.tensor = tensor;
      this.writer = writer;
      this.flatWriter = flatWriter;
      this.encoder =
          new TensorEncoder(
              tensor.schema(), tensor.layout(), (long) TaskContext.getPartitionId() << 40);
      if (tensor.schema().shape().rank() > 0) {
        encoder.startingAt(growing, origin);
      }
      this.rank = tensor.schema().shape().rank();
      this.type = tensor.schema().dataType();
      this.cells = new CellBuffer(rank, type);
      this.cell = new long[rank];
    }

    void add(InternalRow row) {
      for (int d = 0; d <= rank; d++) {
        if (row.isNullAt(d)) {
          throw new ArrayMorphException(
              ErrorCode.TYPE_MISMATCH,
              "a cell of tensor '"
                  + tensor.tensorId()
                  + "' has NULL as "
                  + (d == rank ? "value" : tensor.schema().dimensionNames().get(d)),
              "Filter such rows out, or give the value that they stand for");
        }
      }
      for (int d = 0; d < rank; d++) {
        cell[d] = row.getLong(d);
      }
      int count = cells.count();
      // A chunk of FTSF is one row: its cells must come together.
      boolean whole = tensor.layout().encoding() == TensorEncoding.FTSF;
      if ((count >= MOST_CELLS && !whole && !isLast(count))
          || (count >= ENOUGH_CELLS && startsBlock(count))) {
        flush();
      }
      cells.append(cell);
      ElementAppender.append(row, rank, type, cells.values());
    }

    private boolean isLast(int count) {
      for (int d = 0; d < rank; d++) {
        if (cells.column(d)[count - 1] != cell[d]) {
          return false;
        }
      }
      return true;
    }

    private boolean startsBlock(int count) {
      TensorLayout layout = tensor.layout();
      for (int d = 0; d < rank; d++) {
        long length = layout.encoding().usesBlocks() ? layout.block().length(d) : 1;
        if (cells.column(d)[count - 1] / length != cell[d] / length) {
          return true;
        }
      }
      return false;
    }

    void flush() {
      if (cells.count() > 0) {
        SparseTensor some = SparseTensor.of(tensor.schema(), cells, duplicates, FillPolicy.KEEP);
        if (flat) {
          flatWriter.write(some);
        } else {
          encoder.encode(some.columns(), some.count(), some.values(), writer::write);
        }
        cells = new CellBuffer(rank, type);
      }
    }
  }

  /** Names the path only, for the settings may hold credentials. */
  @Override
  public String toString() {
    return "CellTask[" + path + "]";
  }

  /** What the tasks of a job wrote. */
  static long cells(List<PieceFile> files) {
    return files.stream().mapToLong(PieceFile::cells).sum();
  }
}
