package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperLayout;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.store.StorePath;
import io.delta.kernel.Snapshot;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.types.StructType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One version of a tensor table: which files may hold what. Immutable, thread-safe. */
final class TableSnapshot {
  private final StorePath table;
  private final Engine engine;
  private final Snapshot snapshot;
  private final TableForm form;
  private final Optional<TensorHeader> flat;
  private final Optional<PaperLayout> paper;
  private List<LiveFile> files;

  /**
   * A live file and what the log says of it.
   *
   * @param add what a commit needs to remove the file
   * @param header the JSON of the one header that is all the file holds, if the log repeats it
   */
  record LiveFile(DataFile file, FileBounds bounds, AddFile add, Optional<String> header) {}

  TableSnapshot(StorePath table, Engine engine, Snapshot snapshot) {
    this.table = table;
    this.engine = engine;
    this.snapshot = snapshot;
    Map<String, String> properties = snapshot.getTableProperties();
    this.paper = PaperColumns.layout(snapshot.getSchema());
    this.form =
        properties.containsKey(FlatColumns.HEADER)
            ? TableForm.FLAT
            : paper.isPresent() ? TableForm.PAPER : TableForm.COMPACT;
    check();
    this.flat = FlatColumns.header(properties);
  }

  private void check() {
    StructType schema = snapshot.getSchema();
    for (String column :
        List.of(TableColumns.TENSOR, TableColumns.KIND, TableColumns.VAL, TableColumns.ENC)) {
      if (form == TableForm.COMPACT && schema.indexOf(column) < 0) {
        throw new ArrayMorphException(
            ErrorCode.NOT_A_TENSOR_TABLE,
            table + " is a Delta table without column '" + column + "'",
            "Point to a table written with option storage=ftsf, coo, csr, csc, csf or bsgs");
      }
    }
    Map<String, String> properties = snapshot.getTableProperties();
    String mapping = properties.getOrDefault("delta.columnMapping.mode", "none");
    if (!mapping.equals("none")) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          table + " has column mapping '" + mapping + "'",
          "Copy the rows into a table without column mapping");
    }
    String format = properties.getOrDefault("arraymorph.tensors.format", "1");
    if (!format.matches("[1-9]") || Integer.parseInt(format) > TensorHeader.FORMAT) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          table + " has tensor format " + format,
          "This version reads formats up to " + TensorHeader.FORMAT + "; upgrade arraymorph");
    }
  }

  StorePath table() {
    return table;
  }

  Engine engine() {
    return engine;
  }

  Snapshot kernel() {
    return snapshot;
  }

  long version() {
    return snapshot.getVersion();
  }

  /** What rows of the table are. */
  TableForm form() {
    return form;
  }

  /** True if the table holds one tensor in plain columns, or is about to. */
  boolean isFlat() {
    return form == TableForm.FLAT;
  }

  /** Which of the paper's layouts the table has, if it has one. */
  Optional<PaperLayout> paper() {
    return form == TableForm.PAPER ? paper : Optional.empty();
  }

  /** The tensor of a flat table. */
  Optional<TensorHeader> flat() {
    return flat;
  }

  /** Every live file. */
  List<LiveFile> allFiles() {
    return List.copyOf(files());
  }

  /** Files that may hold header rows of a tensor, or of any if empty. */
  List<LiveFile> headerFiles(Optional<String> tensor) {
    return files().stream()
        .filter(
            f ->
                f.bounds().mayHold(TableColumns.HEADER)
                    && (tensor.isEmpty() || f.bounds().mayHold(tensor.get())))
        .toList();
  }

  /** Files that may hold any row of a tensor. */
  List<LiveFile> filesOf(String tensor) {
    return files().stream().filter(f -> f.bounds().mayHold(tensor)).toList();
  }

  /** Files that may hold data rows of a tensor with cells of a region. */
  List<DataFile> dataFiles(TensorHeader header, Region region) {
    if (region.isEmpty()) {
      return List.of();
    }
    if (form == TableForm.PAPER) {
      return new PaperFiles(this, header).files(region);
    }
    String tensor = header.tensorId();
    flat.ifPresent(this::checkShape);
    return files().stream()
        .filter(
            f ->
                (isFlat() || (f.bounds().mayHold(TableColumns.DATA) && f.bounds().mayHold(tensor)))
                    && f.bounds().mayHold(region))
        .map(LiveFile::file)
        .toList();
  }

  /** Rows that others inserted outside the tensor's shape must not be passed over in silence. */
  private void checkShape(TensorHeader header) {
    for (LiveFile file : files()) {
      for (int d = 0; d < header.schema().shape().rank(); d++) {
        long greatest = file.bounds().greatest(d);
        if (greatest >= header.schema().shape().length(d) && greatest < Long.MAX_VALUE) {
          throw FlatFileReader.outside(file.file(), greatest, header);
        }
      }
    }
  }

  /** All live files; the log is replayed once. */
  private synchronized List<LiveFile> files() {
    if (files == null) {
      files = replay();
    }
    return files;
  }

  private List<LiveFile> replay() {
    SnapshotScan scan = new SnapshotScan(table, engine, flat);
    try {
      return scan.files(snapshot);
    } catch (IOException | KernelException e) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "the log of " + table + " cannot be read: " + e.getMessage(),
          "Check the table with a Delta tool",
          e);
    }
  }
}
