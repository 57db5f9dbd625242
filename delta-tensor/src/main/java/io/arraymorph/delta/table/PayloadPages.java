package io.arraymorph.delta.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.internal.column.columnindex.OffsetIndex;
import org.apache.parquet.schema.MessageType;

/**
 * Where the pages of the payload columns of a file lie: what is needed to read a row's payloads
 * without going through Parquet's reader again. Immutable.
 */
final class PayloadPages {
  @SuppressWarnings("deprecation") // Old writers encode levels so.
  private static final Set<Encoding> READABLE =
      Set.of(Encoding.PLAIN, Encoding.RLE, Encoding.BIT_PACKED);

  private final List<Chunk> positions;
  private final List<Chunk> values;

  /**
   * The pages of one column in one row group.
   *
   * @param optional true if values may be NULL
   * @param compressed true for zstd, false for no compression
   * @param offsets where each page begins in the file
   * @param sizes bytes of each page with its header
   * @param firstRows number in the file of each page's first row, and at last of the next group's
   */
  @SuppressWarnings("ArrayRecordComponent") // Read by this package only.
  record Chunk(
      boolean optional, boolean compressed, long[] offsets, int[] sizes, long[] firstRows) {

    /** The page that holds a row, or -1. */
    int page(long row) {
      int at = Arrays.binarySearch(firstRows, row);
      int page = at < 0 ? -at - 2 : at;
      return page < 0 || page >= offsets.length ? -1 : page;
    }
  }

  private PayloadPages(List<Chunk> positions, List<Chunk> values) {
    this.positions = positions;
    this.values = values;
  }

  /** The pages of a file, or empty if Parquet's own reader is needed to read them. */
  static Optional<PayloadPages> of(ParquetFileReader reader) throws IOException {
    List<Chunk> positions = new ArrayList<>();
    List<Chunk> values = new ArrayList<>();
    MessageType schema = reader.getFileMetaData().getSchema();
    for (BlockMetaData block : reader.getRowGroups()) {
      for (ColumnChunkMetaData column : block.getColumns()) {
        String name = column.getPath().toDotString();
        boolean isPositions = name.equals(TableColumns.IDX);
        if (isPositions || name.equals(TableColumns.VAL)) {
          OffsetIndex index = reader.readOffsetIndex(column);
          ColumnDescriptor type = schema.getColumnDescription(column.getPath().toArray());
          if (index == null || !isReadable(column, type)) {
            return Optional.empty();
          }
          (isPositions ? positions : values).add(chunk(block, column, type, index));
        }
      }
    }
    return Optional.of(new PayloadPages(positions, values));
  }

  private static boolean isReadable(ColumnChunkMetaData column, ColumnDescriptor type) {
    return (column.getCodec() == CompressionCodecName.ZSTD
            || column.getCodec() == CompressionCodecName.UNCOMPRESSED)
        && READABLE.containsAll(column.getEncodings())
        && type.getMaxRepetitionLevel() == 0
        && type.getMaxDefinitionLevel() <= 1;
  }

  private static Chunk chunk(
      BlockMetaData block, ColumnChunkMetaData column, ColumnDescriptor type, OffsetIndex index) {
    int n = index.getPageCount();
    long[] offsets = new long[n];
    int[] sizes = new int[n];
    long[] firstRows = new long[n + 1];
    for (int p = 0; p < n; p++) {
      offsets[p] = index.getOffset(p);
      sizes[p] = index.getCompressedPageSize(p);
      firstRows[p] = block.getRowIndexOffset() + index.getFirstRowIndex(p);
    }
    firstRows[n] = block.getRowIndexOffset() + block.getRowCount();
    return new Chunk(
        type.getMaxDefinitionLevel() == 1,
        column.getCodec() == CompressionCodecName.ZSTD,
        offsets,
        sizes,
        firstRows);
  }

  /** The chunks of the column of positions, by row group; empty if the file has none. */
  List<Chunk> positions() {
    return positions;
  }

  /** The chunks of the column of values, by row group. */
  List<Chunk> values() {
    return values;
  }
}
