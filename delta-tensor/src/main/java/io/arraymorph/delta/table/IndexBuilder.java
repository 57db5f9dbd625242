package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.TensorHeader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.schema.MessageType;

/** Reads the scalar columns of a data file into a {@link FileIndex}. */
final class IndexBuilder {
  private static final int MAX_ROWS = 1 << 24;

  private final DataFile file;
  private final ParquetFileReader reader;
  private final MessageType schema;

  IndexBuilder(DataFile file, ParquetFileReader reader) {
    this.file = file;
    this.reader = reader;
    this.schema = RowColumns.scalars(reader.getFileMetaData().getSchema());
  }

  FileIndex build(FileIndex.Tail tail) throws IOException {
    long total = reader.getRowGroups().stream().mapToLong(BlockMetaData::getRowCount).sum();
    if (total > MAX_ROWS) {
      throw new IllegalStateException(total + " rows in one file");
    }
    int rows = (int) total;
    String[] tensors = new String[rows];
    long[] kinds = new long[rows];
    long[] parts = new long[rows];
    long[][] low = new long[TensorHeader.MAX_RANK][rows];
    long[][] high = new long[TensorHeader.MAX_RANK][rows];
    long[] cells = new long[rows];
    long[] rawBytes = new long[rows];
    String[] encodings = new String[rows];
    reader.setRequestedSchema(schema);
    int first = 0;
    for (PageReadStore pages = reader.readNextRowGroup();
        pages != null;
        pages = reader.readNextRowGroup()) {
      RowColumns columns = new RowColumns(pages, reader, schema);
      int count = (int) pages.getRowCount();
      texts(columns.reader(TableColumns.TENSOR), tensors, first, count);
      numbers(columns.reader(TableColumns.KIND), kinds, first, count, TableColumns.DATA);
      numbers(columns.reader(TableColumns.PART), parts, first, count, -1);
      for (int d = 0; d < TensorHeader.MAX_RANK; d++) {
        numbers(columns.reader(TableColumns.low(d)), low[d], first, count, -1);
        numbers(columns.reader(TableColumns.high(d)), high[d], first, count, -1);
      }
      numbers(columns.reader(TableColumns.NNZ), cells, first, count, 0);
      numbers(columns.reader(TableColumns.RAW_BYTES), rawBytes, first, count, 0);
      texts(columns.reader(TableColumns.ENC), encodings, first, count);
      first += count;
    }
    int[] kindsOfRows = Arrays.stream(kinds).mapToInt(k -> (int) k).toArray();
    return new FileIndex(
        file, tensors, kindsOfRows, parts, low, high, cells, rawBytes, encodings, tail);
  }

  private static void numbers(
      ColumnReader column, long[] into, int first, int count, long missing) {
    for (int i = first; i < first + count; i++) {
      into[i] = RowColumns.nextNumber(column, missing);
    }
  }

  private static void texts(ColumnReader column, String[] into, int first, int count) {
    String before = "";
    byte[] beforeBytes = {};
    for (int i = first; i < first + count; i++) {
      byte[] bytes = RowColumns.next(column, true);
      if (!Arrays.equals(bytes, beforeBytes)) {
        before = new String(bytes, StandardCharsets.UTF_8);
        beforeBytes = bytes;
      }
      into[i] = before;
    }
  }
}
