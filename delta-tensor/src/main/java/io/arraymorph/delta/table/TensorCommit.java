package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.TensorHeader;
import io.delta.kernel.DataWriteContext;
import io.delta.kernel.Operation;
import io.delta.kernel.Transaction;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.ConcurrentTransactionException;
import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.expressions.Column;
import io.delta.kernel.expressions.Literal;
import io.delta.kernel.internal.actions.SingleAction;
import io.delta.kernel.statistics.DataFileStatistics;
import io.delta.kernel.transaction.UpdateTableTransactionBuilder;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One commit that changes one tensor: adds files, removes files, and takes the tensor's next
 * transaction number, by which two changes of one tensor conflict.
 */
final class TensorCommit {
  private final TensorTable table;
  private final TableSnapshot base;
  private final String tensorId;
  private final List<PieceFile> adds = new ArrayList<>();
  private final List<TableSnapshot.LiveFile> removes = new ArrayList<>();
  private Optional<TensorHeader> flat = Optional.empty();
  private Optional<String> property = Optional.empty();

  /** Another commit changed the tensor, or took away its files, since the base version. */
  static final class LostRace extends Exception {
    private static final long serialVersionUID = 1L;

    LostRace(Throwable cause) {
      super(cause);
    }
  }

  TensorCommit(TensorTable table, TableSnapshot base, String tensorId) {
    this.table = table;
    this.base = base;
    this.tensorId = tensorId;
  }

  TensorCommit add(List<PieceFile> files) {
    adds.addAll(files);
    return this;
  }

  TensorCommit remove(TableSnapshot.LiveFile file) {
    removes.add(file);
    return this;
  }

  /** The header of a flat table after this commit. */
  TensorCommit flat(TensorHeader header) {
    flat = Optional.of(header);
    property = Optional.of(FlatColumns.property(header));
    return this;
  }

  /** A flat table has no tensor after this commit. */
  TensorCommit withoutFlat() {
    property = Optional.of("");
    return this;
  }

  /**
   * Commits; returns the version.
   *
   * @throws LostRace if nothing was committed because of another commit
   */
  long run() throws LostRace {
    Engine engine = base.engine();
    String application = "arraymorph:tensor:" + tensorId;
    try {
      long number = base.kernel().getLatestTransactionVersion(engine, application).orElse(-1L) + 1;
      UpdateTableTransactionBuilder builder =
          base.kernel()
              .buildUpdateTableTransaction(
                  TensorTable.ENGINE_INFO,
                  removes.isEmpty() ? Operation.WRITE : Operation.MANUAL_UPDATE)
              .withTransactionId(application, number);
      if (property.isPresent()) {
        builder.withTablePropertiesAdded(Map.of(FlatColumns.HEADER, property.get()));
      }
      Transaction transaction = builder.build(engine);
      return table.commit(transaction, CloseableIterable.inMemoryIterable(actions(transaction)));
    } catch (ConcurrentTransactionException e) {
      throw new LostRace(e);
    } catch (ConcurrentWriteException e) {
      throw new LostRace(e);
    } catch (KernelException e) {
      throw new ArrayMorphException(
          ErrorCode.WRITE_FAILED,
          "the commit of tensor '"
              + tensorId
              + "' to "
              + table.path()
              + " failed: "
              + e.getMessage(),
          "Look at the table's history before running the write again: the commit may have arrived",
          e);
    }
  }

  private CloseableIterator<Row> actions(Transaction transaction) {
    Engine engine = base.engine();
    Row state = transaction.getTransactionState(engine);
    DataWriteContext context = Transaction.getWriteContext(engine, state, Map.of());
    List<DataFileStatus> statuses = new ArrayList<>();
    for (PieceFile file : adds) {
      statuses.add(
          new DataFileStatus(
              StoreFileIO.path(table.path().resolve(file.name()).key()),
              file.size(),
              file.modified(),
              Optional.of(flat.isPresent() ? statistics(file, flat.get()) : statistics(file))));
    }
    List<Row> actions = new ArrayList<>();
    for (TableSnapshot.LiveFile file : removes) {
      actions.add(
          SingleAction.createRemoveFileSingleAction(
              file.add().toRemoveFileRow(true, Optional.of(System.currentTimeMillis()))));
    }
    try (CloseableIterator<Row> added =
        Transaction.generateAppendActions(
            engine, state, TensorTable.closeable(statuses.iterator()), context)) {
      while (added.hasNext()) {
        actions.add(added.next());
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return TensorTable.closeable(actions.iterator());
  }

  /** Statistics of the dimensions of a flat table. */
  private static DataFileStatistics statistics(PieceFile file, TensorHeader flat) {
    Map<Column, Literal> least = new HashMap<>();
    Map<Column, Literal> greatest = new HashMap<>();
    Map<Column, Long> nulls = new HashMap<>();
    List<String> dimensions = FlatColumns.dimensions(flat);
    for (int d = 0; d < dimensions.size(); d++) {
      Column column = new Column(dimensions.get(d));
      least.put(column, Literal.ofLong(file.bounds().leastLow()[d]));
      greatest.put(column, Literal.ofLong(file.bounds().greatestHigh()[d]));
      nulls.put(column, 0L);
    }
    return new DataFileStatistics(file.rows(), least, greatest, nulls, Optional.of(true));
  }

  /** Statistics of the columns that scans prune by. */
  private static DataFileStatistics statistics(PieceFile file) {
    Map<Column, Literal> least = new HashMap<>();
    Map<Column, Literal> greatest = new HashMap<>();
    Map<Column, Long> nulls = new HashMap<>();
    Column tensor = new Column(TableColumns.TENSOR);
    least.put(tensor, Literal.ofString(file.tensorId()));
    greatest.put(tensor, Literal.ofString(file.tensorId()));
    Column kind = new Column(TableColumns.KIND);
    least.put(kind, Literal.ofByte((byte) file.kind()));
    greatest.put(kind, Literal.ofByte((byte) file.kind()));
    Column part = new Column(TableColumns.PART);
    least.put(part, Literal.ofLong(file.leastPart()));
    greatest.put(part, Literal.ofLong(file.greatestPart()));
    for (Column column : List.of(tensor, kind, part)) {
      nulls.put(column, 0L);
    }
    int rank = file.bounds().leastLow().length;
    for (int d = 0; d < TensorHeader.MAX_RANK; d++) {
      Column low = new Column(TableColumns.low(d));
      Column high = new Column(TableColumns.high(d));
      if (d < rank) {
        least.put(low, Literal.ofLong(file.bounds().leastLow()[d]));
        greatest.put(low, Literal.ofLong(file.bounds().greatestLow()[d]));
        least.put(high, Literal.ofLong(file.bounds().leastHigh()[d]));
        greatest.put(high, Literal.ofLong(file.bounds().greatestHigh()[d]));
      }
      nulls.put(low, d < rank ? 0L : file.rows());
      nulls.put(high, d < rank ? 0L : file.rows());
    }
    return new DataFileStatistics(file.rows(), least, greatest, nulls, Optional.of(true));
  }
}
