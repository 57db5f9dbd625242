package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.RowFormat;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.schema.MessageType;

/**
 * Reads a data file of a table: first what is needed to find rows, then the pages of the rows
 * wanted, and nothing else.
 *
 * <p>Stateless and thread-safe.
 */
final class DataFileReader {
  /** Gaps up to this are read along rather than paid with another request. */
  static final long GAP = 16 << 10;

  private static final long LEAST_TAIL = 64 << 10;
  private static final long GREATEST_TAIL = 1 << 20;

  /** Without it Parquet would read Hadoop's XML files for every file. */
  private static final Configuration NOTHING_SET = new Configuration(false);

  private final ObjectStore store;

  DataFileReader(ObjectStore store) {
    this.store = store;
  }

  /** The payloads of one row; empty where NULL. */
  interface PayloadSink {
    void accept(int row, byte[] idx, byte[] val);
  }

  /** Reads the index of a file: its end, and the scalar columns if they lie elsewhere. */
  FileIndex index(DataFile file) {
    StoreInputFile input = new StoreInputFile(new StorePath(store, file.key()), file.size());
    try {
      long guess = Math.min(GREATEST_TAIL, Math.max(LEAST_TAIL, file.size() / 40));
      long start = file.tail(guess);
      input.fetch(List.of(ByteRange.of(start, file.size())), 0);
      try (ParquetFileReader reader = ParquetFileReader.open(input, options())) {
        long tail = Math.min(start, indexStart(reader, file.size()));
        List<ByteRange.Bounded> ranges = scalarRanges(reader);
        if (tail < start) {
          ranges.add(ByteRange.of(tail, file.size()));
        }
        input.fetch(ranges, GAP);
        return new IndexBuilder(file, reader)
            .build(
                new FileIndex.Tail(
                    tail, input.copy(tail), input.condition(), PayloadPages.of(reader)));
      }
    } catch (IOException | RuntimeException e) {
      throw failure(file, e);
    }
  }

  private static ParquetReadOptions options() {
    return HadoopReadOptions.builder(NOTHING_SET).usePageChecksumVerification(true).build();
  }

  private static List<ByteRange.Bounded> scalarRanges(ParquetFileReader reader) {
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    for (BlockMetaData block : reader.getRowGroups()) {
      for (ColumnChunkMetaData column : block.getColumns()) {
        String name = column.getPath().toDotString();
        if (!name.equals(TableColumns.IDX) && !name.equals(TableColumns.VAL)) {
          long start = column.getStartingPos();
          ranges.add(ByteRange.of(start, start + column.getTotalSize()));
        }
      }
    }
    return ranges;
  }

  /** Where the column and offset indexes begin, which lie between the data and the footer. */
  private static long indexStart(ParquetFileReader reader, long size) {
    long start = size;
    for (BlockMetaData block : reader.getRowGroups()) {
      for (ColumnChunkMetaData column : block.getColumns()) {
        if (column.getColumnIndexReference() != null) {
          start = Math.min(start, column.getColumnIndexReference().getOffset());
        }
        if (column.getOffsetIndexReference() != null) {
          start = Math.min(start, column.getOffsetIndexReference().getOffset());
        }
      }
    }
    return start;
  }

  /**
   * Reads the payloads of some rows, in ascending order.
   *
   * @param rows ascending
   */
  void payloads(FileIndex index, int[] rows, PayloadSink sink) {
    if (rows.length == 0) {
      return;
    }
    if (index.tail().pages().isPresent()) {
      RowReader<TableRowBytes> both = (row, idx, val) -> new TableRowBytes(row, idx, val);
      map(index, rows, 1, both, found -> sink.accept(found.row(), found.idx(), found.val()));
      return;
    }
    DataFile file = index.file();
    StoreInputFile input = new StoreInputFile(new StorePath(store, file.key()), file.size());
    FileIndex.Tail tail = index.tail();
    input.hold(tail.start(), tail.bytes(), tail.version());
    try (ParquetFileReader reader = ParquetFileReader.open(input, options())) {
      MessageType payloads =
          RowColumns.payloads(reader.getFileMetaData().getSchema(), needsPositions(index, rows));
      reader.setRequestedSchema(payloads);
      input.fetch(payloadRanges(reader, rows, payloads), GAP);
      for (int group = 0; group < reader.getRowGroups().size(); group++) {
        read(reader, group, rows, payloads, (row, idx, val) -> sink.accept((int) row, idx, val));
      }
    } catch (IOException | RuntimeException e) {
      throw failure(file, e);
    }
  }

  /**
   * Makes something of the payloads of one row; empty where NULL. Any number of threads call it.
   */
  interface RowReader<T> {
    T read(int row, byte[] idx, byte[] val);
  }

  @SuppressWarnings("ArrayRecordComponent") // Handed on at once.
  private record TableRowBytes(int row, byte[] idx, byte[] val) {}

  /**
   * Reads the payloads of some rows, decodes them on several threads, and hands out the results in
   * the order of the rows.
   *
   * @param rows ascending
   * @param atOnce about how many rows are held decoded
   */
  <T> void map(FileIndex index, int[] rows, int atOnce, RowReader<T> decode, Consumer<T> sink) {
    if (rows.length == 0) {
      return;
    }
    if (index.tail().pages().isEmpty()) {
      payloads(index, rows, (row, idx, val) -> sink.accept(decode.read(row, idx, val)));
      return;
    }
    try {
      boolean positions = needsPositions(index, rows);
      PayloadPages pages = index.tail().pages().get();
      FetchWindow window = new FetchWindow(PayloadFetch.valueBytes(pages, rows));
      PayloadFetch fetch = new PayloadFetch(store, index, pages, rows, positions, GAP, window);
      for (int from = 0; from < rows.length; from += atOnce) {
        int to = Math.min(rows.length, from + atOnce);
        InOrder.map(from, to, i -> read(fetch, rows[i], i, decode)).forEach(sink);
      }
    } catch (RuntimeException e) {
      throw failure(
          index.file(), e instanceof UncheckedIOException ? (IOException) e.getCause() : e);
    }
  }

  /** Takes the values of one row where they lie; the array is valid during the call only. */
  interface ValuesSink {
    void accept(int row, byte[] array, int from, int to);
  }

  /**
   * Some rows of a file whose values are wanted.
   *
   * @param rows ascending
   */
  @SuppressWarnings("ArrayRecordComponent") // Taken apart by this class only.
  record WantedRows(FileIndex index, int[] rows, ValuesSink sink) {}

  /**
   * Reads the values of rows without positions of some files, and works on several of them at a
   * time: they begin in order, and may end in any.
   */
  void eachValues(List<WantedRows> files) {
    List<WantedRows> paged = new ArrayList<>();
    long bytes = 0;
    for (WantedRows file : files) {
      if (file.rows.length > 0 && file.index.tail().pages().isPresent()) {
        paged.add(file);
        bytes += PayloadFetch.valueBytes(file.index.tail().pages().get(), file.rows);
      } else {
        payloads(
            file.index, file.rows, (row, idx, val) -> file.sink.accept(row, val, 0, val.length));
      }
    }
    FetchWindow window = new FetchWindow(bytes);
    List<Runnable> work = new ArrayList<>();
    for (WantedRows file : paged) {
      PayloadPages pages = file.index.tail().pages().get();
      PayloadFetch fetch =
          new PayloadFetch(store, file.index, pages, file.rows, false, GAP, window);
      for (int i = 0; i < file.rows.length; i++) {
        int at = i;
        work.add(() -> values(file, fetch, at));
      }
    }
    InOrder.map(
        0,
        work.size(),
        i -> {
          work.get(i).run();
          return i;
        });
  }

  private static void values(WantedRows file, PayloadFetch fetch, int i) {
    try {
      fetch.values(
          i,
          (array, from, to) -> {
            file.sink.accept(file.rows[i], array, from, to);
            return i;
          });
    } catch (IOException | RuntimeException e) {
      throw failure(file.index.file(), e);
    }
  }

  private static <T> T read(PayloadFetch fetch, int row, int i, RowReader<T> decode) {
    try {
      return decode.read(row, fetch.positions(i), fetch.values(i));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** False if no row has positions: then their column, all NULL, is not fetched. */
  private static boolean needsPositions(FileIndex index, int[] rows) {
    for (int row : rows) {
      if (!index.isHeader(row) && !RowFormat.of(index.encoding(row)).isDense()) {
        return true;
      }
    }
    return false;
  }

  private static List<ByteRange.Bounded> payloadRanges(
      ParquetFileReader reader, int[] rows, MessageType payloads) throws IOException {
    List<ByteRange.Bounded> ranges = new ArrayList<>();
    for (BlockMetaData block : reader.getRowGroups()) {
      long offset = block.getRowIndexOffset();
      for (ColumnChunkMetaData column : block.getColumns()) {
        String name = column.getPath().toDotString();
        if (payloads.containsField(name)) {
          OffsetIndex pages = reader.readOffsetIndex(column);
          if (pages == null) {
            long start = column.getStartingPos();
            ranges.add(ByteRange.of(start, start + column.getTotalSize()));
          } else {
            addPages(pages, offset, block.getRowCount(), rows, ranges);
          }
        }
      }
    }
    return ranges;
  }

  private static void addPages(
      OffsetIndex pages, long offset, long count, int[] rows, List<ByteRange.Bounded> ranges) {
    for (int p = 0; p < pages.getPageCount(); p++) {
      long first = offset + pages.getFirstRowIndex(p);
      long last = offset + pages.getLastRowIndex(p, count);
      int at = Arrays.binarySearch(rows, (int) first);
      at = at < 0 ? -at - 1 : at;
      if (at < rows.length && rows[at] <= last) {
        ranges.add(
            ByteRange.of(pages.getOffset(p), pages.getOffset(p) + pages.getCompressedPageSize(p)));
      }
    }
  }

  /**
   * Hands out the wanted rows of a group. Reads every value of the pages that were fetched, for
   * Parquet's own way of skipping rows loses the last one if it stands alone in a later page.
   */
  private static void read(
      ParquetFileReader reader, int group, int[] wanted, MessageType payloads, Rows sink)
      throws IOException {
    BlockMetaData block = reader.getRowGroups().get(group);
    RowsOfGroup rows = new RowsOfGroup(wanted, block.getRowIndexOffset(), block.getRowCount());
    if (rows.isEmpty()) {
      return;
    }
    Map<String, OffsetIndex> indexes = new HashMap<>();
    for (ColumnChunkMetaData column : block.getColumns()) {
      String name = column.getPath().toDotString();
      if (payloads.containsField(name)) {
        indexes.put(name, reader.readOffsetIndex(column));
      }
    }
    boolean paged = indexes.values().stream().allMatch(Objects::nonNull);
    PageReadStore pages =
        paged ? reader.readFilteredRowGroup(group, rows.ranges()) : reader.readRowGroup(group);
    RowColumns columns = new RowColumns(new AllOfPages(pages), reader, payloads);
    Map<String, byte[][]> values = new HashMap<>();
    for (String name : indexes.keySet()) {
      values.put(name, rows.pick(columns.reader(name), paged ? indexes.get(name) : null));
    }
    byte[][] none = new byte[rows.count()][0];
    byte[][] positions = values.getOrDefault(TableColumns.IDX, none);
    byte[][] elements = values.getOrDefault(TableColumns.VAL, none);
    for (int i = 0; i < rows.count(); i++) {
      sink.accept(block.getRowIndexOffset() + rows.row(i), positions[i], elements[i]);
    }
  }

  private interface Rows {
    void accept(long row, byte[] idx, byte[] val);
  }

  /** Pages without the rows that were asked for, so that every value of them is read. */
  private record AllOfPages(PageReadStore pages) implements PageReadStore {
    @Override
    public PageReader getPageReader(ColumnDescriptor column) {
      return pages.getPageReader(column);
    }

    @Override
    public long getRowCount() {
      return pages.getRowCount();
    }
  }

  static RuntimeException failure(DataFile file, Exception e) {
    if (e instanceof ArrayMorphException) {
      return (ArrayMorphException) e;
    }
    if (e instanceof StoreException) {
      StoreException store = (StoreException) e;
      if (store.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        return new ArrayMorphException(
            ErrorCode.OBJECT_CHANGED,
            "data file " + file + " changed while it was read",
            "Read again",
            e);
      }
      if (store.kind() == StoreException.Kind.NOT_FOUND) {
        return new ArrayMorphException(
            ErrorCode.OBJECT_NOT_FOUND,
            "data file " + file + " of the table's snapshot is gone",
            "Open the table again; if the snapshot is old, VACUUM has removed its files",
            e);
      }
      return store.toUser();
    }
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "data file " + file + " cannot be read: " + e.getMessage(),
        "The file was damaged; restore it, or go back to an earlier version of the table",
        e);
  }
}
