package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.store.StorePath;
import io.delta.kernel.Scan;
import io.delta.kernel.Snapshot;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.deletionvectors.DeletionVectorUtils;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.utils.CloseableIterator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Replays a table's log into its live files. */
final class SnapshotScan {
  private final StorePath table;
  private final Engine engine;
  private final Optional<TensorHeader> flat;

  SnapshotScan(StorePath table, Engine engine, Optional<TensorHeader> flat) {
    this.table = table;
    this.engine = engine;
    this.flat = flat;
  }

  List<TableSnapshot.LiveFile> files(Snapshot snapshot) throws IOException {
    Scan scan = snapshot.getScanBuilder().build();
    List<TableSnapshot.LiveFile> files = new ArrayList<>();
    try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine, true)) {
      while (batches.hasNext()) {
        try (CloseableIterator<Row> rows = batches.next().getRows()) {
          while (rows.hasNext()) {
            files.add(file(rows.next()));
          }
        }
      }
      return files;
    }
  }

  private TableSnapshot.LiveFile file(Row row) {
    AddFile add = new AddFile(row.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL));
    String key = StoreFileIO.key(InternalScanFileUtils.getAddFileStatus(row).getPath());
    DeletionVectorDescriptor vector = InternalScanFileUtils.getDeletionVectorDescriptorFromRow(row);
    long[] deleted = {};
    if (vector != null) {
      String root = StoreFileIO.path(table.key());
      deleted = DeletionVectorUtils.loadNewDvAndBitmap(engine, root, vector)._2.toArray();
      Arrays.sort(deleted);
    }
    DataFile file = new DataFile(key, add.getSize(), deleted, tail(add));
    String statistics = add.getStatsJson().orElse("{}");
    if (flat.isPresent()) {
      return new TableSnapshot.LiveFile(
          file.ofFlatTable(flat.get()),
          FileBounds.ofFlat(statistics, FlatColumns.dimensions(flat.get())),
          add,
          Optional.empty());
    }
    return new TableSnapshot.LiveFile(
        file, FileBounds.of(statistics), add, deleted.length > 0 ? Optional.empty() : header(add));
  }

  private static Optional<String> header(AddFile add) {
    return tag(add, PieceFile.HEADER_TAG);
  }

  /** Where the tail of a file begins by the log; -1 if that says nothing, or nonsense. */
  private static long tail(AddFile add) {
    String text = tag(add, PieceFile.TAIL_TAG).orElse("");
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
  }

  private static Optional<String> tag(AddFile add, String name) {
    return add.getTags().map(tags -> VectorUtils.<String, String>toJavaMap(tags).get(name));
  }
}
