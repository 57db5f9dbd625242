package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperCells;
import io.arraymorph.delta.paper.PaperLayout;
import io.arraymorph.delta.tensor.Region;
import io.delta.kernel.types.LongType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The files of a tensor in a table in one of the paper's layouts. */
final class PaperFiles {
  private final TableSnapshot snapshot;
  private final TensorHeader header;
  private final PaperLayout layout;

  PaperFiles(TableSnapshot snapshot, TensorHeader header) {
    this.snapshot = snapshot;
    this.header = header;
    this.layout = snapshot.paper().orElseThrow();
  }

  /** The files that may hold cells of a region; one for all if only the whole has a meaning. */
  List<DataFile> files(Region region) {
    String id = header.tensorId();
    List<TableSnapshot.LiveFile> live =
        snapshot.allFiles().stream()
            .filter(file -> file.bounds().mayHold(id, layout.idColumn()))
            .toList();
    if (layout.encoding() == TensorEncoding.CSF && !live.isEmpty()) {
      ArrayList<DataFile> others = new ArrayList<>();
      live.subList(1, live.size()).forEach(file -> others.add(file.file()));
      return List.of(part(live.get(0), others));
    }
    List<DataFile> files = new ArrayList<>();
    long[] chunks =
        layout.encoding() == TensorEncoding.FTSF
            ? new PaperCells(header, false).chunkRange(region)
            : new long[] {0, 0};
    for (TableSnapshot.LiveFile file : live) {
      if (layout.encoding() != TensorEncoding.FTSF
          || file.bounds().mayHold(PaperLayout.CHUNK_ID, chunks[0], chunks[1])) {
        files.add(part(file, new ArrayList<>()));
      }
    }
    return files;
  }

  @SuppressWarnings("NonApiType") // Serialized.
  private DataFile part(TableSnapshot.LiveFile file, ArrayList<DataFile> others) {
    boolean codeOrder =
        PaperColumns.CODE.equals(snapshot.kernel().getTableProperties().get(PaperColumns.CSC))
            && header.schema().shape().rank() > 2;
    boolean longChunks =
        layout.encoding() == TensorEncoding.FTSF
            && snapshot.kernel().getSchema().get(PaperLayout.CHUNK_ID).getDataType()
                instanceof LongType;
    Optional<String> only = file.bounds().only(layout.idColumn());
    return file.file()
        .ofPaperTable(
            new PaperPart(
                HeaderJson.write(header),
                layout,
                codeOrder,
                only.isPresent() && only.get().equals(header.tensorId()),
                longChunks,
                others));
  }

  /**
   * The files that hold a tensor and nothing else.
   *
   * @throws ArrayMorphException UNSUPPORTED_FEATURE if it shares a file with other tensors
   */
  static List<TableSnapshot.LiveFile> of(
      TableSnapshot snapshot, String tensorId, PaperFileReader reader) {
    String column = snapshot.paper().orElseThrow().idColumn();
    List<TableSnapshot.LiveFile> own = new ArrayList<>();
    for (TableSnapshot.LiveFile file : snapshot.allFiles()) {
      if (!file.bounds().mayHold(tensorId, column)) {
        continue;
      }
      boolean[] found = new boolean[2]; // Rows of others, rows of the tensor.
      reader.read(
          file.file(),
          Set.of(column),
          Optional.empty(),
          0,
          file.file().size(),
          row -> {
            found[row.text(column).equals(tensorId) ? 1 : 0] = true;
            return !found[0] || !found[1];
          });
      if (found[0] && found[1]) {
        throw new ArrayMorphException(
            ErrorCode.UNSUPPORTED_FEATURE,
            "tensor '"
                + tensorId
                + "' shares a file of "
                + snapshot.table()
                + " with others, and files in the paper's layouts are not rewritten",
            "DELETE FROM delta.`..` WHERE "
                + column
                + " = '"
                + tensorId
                + "' with Delta Lake first");
      }
      if (found[1]) {
        own.add(file);
      }
    }
    return own;
  }
}
