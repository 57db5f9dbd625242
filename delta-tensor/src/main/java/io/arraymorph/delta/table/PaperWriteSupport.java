package io.arraymorph.delta.table;

import io.arraymorph.delta.paper.PaperColumn;
import io.arraymorph.delta.paper.PaperLayout;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;

/** Writes rows of the paper's layouts as records, one object for each column. */
@SuppressWarnings("deprecation") // What replaces Configuration is not in the Parquet of Spark 3.5.
final class PaperWriteSupport extends WriteSupport<Object[]> {
  private static final String LIST = "list";
  private static final String ELEMENT = "element";

  private final PaperLayout layout;
  private final List<PaperColumn> columns;
  private RecordConsumer out;

  PaperWriteSupport(PaperLayout layout) {
    this.layout = layout;
    this.columns = layout.columns();
  }

  @Override
  public WriteContext init(Configuration configuration) {
    return new WriteContext(PaperColumns.parquetSchema(layout), Map.of());
  }

  @Override
  public void prepareForWrite(RecordConsumer consumer) {
    out = consumer;
  }

  @Override
  public void write(Object[] row) {
    out.startMessage();
    for (int c = 0; c < row.length; c++) {
      if (row[c] != null) {
        String name = columns.get(c).name();
        out.startField(name, c);
        value(columns.get(c).kind(), row[c]);
        out.endField(name, c);
      }
    }
    out.endMessage();
  }

  private void value(PaperColumn.Kind kind, Object value) {
    switch (kind) {
      case TEXT:
        out.addBinary(Binary.fromString((String) value));
        break;
      case BYTES:
        out.addBinary(Binary.fromConstantByteArray((byte[]) value));
        break;
      case INTEGER:
        out.addInteger((Integer) value);
        break;
      case INTEGERS:
        int[] integers = (int[]) value;
        list(integers.length, i -> out.addInteger(integers[i]));
        break;
      case NUMBER:
        out.addDouble((Double) value);
        break;
      case NUMBERS:
        numbers((double[]) value);
        break;
      default:
        double[][] lists = (double[][]) value;
        list(lists.length, i -> numbers(lists[i]));
    }
  }

  private void numbers(double[] values) {
    list(values.length, i -> out.addDouble(values[i]));
  }

  private void list(int length, java.util.function.IntConsumer element) {
    out.startGroup();
    if (length > 0) {
      out.startField(LIST, 0);
      for (int i = 0; i < length; i++) {
        out.startGroup();
        out.startField(ELEMENT, 0);
        element.accept(i);
        out.endField(ELEMENT, 0);
        out.endGroup();
      }
      out.endField(LIST, 0);
    }
    out.endGroup();
  }
}
