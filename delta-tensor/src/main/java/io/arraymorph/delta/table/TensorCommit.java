package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperLayout;
import io.delta.kernel.Operation;
import io.delta.kernel.Transaction;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.ConcurrentTransactionException;
import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.exceptions.TableAlreadyExistsException;
import io.delta.kernel.expressions.Column;
import io.delta.kernel.expressions.Literal;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.SetTransaction;
import io.delta.kernel.internal.actions.SingleAction;
import io.delta.kernel.internal.data.TransactionStateRow;
import io.delta.kernel.internal.fs.Path;
import io.delta.kernel.statistics.DataFileStatistics;
import io.delta.kernel.transaction.UpdateTableTransactionBuilder;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import java.net.URI;
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
  private final Optional<TableSnapshot> base;
  private final String tensorId;
  private final List<PieceFile> adds = new ArrayList<>();
  private final List<TableSnapshot.LiveFile> removes = new ArrayList<>();
  private Optional<TensorHeader> flat = Optional.empty();
  private Optional<PaperLayout> paper = Optional.empty();
  private final Map<String, String> properties = new HashMap<>();

  /** Another commit changed the tensor, or took away its files, since the base version. */
  static final class LostRace extends Exception {
    private static final long serialVersionUID = 1L;

    LostRace(Throwable cause) {
      super(cause);
    }
  }

  /**
   * @param base the version to build on; empty to create the table in the same commit
   */
  TensorCommit(TensorTable table, Optional<TableSnapshot> base, String tensorId) {
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
    properties.put(FlatColumns.HEADER, FlatColumns.property(header));
    return this;
  }

  /** A tensor of a table in one of the paper's layouts after this commit. */
  TensorCommit paper(TensorHeader header) {
    paper = Optional.of(PaperColumns.layout(header));
    properties.put(PaperColumns.headerKey(header.tensorId()), FlatColumns.property(header));
    return this;
  }

  /** A tensor is no longer in a table in one of the paper's layouts after this commit. */
  TensorCommit withoutPaper() {
    properties.put(PaperColumns.headerKey(tensorId), "");
    return this;
  }

  /** A flat table has no tensor after this commit. */
  TensorCommit withoutFlat() {
    properties.put(FlatColumns.HEADER, "");
    return this;
  }

  /**
   * Commits; returns the version.
   *
   * @throws LostRace if nothing was committed because of another commit
   */
  long run() throws LostRace {
    try {
      Transaction transaction = base.isPresent() ? update(base.get()) : creation();
      return table.commit(transaction, CloseableIterable.inMemoryIterable(actions(transaction)));
    } catch (TableAlreadyExistsException e) {
      throw new LostRace(e);
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

  private String application() {
    return "arraymorph:tensor:" + tensorId;
  }

  private Transaction creation() {
    if (flat.isPresent()) {
      return table.creation(
          FlatColumns.deltaSchema(flat.get()), FlatColumns.properties(flat.get()));
    }
    if (paper.isPresent()) {
      Map<String, String> all = new HashMap<>(PaperColumns.properties(paper.get()));
      all.putAll(properties);
      return table.creation(PaperColumns.deltaSchema(paper.get()), all);
    }
    return table.creation(TableColumns.deltaSchema(), TableColumns.properties());
  }

  private Transaction update(TableSnapshot snapshot) {
    Engine engine = snapshot.engine();
    long number =
        snapshot.kernel().getLatestTransactionVersion(engine, application()).orElse(-1L) + 1;
    UpdateTableTransactionBuilder builder =
        snapshot
            .kernel()
            .buildUpdateTableTransaction(
                TensorTable.ENGINE_INFO,
                removes.isEmpty() ? Operation.WRITE : Operation.MANUAL_UPDATE)
            .withTransactionId(application(), number);
    if (!properties.isEmpty()) {
      builder.withTablePropertiesAdded(properties);
    }
    return builder.build(engine);
  }

  private CloseableIterator<Row> actions(Transaction transaction) {
    Row state = transaction.getTransactionState(table.engine());
    StructType schema = TransactionStateRow.getPhysicalSchema(state);
    List<Row> actions = new ArrayList<>();
    if (base.isEmpty()) { // Kernel's builder of new tables has no way to say so.
      actions.add(
          SingleAction.createTxnSingleAction(
              new SetTransaction(application(), 0L, Optional.of(System.currentTimeMillis()))
                  .toRow()));
    }
    for (TableSnapshot.LiveFile file : removes) {
      actions.add(
          SingleAction.createRemoveFileSingleAction(
              file.add().toRemoveFileRow(true, Optional.of(System.currentTimeMillis()))));
    }
    URI root = new Path(TransactionStateRow.getTablePath(state)).toUri();
    for (PieceFile file : adds) {
      AddFile add =
          AddFile.convertDataFileStatus(
              schema,
              root,
              new DataFileStatus(
                  StoreFileIO.path(table.path().resolve(file.name()).key()),
                  file.size(),
                  file.modified(),
                  Optional.of(statisticsOf(file))),
              Map.of(),
              /* dataChange= */ true,
              file.tags(),
              Optional.empty(),
              Optional.empty(),
              Optional.empty());
      actions.add(SingleAction.createAddFileSingleAction(add.toRow()));
    }
    return TensorTable.closeable(actions.iterator());
  }

  private DataFileStatistics statisticsOf(PieceFile file) {
    if (paper.isPresent()) {
      return statistics(file, paper.get());
    }
    return flat.isPresent() ? statistics(file, flat.get()) : statistics(file);
  }

  /** Statistics of the id, and of the numbers of chunks. */
  private static DataFileStatistics statistics(PieceFile file, PaperLayout paper) {
    Map<Column, Literal> least = new HashMap<>();
    Map<Column, Literal> greatest = new HashMap<>();
    Column id = new Column(paper.idColumn());
    least.put(id, Literal.ofString(file.tensorId()));
    greatest.put(id, Literal.ofString(file.tensorId()));
    if (paper.encoding() == TensorEncoding.FTSF) {
      Column chunk = new Column(PaperLayout.CHUNK_ID);
      least.put(chunk, Literal.ofInt((int) file.leastPart()));
      greatest.put(chunk, Literal.ofInt((int) file.greatestPart()));
    }
    return new DataFileStatistics(file.rows(), least, greatest, Map.of(id, 0L), Optional.of(true));
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
