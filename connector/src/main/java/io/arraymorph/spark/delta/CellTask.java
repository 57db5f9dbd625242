package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.table.CellsWriter;
import io.arraymorph.delta.table.FlatFileWriter;
import io.arraymorph.delta.table.PaperFileWriter;
import io.arraymorph.delta.table.PieceFile;
import io.arraymorph.delta.table.PieceWriter;
import io.arraymorph.delta.table.TableForm;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
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
 * @param form of the table, which decides what a row is
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
    TableForm form)
    implements FlatMapFunction<Iterator<InternalRow>, PieceFile> {
  private static final int ENOUGH_CELLS = 1 << 20;
  private static final int MOST_CELLS = 1 << 22;

  @Override
  public Iterator<PieceFile> call(Iterator<InternalRow> rows) {
    return encoded(rows).iterator();
  }

  /** The files of these rows; in the driver where there is no row and so no task. */
  List<PieceFile> encoded(Iterator<InternalRow> rows) {
    TensorHeader tensor = HeaderJson.read(header);
    CellsWriter output = output(tensor);
    try {
      Encoding encoding = new Encoding(tensor, output);
      while (rows.hasNext()) {
        encoding.add(rows.next());
      }
      encoding.flush(/* last= */ true);
      return new ArrayList<>(output.finish());
    } catch (RuntimeException e) {
      output.abort();
      throw e;
    }
  }

  /** Cells as encoded pieces. */
  private record Pieces(PieceWriter writer, TensorEncoder encoder) implements CellsWriter {
    @Override
    public void write(SparseTensor cells) {
      encoder.encode(cells.columns(), cells.count(), cells.values(), writer::write);
    }

    @Override
    public List<PieceFile> finish() {
      return writer.finish();
    }

    @Override
    public void abort() {
      writer.abort();
    }
  }

  private CellsWriter output(TensorHeader tensor) {
    StorePath table = ObjectStores.open(path, config);
    if (form == TableForm.FLAT) {
      return new FlatFileWriter(table, tensor);
    }
    if (form == TableForm.PAPER) {
      return new PaperFileWriter(table, tensor);
    }
    int rank = tensor.schema().shape().rank();
    TensorEncoder encoder =
        new TensorEncoder(
            tensor.schema(), tensor.layout(), (long) TaskContext.getPartitionId() << 40);
    if (rank > 0) {
      encoder.startingAt(growing, origin);
    }
    return new Pieces(
        new PieceWriter(table, tensor.tensorId(), rank, PieceWriter.Settings.DEFAULT), encoder);
  }

  /** Cells on their way into pieces. */
  private final class Encoding {
    private final TensorHeader tensor;
    private final CellsWriter output;
    private final boolean whole;
    private final int rank;
    private final DataType type;
    private CellBuffer cells;
    private final long[] cell;

    Encoding(TensorHeader tensor, CellsWriter output) {
      this.tensor = tensor;
      this.output = output;
      this.whole = form == TableForm.PAPER && TensorSave.isWhole(tensor);
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
      boolean chunked = tensor.layout().encoding() == TensorEncoding.FTSF;
      if (!whole
          && ((count >= MOST_CELLS && !chunked && !isLast(count))
              || (count >= ENOUGH_CELLS && startsBlock(count)))) {
        flush(/* last= */ false);
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

    /** A tensor that is written whole is written also if it has no cell. */
    void flush(boolean last) {
      if (cells.count() > 0 || (whole && last)) {
        output.write(SparseTensor.of(tensor.schema(), cells, duplicates, FillPolicy.KEEP));
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
