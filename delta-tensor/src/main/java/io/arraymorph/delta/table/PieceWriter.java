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

  /** Pieces that wait for enough of them to tell how to compress; none once a file is begun. */
  private final List<Piece> pending = new ArrayList<>();

  private long pendingBytes;
  private FileInProgress file;

  /** A writer of pieces of a tensor of this rank. */
  public PieceWriter(StorePath table, String tensorId, int rank, Settings settings) {
    this.table = table;
    this.tensorId = tensorId;
    this.rank = rank;
    this.settings = settings;
  }

  /** Adds a piece; may write a file. */
  public void write(Piece piece) {
    long bytes = (long) piece.positions().length + piece.values().length;
    if (file != null) {
      file.write(piece, bytes);
    } else {
      pending.add(piece);
      pendingBytes += bytes;
      if (pendingBytes >= SAMPLE_BYTES) {
        begin();
      }
    }
    if (file != null && file.bytes >= settings.fileBytes()) {
      flush();
    }
  }

  private void begin() {
    file = new FileInProgress(tensorId, rank, settings, level());
    for (Piece piece : pending) {
      file.write(piece, piece.positions().length + piece.values().length);
    }
    pending.clear();
    pendingBytes = 0;
  }

  /** A file to which rows are added, so that pages are compressed while others are encoded. */
  private static final class FileInProgress {
    private final String tensorId;
    private final PieceFile.Bounds bounds;
    private final ParquetBytes out = new ParquetBytes();
    private final ParquetWriter<TableRow> writer;
    private int rows;
    private long bytes;
    private long cells;
    private long least = Long.MAX_VALUE;
    private long greatest = Long.MIN_VALUE;

    FileInProgress(String tensorId, int rank, Settings settings, int level) {
      this.tensorId = tensorId;
      this.bounds = PieceFile.Bounds.none(rank);
      try {
        this.writer = writer(out, rank, settings, level);
      } catch (IOException e) {
        throw failed(0, e);
      }
    }

    void write(Piece piece, long pieceBytes) {
      bounds.add(piece.box());
      bytes += pieceBytes;
      cells += piece.cells();
      least = Math.min(least, piece.part());
      greatest = Math.max(greatest, piece.part());
      rows++;
      try {
        writer.write(TableRow.of(tensorId, piece));
      } catch (IOException e) {
        throw failed(rows, e);
      }
    }

    ParquetFile finish() {
      try {
        writer.close();
      } catch (IOException e) {
        throw failed(rows, e);
      }
      return new ParquetFile(out.toByteArray(), tail(writer.getFooter()));
    }
  }

  private static ArrayMorphException failed(int rows, IOException e) {
    return new ArrayMorphException(
        ErrorCode.WRITE_FAILED,
        "a Parquet file of " + rows + " rows could not be made: " + e.getMessage(),
        "Run the write again",
        e);
  }

  /** Writes what is left; the files written. */
  public List<PieceFile> finish() {
    if (!pending.isEmpty()) {
      begin();
    }
    if (file != null) {
      flush();
    }
    return List.copyOf(files);
  }

  /** Deletes the files written so far. */
  public void abort() {
    FileInProgress begun = file;
    file = null;
    try {
      if (begun != null) {
        begun.finish(); // Gives back the memory of the compressors.
      }
    } finally {
      delete(table, files);
    }
  }

  /** Deletes files that will not be committed. */
  static void delete(StorePath table, List<PieceFile> files) {
    if (!files.isEmpty()) {
      StoreAnswers.await(
          table.store().deleteAll(files.stream().map(f -> table.resolve(f.name()).key()).toList()));
    }
  }

  private void flush() {
    FileInProgress done = file;
    file = null;
    ParquetFile parquet = done.finish();
    byte[] bytes = parquet.bytes();
    String name = "tensor-" + UUID.randomUUID() + ".zstd.parquet";
    long modified = put(table.resolve(name), bytes);
    files.add(
        new PieceFile(
            name,
            bytes.length,
            modified,
            tensorId,
            TableColumns.DATA,
            done.rows,
            done.cells,
            done.bounds,
            done.least,
            done.greatest,
            Map.of(PieceFile.TAIL_TAG, String.valueOf(parquet.tail()))));
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
    byte[] file = parquet(row).bytes();
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

  private static ParquetFile parquet(TableRow row) {
    ParquetBytes out = new ParquetBytes();
    try {
      Settings settings = Settings.DEFAULT;
      ParquetWriter<TableRow> writer = writer(out, 0, settings, settings.zstdLevel());
      try (writer) {
        writer.write(row);
      }
      return new ParquetFile(out.toByteArray(), tail(writer.getFooter()));
    } catch (IOException e) {
      throw failed(1, e);
    }
  }

  private static ParquetWriter<TableRow> writer(
      ParquetBytes out, int rank, Settings settings, int level) throws IOException {
    return new ZstdParquetBuilder<>(out, new RowWriteSupport(rank), level)
        .withRowGroupSize((long) Integer.MAX_VALUE)
        .withPageSize(Math.toIntExact(settings.pageBytes()))
        .withMinRowCountForPageSizeCheck(1)
        .withMaxRowCountForPageSizeCheck(1)
        .withDictionaryEncoding(TableColumns.IDX, false)
        .withDictionaryEncoding(TableColumns.VAL, false)
        .withStatisticsEnabled(TableColumns.IDX, false)
        .withStatisticsEnabled(TableColumns.VAL, false)
        .build();
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
