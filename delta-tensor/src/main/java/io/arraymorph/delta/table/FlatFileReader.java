package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.IntegerElements;
import io.arraymorph.delta.tensor.Region;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;

/**
 * Reads files of a flat table, whoever wrote them, a row group at a time; row groups outside the
 * region are not fetched. What is found is handed on as pieces. Thread-safe.
 */
final class FlatFileReader {
  private static final Configuration NOTHING_SET = new Configuration(false);
  private static final long TAIL = 64 << 10;
  private static final long GAP = 256 << 10;

  private final ObjectStore store;

  FlatFileReader(ObjectStore store) {
    this.store = store;
  }

  /** Reads the cells of a region in one of several shares of a file's row groups. */
  void pieces(
      DataFile file,
      TensorHeader header,
      Region region,
      int share,
      int shares,
      Consumer<Piece> sink) {
    StoreInputFile input = new StoreInputFile(new StorePath(store, file.key()), file.size());
    try {
      input.fetch(List.of(ByteRange.of(Math.max(0, file.size() - TAIL), file.size())), 0);
      try (ParquetFileReader reader =
          ParquetFileReader.open(
              input,
              HadoopReadOptions.builder(NOTHING_SET).usePageChecksumVerification(true).build())) {
        List<BlockMetaData> groups = reader.getRowGroups();
        long before = 0;
        int from = (int) ((long) groups.size() * share / shares);
        int to = (int) ((long) groups.size() * (share + 1) / shares);
        List<Integer> wanted = new ArrayList<>();
        List<ByteRange.Bounded> ranges = new ArrayList<>();
        for (int g = from; g < to; g++) {
          if (mayHold(groups.get(g), header, region)) {
            wanted.add(g);
            for (ColumnChunkMetaData column : groups.get(g).getColumns()) {
              long start = column.getStartingPos();
              ranges.add(ByteRange.of(start, start + column.getTotalSize()));
            }
          }
        }
        input.fetch(ranges, GAP);
        for (int g = 0; g < groups.size(); g++) {
          if (wanted.contains(g)) {
            emit(read(reader, g, before, file, header, region), header, sink);
          }
          before += groups.get(g).getRowCount();
        }
      }
    } catch (IOException | RuntimeException e) {
      throw DataFileReader.failure(file, e);
    }
  }

  private static boolean mayHold(BlockMetaData group, TensorHeader header, Region region) {
    List<String> dimensions = FlatColumns.dimensions(header);
    for (ColumnChunkMetaData column : group.getColumns()) {
      int d = dimensions.indexOf(column.getPath().toDotString());
      Statistics<?> statistics = column.getStatistics();
      if (d >= 0 && statistics instanceof LongStatistics && statistics.hasNonNullValue()) {
        LongStatistics longs = (LongStatistics) statistics;
        if (longs.getMin() > region.last(d) || longs.getMax() < region.first(d)) {
          return false;
        }
      }
    }
    return true;
  }

  private static CellBuffer read(
      ParquetFileReader reader,
      int group,
      long firstRow,
      DataFile file,
      TensorHeader header,
      Region region)
      throws IOException {
    PageReadStore pages = reader.readRowGroup(group);
    RowColumns columns = new RowColumns(pages, reader, reader.getFileMetaData().getSchema());
    int rows = Math.toIntExact(pages.getRowCount());
    int rank = region.rank();
    boolean[] inside = new boolean[rows];
    for (int i = 0; i < rows; i++) {
      inside[i] = !file.isDeleted(firstRow + i);
    }
    long[][] indices = new long[rank][rows];
    for (int d = 0; d < rank; d++) {
      ColumnReader column = columns.reader(FlatColumns.dimensions(header).get(d));
      for (int i = 0; i < rows; i++) {
        long index = RowColumns.nextNumber(column, -1);
        if (inside[i] && (index < 0 || index >= header.schema().shape().length(d))) {
          throw outside(file, index, header);
        }
        indices[d][i] = index;
        inside[i] &= region.contains(d, index);
      }
    }
    CellBuffer cells = new CellBuffer(rank, header.schema().dataType());
    ColumnReader values = columns.reader(FlatColumns.value(header));
    if (values == null) {
      throw corrupt(file, "lacks column " + FlatColumns.value(header));
    }
    long[] cell = new long[rank];
    for (int i = 0; i < rows; i++) {
      if (values.getCurrentDefinitionLevel() < values.getDescriptor().getMaxDefinitionLevel()) {
        if (inside[i]) {
          throw corrupt(file, "has a NULL value");
        }
      } else if (inside[i]) {
        for (int d = 0; d < rank; d++) {
          cell[d] = indices[d][i];
        }
        cells.append(cell);
        append(values, header.schema().dataType(), cells);
      } else {
        values.skip();
      }
      values.consume();
    }
    return cells;
  }

  private static void append(ColumnReader values, DataType type, CellBuffer cells) {
    if (!type.isFixedWidth()) {
      byte[] bytes = values.getBinary().getBytes();
      cells.values().appendBytes(bytes, 0, bytes.length);
      return;
    }
    long bits;
    switch (values.getDescriptor().getPrimitiveType().getPrimitiveTypeName()) {
      case BOOLEAN:
        bits = values.getBoolean() ? 1 : 0;
        break;
      case INT32:
        bits = values.getInteger();
        break;
      case INT64:
        bits = values.getLong();
        break;
      case FLOAT:
        bits = Float.floatToRawIntBits(values.getFloat());
        break;
      case DOUBLE:
        bits = Double.doubleToRawLongBits(values.getDouble());
        break;
      default:
        throw new IllegalStateException("values of type " + values.getDescriptor());
    }
    int at = cells.values().extend(1);
    IntegerElements.write(cells.values().bytes(), at, type.byteWidth(), bits);
  }

  /** Hands cells on as pieces. */
  static void emit(CellBuffer cells, TensorHeader header, Consumer<Piece> sink) {
    if (cells.count() > 0) {
      SparseTensor sorted =
          SparseTensor.of(header.schema(), cells, DuplicatePolicy.ERROR, FillPolicy.KEEP);
      new TensorEncoder(header.schema(), header.layout(), 0)
          .encode(sorted.columns(), sorted.count(), sorted.values(), sink);
    }
  }

  static ArrayMorphException outside(DataFile file, long index, TensorHeader header) {
    return corrupt(
        file, "has index " + index + ", outside the tensor's shape " + header.schema().shape());
  }

  private static ArrayMorphException corrupt(DataFile file, String what) {
    return new ArrayMorphException(
        ErrorCode.CHUNK_CORRUPT,
        "file " + file + " " + what,
        "Correct or delete such rows, or go back to an earlier version of the table");
  }
}
