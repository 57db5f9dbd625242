package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Elements;
import io.arraymorph.delta.encoding.DenseChunks;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.paper.PaperGeometry;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The tensors in a Delta table: the front door of this module, without Spark.
 *
 * <p>An instance sees one version of the table; {@link #latest()} and {@link #atVersion} give
 * others. Writing goes on top of the newest version, whatever this instance sees, and is one atomic
 * commit per call. Thread-safe.
 */
public final class DeltaTensors {
  private final TensorTable table;
  private final TableReader reader;
  private final Optional<TableSnapshot> snapshot;
  private final TableForm form;

  private DeltaTensors(
      TensorTable table, TableReader reader, Optional<TableSnapshot> snapshot, TableForm form) {
    this.table = table;
    this.reader = reader;
    this.snapshot = snapshot;
    this.form = snapshot.map(TableSnapshot::form).orElse(form);
  }

  /**
   * The newest version of the table at a path.
   *
   * @throws ArrayMorphException NOT_A_TENSOR_TABLE if there is no such table
   */
  public static DeltaTensors open(StorePath path) {
    DeltaTensors tensors = at(path);
    tensors.snapshot();
    return tensors;
  }

  /** As {@link #open(StorePath)}, of a URI or plain path. */
  public static DeltaTensors open(String uri, StoreConfig config) {
    return open(ObjectStores.open(uri, config));
  }

  /** The newest version of the table at a path, which need not exist until something is written. */
  public static DeltaTensors at(StorePath path) {
    return at(path, TableForm.COMPACT);
  }

  /** As {@link #at(StorePath)}; what is written there has this form if there is no table. */
  public static DeltaTensors at(StorePath path, TableForm form) {
    TensorTable table = new TensorTable(path);
    return new DeltaTensors(table, new TableReader(path.store()), table.latest(), form);
  }

  /** The form of the table, or that which it will have when it is created. */
  public TableForm form() {
    return form;
  }

  /** True if there was a table when this instance was made. */
  public boolean exists() {
    return snapshot.isPresent();
  }

  private TableSnapshot snapshot() {
    return snapshot.orElseThrow(table::missing);
  }

  /** The path of the table. */
  public StorePath path() {
    return table.path();
  }

  /** The version that this instance sees. */
  public long version() {
    return snapshot().version();
  }

  /** The newest version of the same table; keeps what was learnt about files. */
  public DeltaTensors latest() {
    return new DeltaTensors(table, reader, table.latest(), form);
  }

  /** The same table at a version. */
  public DeltaTensors atVersion(long version) {
    return new DeltaTensors(table, reader, Optional.of(table.atVersion(version)), form);
  }

  /** The same table at the newest version committed at or before a time. */
  public DeltaTensors atTimestamp(Instant time) {
    return new DeltaTensors(
        table, reader, Optional.of(table.atTimestamp(time.toEpochMilli())), form);
  }

  /** The headers of all tensors, by id. */
  public List<TensorHeader> tensors() {
    return reader.headers(snapshot(), Optional.empty()).stream()
        .sorted(Comparator.comparing(TensorHeader::tensorId))
        .toList();
  }

  /** All tensors, by id. */
  public List<DeltaTensor> all() {
    return tensors().stream().map(header -> new DeltaTensor(snapshot(), reader, header)).toList();
  }

  /** A tensor if the table holds it. */
  public Optional<DeltaTensor> find(String tensorId) {
    return snapshot
        .flatMap(s -> reader.headers(s, Optional.of(tensorId)).stream().findFirst())
        .map(header -> new DeltaTensor(snapshot(), reader, header));
  }

  /**
   * A tensor by id.
   *
   * @throws ArrayMorphException UNKNOWN_TENSOR if the table does not hold it
   */
  public DeltaTensor tensor(String tensorId) {
    return find(tensorId)
        .orElseThrow(
            () ->
                unknown(path(), tensorId, tensors().stream().map(TensorHeader::tensorId).toList()));
  }

  static ArrayMorphException unknown(StorePath path, String tensorId, List<String> known) {
    List<String> some = known.subList(0, Math.min(20, known.size()));
    return new ArrayMorphException(
        ErrorCode.UNKNOWN_TENSOR,
        "there is no tensor '" + tensorId + "' in " + path,
        known.isEmpty() ? "Check the tensor id" : "Use one of " + some);
  }

  /**
   * Writes a tensor; returns the version of the table that has it.
   *
   * @param layout how to encode it; {@link io.arraymorph.delta.encoding.LayoutChoice} picks one
   * @throws ArrayMorphException ARRAY_EXISTS in mode CREATE if the table has it
   */
  public long write(
      String tensorId,
      SparseTensor tensor,
      TensorLayout layout,
      WriteMode mode,
      Map<String, String> attributes) {
    TensorHeader header =
        new TensorHeader(tensorId, tensor.schema(), layout, tensor.count(), attributes);
    if (form == TableForm.FLAT) {
      return writeFlat(header, tensor, mode);
    }
    if (form == TableForm.PAPER) {
      return writePaper(header, mode, writer -> writer.write(tensor));
    }
    return writePieces(
        header,
        mode,
        sink ->
            new TensorEncoder(tensor.schema(), layout, 0, /* parallel= */ true)
                .encode(tensor, sink));
  }

  private long writeFlat(TensorHeader asked, SparseTensor tensor, WriteMode mode) {
    TensorLayout layout =
        TensorLayout.unblocked(TensorEncoding.COO, asked.schema().shape().rank(), "a flat table");
    TensorHeader header =
        new TensorHeader(
            asked.tensorId(), asked.schema(), layout, tensor.count(), asked.attributes());
    FlatFileWriter writer = new FlatFileWriter(path(), header);
    try {
      writer.write(tensor);
    } catch (RuntimeException e) {
      writer.abort();
      throw e;
    }
    return publish(header, writer.finish(), mode);
  }

  private long writePaper(TensorHeader asked, WriteMode mode, Consumer<PaperFileWriter> rows) {
    TensorHeader header = PaperGeometry.header(asked);
    PaperFileWriter writer = new PaperFileWriter(path(), header);
    List<PieceFile> files;
    try {
      rows.accept(writer);
      files = writer.finish();
    } catch (RuntimeException e) {
      writer.abort();
      throw e;
    }
    long cells = files.stream().mapToLong(PieceFile::cells).sum();
    return publish(header.with(header.schema(), cells), files, mode);
  }

  /**
   * Writes a dense array; returns the version of the table that has it.
   *
   * @param layout of FTSF, as {@link io.arraymorph.delta.encoding.LayoutChoice#ofDense} makes one
   */
  public long writeDense(
      String tensorId,
      ArraySchema schema,
      Elements values,
      TensorLayout layout,
      WriteMode mode,
      Map<String, String> attributes) {
    if (form == TableForm.PAPER) {
      return writePaper(
          new TensorHeader(tensorId, schema, layout, 0, attributes),
          mode,
          writer -> writer.writeDense(values));
    }
    if (form == TableForm.FLAT) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "a dense array cannot be written to the flat table " + path(),
          "Write its cells, or write to another path");
    }
    TensorHeader header = new TensorHeader(tensorId, schema, layout, 0, attributes);
    long[] origin = new long[schema.shape().rank()];
    DenseChunks chunks = new DenseChunks(values, layout.block(), origin);
    return writePieces(
        header, mode, sink -> chunks.encode(new TensorEncoder(schema, layout, 0), sink));
  }

  /**
   * Writes a tensor from encoded pieces, in bounded memory.
   *
   * @param header of the tensor; its number of stored cells is replaced by that of the pieces
   * @param pieces gives every piece to the sink that it gets, once
   */
  public long writePieces(TensorHeader header, WriteMode mode, Consumer<Consumer<Piece>> pieces) {
    if (mode == WriteMode.CREATE && latest().find(header.tensorId()).isPresent()) {
      return publish(header, List.of(), mode);
    }
    List<PieceFile> files = write(header, pieces);
    long cells = files.stream().mapToLong(PieceFile::cells).sum();
    return publish(header.with(header.schema(), cells), files, mode);
  }

  private List<PieceFile> write(TensorHeader header, Consumer<Consumer<Piece>> pieces) {
    PieceWriter writer = pieceWriter(header);
    try {
      pieces.accept(writer::write);
      return writer.finish();
    } catch (RuntimeException e) {
      writer.abort();
      throw e;
    }
  }

  /** A writer of data files of a tensor, which {@link #publish} or {@link #grow} commits. */
  public PieceWriter pieceWriter(TensorHeader header) {
    return new PieceWriter(
        path(), header.tensorId(), header.schema().shape().rank(), PieceWriter.Settings.DEFAULT);
  }

  /** Commits data files as the content of a tensor; deletes them if that fails for good. */
  public long publish(TensorHeader header, List<PieceFile> data, WriteMode mode) {
    return new TensorChange(table, reader, form).publish(header, data, mode);
  }

  /** Deletes data files that will not be committed. */
  public void discard(List<PieceFile> data) {
    PieceWriter.delete(path(), data);
  }

  /**
   * Commits data files as more content of a tensor that still has the header {@code expected}.
   *
   * @throws ArrayMorphException CONCURRENT_WRITE if it has another one meanwhile
   */
  public long grow(TensorHeader expected, TensorHeader header, List<PieceFile> data) {
    return new TensorChange(table, reader, form).grow(expected, header, data);
  }

  /**
   * Appends a tensor behind another one along a dimension; all other lengths must agree. Appends by
   * several writers at once all arrive, in some order.
   *
   * @return the version of the table that has it
   */
  public long append(String tensorId, int dimension, SparseTensor more) {
    return append(
        tensorId,
        dimension,
        more.schema(),
        (target, offset) -> {
          long[][] columns = more.columns();
          columns[dimension] =
              Arrays.stream(columns[dimension], 0, more.count()).map(i -> i + offset).toArray();
          if (form == TableForm.FLAT) {
            FlatFileWriter writer = new FlatFileWriter(path(), target);
            writer.write(columns, more.count(), more.values());
            return writer.finish();
          }
          return write(
              target,
              sink ->
                  encoder(target, dimension, offset)
                      .encode(columns, more.count(), more.values(), sink));
        });
  }

  /** As {@link #append(String, int, SparseTensor)}, of a dense array to a tensor in FTSF. */
  public long appendDense(String tensorId, int dimension, ArraySchema schema, Elements more) {
    return append(
        tensorId,
        dimension,
        schema,
        (target, offset) -> {
          if (target.layout().encoding() != TensorEncoding.FTSF) {
            throw new ArrayMorphException(
                ErrorCode.UNSUPPORTED_FEATURE,
                "a dense array cannot be appended to the sparse tensor '" + tensorId + "'",
                "Append its cells");
          }
          long[] origin = new long[schema.shape().rank()];
          origin[dimension] = offset;
          DenseChunks chunks = new DenseChunks(more, target.layout().block(), origin);
          return write(target, sink -> chunks.encode(encoder(target, dimension, offset), sink));
        });
  }

  private static TensorEncoder encoder(TensorHeader target, int dimension, long offset) {
    return new TensorEncoder(target.schema(), target.layout(), target.storedCells())
        .startingAt(dimension, offset);
  }

  /** Writes what is appended, once it is known where it begins. */
  private interface Appending {
    List<PieceFile> write(TensorHeader target, long offset);
  }

  private long append(String tensorId, int dimension, ArraySchema more, Appending appending) {
    checkGrows(tensorId);
    while (true) {
      TensorHeader before = latest().tensor(tensorId).header();
      ArraySchema grown = TensorGrowth.grow(before, dimension, more);
      long offset = before.schema().shape().length(dimension);
      List<PieceFile> files = appending.write(before.with(grown, before.storedCells()), offset);
      long cells = before.storedCells() + files.stream().mapToLong(PieceFile::cells).sum();
      try {
        return grow(before, before.with(grown, cells), files);
      } catch (ArrayMorphException e) {
        if (e.code() != ErrorCode.CONCURRENT_WRITE) {
          throw e;
        }
      }
    }
  }

  /**
   * Refuses tensors that cannot grow.
   *
   * @throws ArrayMorphException UNSUPPORTED_FEATURE in the paper's layouts
   */
  public void checkGrows(String tensorId) {
    if (form == TableForm.PAPER) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "tensor '"
              + tensorId
              + "' in one of the paper's layouts cannot grow: each row repeats its shape",
          "Overwrite it, or use layout=compact");
    }
  }

  /** Deletes a tensor, in one commit; returns the version of the table that lacks it. */
  public long delete(String tensorId) {
    return new TensorChange(table, reader, form).delete(tensorId);
  }
}
