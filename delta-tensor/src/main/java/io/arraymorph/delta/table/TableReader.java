package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.RowFormat;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.store.ObjectStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Reads headers and pieces of a snapshot's files. Thread-safe. */
public final class TableReader {
  /** Decoded values held at once; coordinates come on top. */
  private static final long BATCH_BYTES = 64 << 20;

  /** Files whose indexes are held at once, to fetch from the next while the last is decoded. */
  private static final int FILES_AT_ONCE = 32;

  /** With fewer bytes of values other threads are not worth waking. */
  private static final long SERIAL_BYTES = 512 << 10;

  private final DataFileReader files;
  private final FlatFileReader flatFiles;
  private final PaperFileReader paperFiles;
  private final FileIndexes indexes = new FileIndexes();

  /** A reader of files in a store; remembers the indexes of those it has read. */
  public TableReader(ObjectStore store) {
    this.files = new DataFileReader(store);
    this.flatFiles = new FlatFileReader(store);
    this.paperFiles = new PaperFileReader(store);
  }

  FileIndex index(DataFile file) {
    return indexes.get(file, files::index);
  }

  /** The headers of a snapshot, of one tensor or of all. */
  List<TensorHeader> headers(TableSnapshot snapshot, Optional<String> tensor) {
    if (snapshot.isFlat()) {
      return snapshot.flat().stream()
          .filter(header -> tensor.isEmpty() || tensor.get().equals(header.tensorId()))
          .toList();
    }
    if (snapshot.form() == TableForm.PAPER) {
      return List.copyOf(new PaperHeaders(snapshot, paperFiles).headers(tensor));
    }
    List<TensorHeader> headers = new ArrayList<>();
    for (TableSnapshot.LiveFile live : snapshot.headerFiles(tensor)) {
      if (live.header().isPresent()) {
        TensorHeader header = HeaderJson.read(live.header().get().getBytes(StandardCharsets.UTF_8));
        if (tensor.isEmpty() || tensor.get().equals(header.tensorId())) {
          headers.add(header);
        }
        continue;
      }
      FileIndex index = index(live.file());
      int[] rows = index.headerRows(id -> tensor.isEmpty() || tensor.get().equals(id));
      files.payloads(index, rows, (row, idx, val) -> headers.add(HeaderJson.read(val)));
    }
    return headers;
  }

  /** Reads columns of a file in one of the paper's layouts. */
  PaperFileReader paper() {
    return paperFiles;
  }

  /**
   * Reads the pieces of a file that may hold cells of a region.
   *
   * @param tensorId of which tensor
   * @param region of the tensor's rank
   */
  public void pieces(DataFile file, String tensorId, Region region, Consumer<Piece> sink) {
    pieces(file, tensorId, region, 0, 1, sink);
  }

  /**
   * As above, but only one of several equal shares of the pieces.
   *
   * @param share which one, from 0
   * @param shares how many there are
   */
  public void pieces(
      DataFile file, String tensorId, Region region, int share, int shares, Consumer<Piece> sink) {
    Optional<TensorHeader> flat = file.flat();
    if (flat.isPresent()) {
      flatFiles.pieces(file, flat.get(), region, share, shares, sink);
      return;
    }
    if (file.paper().isPresent()) {
      paperFiles.pieces(file, region, share, shares, sink);
      return;
    }
    FileIndex index = index(file);
    int[] all = index.dataRows(tensorId, region);
    int[] rows =
        java.util.Arrays.copyOfRange(
            all,
            (int) ((long) all.length * share / shares),
            (int) ((long) all.length * (share + 1) / shares));
    files.payloads(
        index, rows, (row, idx, val) -> sink.accept(piece(index, row, region.rank(), idx, val)));
  }

  /**
   * Reads the pieces of a file that may hold cells of a region, decodes them on several threads and
   * hands out the results in the order of the rows.
   *
   * @param decode called by any number of threads
   */
  <T> void pieces(
      DataFile file, String tensorId, Region region, Function<Piece, T> decode, Consumer<T> sink) {
    if (file.flat().isPresent() || file.paper().isPresent()) {
      pieces(file, tensorId, region, piece -> sink.accept(decode.apply(piece)));
      return;
    }
    FileIndex index = index(file);
    int[] rows = index.dataRows(tensorId, region);
    long bytes = 0;
    for (int row : rows) {
      bytes += Math.max(1, index.rawBytes(row));
    }
    long each = Math.max(1, bytes / Math.max(1, rows.length));
    int atOnce = (int) Math.max(4, Math.min(8192, BATCH_BYTES / each));
    boolean small = bytes < SERIAL_BYTES;
    files.map(
        index,
        rows,
        small ? 1 : atOnce,
        (row, idx, val) -> decode.apply(piece(index, row, region.rank(), idx, val)),
        sink);
  }

  /** The boxes of the pieces of a file that may hold cells of a region, if its index has them. */
  List<Box> boxes(DataFile file, String tensorId, Region region) {
    if (file.flat().isPresent() || file.paper().isPresent()) {
      return List.of();
    }
    FileIndex index = index(file);
    List<Box> boxes = new ArrayList<>();
    for (int row : index.dataRows(tensorId, region)) {
      boxes.add(index.box(row, region.rank()));
    }
    return boxes;
  }

  /** Takes a piece whose values lie in an array, which is valid during the call only. */
  interface DensePieces {
    void accept(Piece piece, byte[] array, int from, int to);
  }

  /**
   * Reads the pieces of files that may hold cells of a region, of a tensor without positions, and
   * works on several of them at a time, in no order.
   *
   * @param work called by any number of threads; the pieces have no values of their own
   */
  void eachPiece(List<DataFile> from, String tensorId, Region region, DensePieces work) {
    for (int i = 0; i < from.size(); i += FILES_AT_ONCE) {
      List<DataFile> some = from.subList(i, Math.min(from.size(), i + FILES_AT_ONCE));
      eachPieceOf(some, tensorId, region, work);
    }
  }

  private void eachPieceOf(List<DataFile> from, String tensorId, Region region, DensePieces work) {
    List<DataFileReader.WantedRows> wanted = new ArrayList<>();
    byte[] none = {};
    for (DataFile file : from) {
      if (file.flat().isPresent() || file.paper().isPresent()) {
        pieces(
            file,
            tensorId,
            region,
            piece -> work.accept(piece, piece.values(), 0, piece.values().length));
        continue;
      }
      FileIndex index = index(file);
      wanted.add(
          new DataFileReader.WantedRows(
              index,
              index.dataRows(tensorId, region),
              (row, array, start, end) ->
                  work.accept(piece(index, row, region.rank(), none, none), array, start, end)));
    }
    files.eachValues(wanted);
  }

  /** Reads given rows of a file as they are, headers and pieces of any tensor. */
  void rows(FileIndex index, int[] rows, Consumer<TableRow> sink) {
    files.payloads(
        index,
        rows,
        (row, idx, val) -> {
          String tensor = index.tensor(row);
          sink.accept(
              index.isHeader(row)
                  ? new TableRow(tensor, null, index.cells(row), index.encoding(row), val)
                  : TableRow.of(tensor, piece(index, row, index.rank(row), idx, val)));
        });
  }

  private static Piece piece(FileIndex index, int row, int rank, byte[] idx, byte[] val) {
    return new Piece(
        index.part(row),
        index.box(row, rank),
        index.cells(row),
        index.rawBytes(row),
        RowFormat.of(index.encoding(row)),
        idx,
        val);
  }
}
