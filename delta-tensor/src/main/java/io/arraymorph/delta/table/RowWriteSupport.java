package io.arraymorph.delta.table;

import io.arraymorph.delta.encoding.Piece;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;

/** Rows of a tensor table as records of a Parquet file. */
@SuppressWarnings("deprecation") // What replaces Configuration is not in the Parquet of Spark 3.5.
final class RowWriteSupport extends WriteSupport<TableRow> {
  private final MessageType schema;
  private final int rank;
  private RecordConsumer out;

  RowWriteSupport(int rank) {
    this.schema = TableColumns.parquetSchema(rank);
    this.rank = rank;
  }

  @Override
  public WriteContext init(Configuration configuration) {
    return new WriteContext(schema, Map.of());
  }

  @Override
  public void prepareForWrite(RecordConsumer recordConsumer) {
    out = recordConsumer;
  }

  @Override
  public void write(TableRow row) {
    Piece piece = row.piece();
    out.startMessage();
    if (piece != null && piece.positions() != null && piece.positions().length > 0) {
      binary(TableColumns.IDX, Binary.fromConstantByteArray(piece.positions()));
    }
    byte[] values = piece == null ? row.header() : piece.values();
    binary(TableColumns.VAL, Binary.fromConstantByteArray(values));
    binary(TableColumns.TENSOR, Binary.fromString(row.tensorId()));
    int kind = schema.getFieldIndex(TableColumns.KIND);
    out.startField(TableColumns.KIND, kind);
    out.addInteger(piece == null ? TableColumns.HEADER : TableColumns.DATA);
    out.endField(TableColumns.KIND, kind);
    number(TableColumns.PART, piece == null ? -1 : piece.part());
    for (int d = 0; piece != null && d < rank; d++) {
      number(TableColumns.low(d), piece.box().low(d));
    }
    for (int d = 0; piece != null && d < rank; d++) {
      number(TableColumns.high(d), piece.box().high(d));
    }
    number(TableColumns.NNZ, piece == null ? row.headerCells() : piece.cells());
    number(TableColumns.RAW_BYTES, piece == null ? 0 : piece.rawBytes());
    String encoding = piece == null ? row.encoding() : piece.format().label();
    binary(TableColumns.ENC, Binary.fromString(encoding));
    out.endMessage();
  }

  private void number(String column, long value) {
    int field = schema.getFieldIndex(column);
    out.startField(column, field);
    out.addLong(value);
    out.endField(column, field);
  }

  private void binary(String column, Binary value) {
    int field = schema.getFieldIndex(column);
    out.startField(column, field);
    out.addBinary(value);
    out.endField(column, field);
  }
}
