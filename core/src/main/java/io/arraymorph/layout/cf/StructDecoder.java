package io.arraymorph.layout.cf;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.Validity;
import java.util.ArrayList;
import java.util.List;

/** Takes structures and complex numbers apart: one packed column per field. */
final class StructDecoder {

  private StructDecoder() {}

  static DecodedColumn decode(FixedWidthElements raw, ColumnType type) {
    List<DataType> fields = new ArrayList<>();
    if (raw.type() instanceof DataType.Complex) {
      DataType part = new DataType.Float(((DataType.Complex) raw.type()).part());
      fields.add(part);
      fields.add(part);
    } else {
      ((DataType.Struct) raw.type()).fields().forEach(f -> fields.add(f.type()));
    }
    List<DecodedColumn> columns = new ArrayList<>();
    int at = 0;
    for (DataType field : fields) {
      columns.add(CfDecoding.raw(field).decode(gather(raw, field, at)));
      at += field.byteWidth();
    }
    return DecodedColumn.struct((ColumnType.Struct) type, raw.count(), columns, Validity.ALL);
  }

  private static FixedWidthElements gather(FixedWidthElements raw, DataType field, int at) {
    int stride = raw.type().byteWidth();
    int width = field.byteWidth();
    byte[] packed = new byte[Math.multiplyExact(raw.count(), width)];
    for (int i = 0; i < raw.count(); i++) {
      System.arraycopy(raw.bytes(), raw.offset() + i * stride + at, packed, i * width, width);
    }
    return new FixedWidthElements(field, raw.shape(), packed, 0);
  }
}
