package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.paper.PaperLayout;
import io.arraymorph.delta.paper.PaperRows;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.parquet.hadoop.ParquetWriter;

/**
 * Writes a tensor as rows of one of the paper's layouts. Nothing is visible until the files are
 * committed; who does not commit calls {@link #abort()}. A file is put when it has 64 MiB. Not
 * thread-safe.
 */
public final class PaperFileWriter implements CellsWriter {
  private static final int ZSTD_LEVEL = 3;
  private static final long FILE_BYTES = 64L << 20;
  private static final long GROUP_BYTES = 16L << 20;
  private static final int PAGE_BYTES = 64 << 10;

  private final StorePath table;
  private final TensorHeader header;
  private final PaperRows rows;
  private final List<PieceFile> files = new ArrayList<>();
  private ParquetBytes out;
  private ParquetWriter<Object[]> writer;
  private long written;
  private long cells;
  private long leastChunk;
  private long greatestChunk;

  /**
   * A writer of data files of a tensor.
   *
   * @param header as {@link io.arraymorph.delta.paper.PaperGeometry#header} gives it
   */
  public PaperFileWriter(StorePath table, TensorHeader header) {
    this.table = table;
    this.header = header;
    this.rows = new PaperRows(header);
  }

  /** Writes sorted cells: all of the tensor's, or any of them in COO and BSGS. */
  @Override
  public void write(SparseTensor tensor) {
    cells += tensor.count();
    rows.write(tensor, this::row);
  }

  /**
   * Writes a chunk of FTSF that is given as an array.
   *
   * @param box which cells of the tensor
   * @throws ArrayMorphException SHAPE_MISMATCH if that is not a chunk
   */
  public void chunk(Box box, Elements values) {
    cells += values.count();
    row(rows.chunk(box, values));
  }

  /** Writes a dense array as all chunks of FTSF. */
  public void writeDense(Elements values) {
    Shape shape = header.schema().shape();
    Shape block = header.layout().block();
    if (!(values instanceof FixedWidthElements)) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_TYPE,
          "values of " + values.type().zarrName() + " are not in numpy's files",
          "Use layout=compact");
    }
    FixedWidthElements fixed = (FixedWidthElements) values;
    long[] low = new long[shape.rank()];
    int size = Math.toIntExact(block.elementCount()) * fixed.type().byteWidth();
    int end = fixed.offset() + fixed.count() * fixed.type().byteWidth();
    for (int at = fixed.offset(); at < end; at += size) {
      chunk(box(low, block), new FixedWidthElements(fixed.type(), block, fixed.bytes(), at));
      for (int d = low.length - 1; d >= 0; d--) {
        low[d] += block.length(d);
        if (low[d] < shape.length(d)) {
          break;
        }
        low[d] = 0;
      }
    }
  }

  private static Box box(long[] low, Shape block) {
    long[] high = new long[low.length];
    for (int d = 0; d < low.length; d++) {
      high[d] = low[d] + block.length(d) - 1;
    }
    return Box.of(low, high);
  }

  @Override
  public List<PieceFile> finish() {
    close();
    return List.copyOf(files);
  }

  @Override
  public void abort() {
    PieceWriter.delete(table, files);
  }

  private void row(Object[] row) {
    try {
      if (writer == null) {
        open(row);
      }
      writer.write(row);
      written++;
      if (header.layout().encoding() == TensorEncoding.FTSF) {
        long chunk = (Integer) row[2];
        leastChunk = Math.min(leastChunk, chunk);
        greatestChunk = Math.max(greatestChunk, chunk);
      }
      if (writer.getDataSize() > FILE_BYTES) {
        close();
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Opens a file; of a chunk and what it is found by there is a page, unless chunks are small. */
  private void open(Object[] row) throws IOException {
    out = new ParquetBytes();
    ZstdParquetBuilder<Object[]> builder =
        new ZstdParquetBuilder<>(out, new PaperWriteSupport(rows.layout()), ZSTD_LEVEL)
            .withRowGroupSize(GROUP_BYTES);
    if (header.layout().encoding() == TensorEncoding.FTSF) {
      int bytes = ((byte[]) row[1]).length;
      builder
          .withPageRowCountLimit(Math.max(1, PAGE_BYTES / bytes))
          .withMinRowCountForPageSizeCheck(1)
          .withMaxRowCountForPageSizeCheck(16)
          .withDictionaryEncoding(PaperLayout.CHUNK, false)
          .withStatisticsEnabled(PaperLayout.CHUNK, false);
    }
    writer = builder.build();
    written = 0;
    leastChunk = Long.MAX_VALUE;
    greatestChunk = Long.MIN_VALUE;
  }

  private void close() {
    if (writer == null) {
      return;
    }
    try {
      writer.close();
    } catch (IOException e) {
      throw failed(e);
    }
    writer = null;
    byte[] file = out.toByteArray();
    String name = "paper-" + UUID.randomUUID() + ".zstd.parquet";
    long modified = PieceWriter.put(table.resolve(name), file);
    files.add(
        new PieceFile(
            name,
            file.length,
            modified,
            header.tensorId(),
            TableColumns.DATA,
            written,
            cells,
            PieceFile.Bounds.none(0),
            leastChunk,
            greatestChunk,
            Map.of()));
    cells = 0;
  }

  private ArrayMorphException failed(IOException e) {
    return new ArrayMorphException(
        ErrorCode.WRITE_FAILED,
        "a Parquet file of tensor '" + header.tensorId() + "' could not be made: " + e.getMessage(),
        "Run the write again",
        e);
  }
}
