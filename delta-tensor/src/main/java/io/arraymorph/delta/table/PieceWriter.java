package io.arraymorph.delta.table;

import com.github.luben.zstd.Zstd;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;

/**
 * Writes pieces of one tensor into data files of a table's directory. Nothing is visible until the
 * files are committed.
 *
 * <p>A file holds at most about {@link Settings#fileBytes} of payload and is put at once, so memory
 * stays bounded. Not thread-safe. Who does not commit calls {@link #abort()}.
 */
public final class PieceWriter {

  /**
   * How files are cut.
   *
   * @param fileBytes payload bytes, before compression, after which a file ends
   * @param pageBytes payload bytes after which a page ends; what a slice reads at least
   * @param zstdLevel level of the pages' compression, at most: 1 where that is smaller
   */
  public record Settings(long fileBytes, long pageBytes, int zstdLevel) {
    /** 64 MiB a file, 32 KiB a page, level 3. */
    public static final Settings DEFAULT = new Settings(64L << 20, 32L << 10, 3);
  }

  private static final int SAMPLE_BYTES = 512 << 10;

  private final StorePath table;
  private final String tensorId;
  private final int rank;
  private final Settings settings;
  private final List<PieceFile> files = new ArrayList<>();
  private final List<Piece> pending = new ArrayList<>();
  private long pendingBytes;

  /** A writer of pieces of a tensor of this rank. */
  public PieceWriter(StorePath table, String tensorId, int rank, Settings settings) {
    this.table = table;
    this.tensorId = tensorId;
    this.rank = rank;
    this.settings = settings;
  }

  /** Adds a piece; may write a file. */
  public void write(Piece piece) {
    pending.add(piece);
    pendingBytes += piece.positions().length + piece.values().length;
    if (pendingBytes >= settings.fileBytes()) {
      flush();
    }
  }

  /** Writes what is left; the files written. */
  public List<PieceFile> finish() {
    if (!pending.isEmpty()) {
      flush();
    }
    return List.copyOf(files);
  }

  /** Deletes the files written so far. */
  public void abort() {
    delete(table, files);
  }

  /** Deletes files that will not be committed. */
  static void delete(StorePath table, List<PieceFile> files) {
    if (!files.isEmpty()) {
      StoreAnswers.await(
          table.store().deleteAll(files.stream().map(f -> table.resolve(f.name()).key()).toList()));
    }
  }

  private void flush() {
    PieceFile.Bounds bounds = PieceFile.Bounds.none(rank);
    long cells = 0;
    long least = Long.MAX_VALUE;
    long greatest = Long.MIN_VALUE;
    List<TableRow> rows = new ArrayList<>(pending.size());
    for (Piece piece : pending) {
      bounds.add(piece.box());
      cells += piece.cells();
      least = Math.min(least, piece.part());
      greatest = Math.max(greatest, piece.part());
      rows.add(TableRow.of(tensorId, piece));
    }
    ParquetFile parquet = parquet(rows, rank, settings, level());
    byte[] file = parquet.bytes();
    String name = "tensor-" + UUID.randomUUID() + ".zstd.parquet";
    long modified = put(table.resolve(name), file);
    files.add(
        new PieceFile(
            name,
            file.length,
            modified,
            tensorId,
            TableColumns.DATA,
            rows.size(),
            cells,
            bounds,
            least,
            greatest,
            Map.of(PieceFile.TAIL_TAG, String.valueOf(parquet.tail()))));
    pending.clear();
    pendingBytes = 0;
  }

  /**
   * The level of compression that leaves less of a sample: in noise the search for repetitions of
   * higher levels does harm, and level 1 is the faster one.
   */
  private int level() {
    int wanted = settings.zstdLevel();
    if (wanted == 1 || pendingBytes < SAMPLE_BYTES) {
      return wanted;
    }
    byte[] values = pending.get(pending.size() / 2).values();
    int from = Math.max(0, (values.length - SAMPLE_BYTES) / 2);
    byte[] sample = Arrays.copyOfRange(values, from, Math.min(values.length, from + SAMPLE_BYTES));
    return Zstd.compress(sample, 1).length <= Zstd.compress(sample, wanted).length ? 1 : wanted;
  }

  /** Writes a file that holds one header row. */
  static PieceFile writeHeader(StorePath table, TensorHeader header) {
    TableRow row =
        new TableRow(
            header.tensorId(),
            null,
            header.storedCells(),
            header.layout().encoding().label(),
            HeaderJson.write(header));
    byte[] file = parquet(List.of(row), 0, Settings.DEFAULT, Settings.DEFAULT.zstdLevel()).bytes();
    String name = "header-" + UUID.randomUUID() + ".zstd.parquet";
    long modified = put(table.resolve(name), file);
    return new PieceFile(
        name,
        file.length,
        modified,
        header.tensorId(),
        TableColumns.HEADER,
        1,
        header.storedCells(),
        PieceFile.Bounds.none(0),
        -1,
        -1,
        row.header().length > PieceFile.LONGEST_TAG
            ? Map.of()
            : Map.of(PieceFile.HEADER_TAG, new String(row.header(), StandardCharsets.UTF_8)));
  }

  /** A file, and where its payload columns end. */
  @SuppressWarnings("ArrayRecordComponent") // Put at once.
  private record ParquetFile(byte[] bytes, long tail) {}

  private static ParquetFile parquet(List<TableRow> rows, int rank, Settings settings, int level) {
    ParquetBytes out = new ParquetBytes();
    try {
      ParquetWriter<TableRow> writer =
          new ZstdParquetBuilder<>(out, new RowWriteSupport(rank), level)
              .withRowGroupSize((long) Integer.MAX_VALUE)
              .withPageSize(Math.toIntExact(settings.pageBytes()))
              .withMinRowCountForPageSizeCheck(1)
              .withMaxRowCountForPageSizeCheck(1)
              .withDictionaryEncoding(TableColumns.IDX, false)
              .withDictionaryEncoding(TableColumns.VAL, false)
              .withStatisticsEnabled(TableColumns.IDX, false)
              .withStatisticsEnabled(TableColumns.VAL, false)
              .build();
      try (writer) {
        for (TableRow row : rows) {
          writer.write(row);
        }
      }
      return new ParquetFile(out.toByteArray(), tail(writer.getFooter()));
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.WRITE_FAILED,
          "a Parquet file of " + rows.size() + " rows could not be made: " + e.getMessage(),
          "Run the write again",
          e);
    }
  }

  /** The payloads come first in the one row group: what lies behind them is needed to find rows. */
  private static long tail(ParquetMetadata footer) {
    long tail = 0;
    for (ColumnChunkMetaData column : footer.getBlocks().get(0).getColumns()) {
      String name = column.getPath().toDotString();
      if (name.equals(TableColumns.IDX) || name.equals(TableColumns.VAL)) {
        tail = Math.max(tail, column.getStartingPos() + column.getTotalSize());
      }
    }
    return tail;
  }

  static long put(StorePath path, byte[] bytes) {
    try {
      StoreAnswers.await(
          path.store().put(path.key(), ByteBuffer.wrap(bytes), WriteCondition.IF_ABSENT));
      return System.currentTimeMillis();
    } catch (StoreException e) {
      throw e.toUser();
    }
  }
}
