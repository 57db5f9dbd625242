package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.IntegerElements;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;

/**
 * Writes the cells of a tensor as rows of a flat table. Nothing is visible until the files are
 * committed; who does not commit calls {@link #abort()}. Each call writes a file, so memory is
 * bounded by what one call hands over. Not thread-safe.
 */
public final class FlatFileWriter implements CellsWriter {
  private static final int ZSTD_LEVEL = 3;
  private static final int ROW_GROUP_BYTES = 4 << 20;

  private final StorePath table;
  private final TensorHeader header;
  private final List<PieceFile> files = new ArrayList<>();

  /** A writer of data files of a table that holds this tensor. */
  public FlatFileWriter(StorePath table, TensorHeader header) {
    this.table = table;
    this.header = header;
  }

  /** Writes sorted cells into a file. */
  @Override
  public void write(SparseTensor cells) {
    write(cells.columns(), cells.count(), cells.values());
  }

  /** Writes unique cells into a file. */
  void write(long[][] columns, int count, Elements values) {
    if (count == 0) {
      return;
    }
    int rank = header.schema().shape().rank();
    PieceFile.Bounds bounds = PieceFile.Bounds.none(rank);
    for (int i = 0; i < count; i++) {
      long[] cell = new long[rank];
      for (int d = 0; d < rank; d++) {
        cell[d] = columns[d][i];
      }
      bounds.add(Box.of(cell, cell));
    }
    byte[] file = parquet(columns, count, values);
    String name = "cells-" + UUID.randomUUID() + ".zstd.parquet";
    long modified = PieceWriter.put(table.resolve(name), file);
    files.add(
        new PieceFile(
            name,
            file.length,
            modified,
            header.tensorId(),
            TableColumns.DATA,
            count,
            count,
            bounds,
            0,
            0,
            Map.of()));
  }

  @Override
  public List<PieceFile> finish() {
    return List.copyOf(files);
  }

  @Override
  public void abort() {
    PieceWriter.delete(table, files);
  }

  private byte[] parquet(long[][] columns, int count, Elements values) {
    ParquetBytes out = new ParquetBytes();
    try (ParquetWriter<Integer> writer =
        new ZstdParquetBuilder<>(out, new Cells(header, columns, values), ZSTD_LEVEL)
            .withRowGroupSize((long) ROW_GROUP_BYTES)
            .build()) {
      for (int i = 0; i < count; i++) {
        writer.write(i);
      }
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.WRITE_FAILED,
          "a Parquet file of " + count + " cells could not be made: " + e.getMessage(),
          "Run the write again",
          e);
    }
    return out.toByteArray();
  }

  /** Cells by number, as records. */
  @SuppressWarnings(
      "deprecation") // What replaces Configuration is not in the Parquet of Spark 3.5.
  private static final class Cells extends WriteSupport<Integer> {
    private final TensorHeader header;
    private final long[][] columns;
    private final Elements values;
    private RecordConsumer out;

    Cells(TensorHeader header, long[][] columns, Elements values) {
      this.header = header;
      this.columns = columns;
      this.values = values;
    }

    @Override
    public WriteContext init(Configuration configuration) {
      return new WriteContext(FlatColumns.parquetSchema(header), Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      out = consumer;
    }

    @Override
    public void write(Integer cell) {
      List<String> names = FlatColumns.dimensions(header);
      out.startMessage();
      for (int d = 0; d < names.size(); d++) {
        out.startField(names.get(d), d);
        out.addLong(columns[d][cell]);
        out.endField(names.get(d), d);
      }
      String name = FlatColumns.value(header);
      out.startField(name, names.size());
      value(cell);
      out.endField(name, names.size());
      out.endMessage();
    }

    private void value(int i) {
      DataType type = header.schema().dataType();
      if (values instanceof VariableWidthElements) {
        VariableWidthElements text = (VariableWidthElements) values;
        int from = text.offsets()[i];
        int length = text.offsets()[i + 1] - from;
        out.addBinary(Binary.fromConstantByteArray(text.bytes(), from, length));
        return;
      }
      FixedWidthElements fixed = (FixedWidthElements) values;
      int width = type.byteWidth();
      long bits = IntegerElements.read(fixed.bytes(), fixed.offset() + i * width, width, true);
      if (type instanceof DataType.Bool) {
        out.addBoolean(bits != 0);
      } else if (type instanceof DataType.Float) {
        if (width == 8) {
          out.addDouble(Double.longBitsToDouble(bits));
        } else {
          out.addFloat(Float.intBitsToFloat((int) bits));
        }
      } else if (width == 8) {
        out.addLong(bits);
      } else {
        out.addInteger((int) bits);
      }
    }
  }
}
