package io.arraymorph.differential;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.sql.Row;

/** The text of a SQL value, as {@code cells.py} writes the cell. */
final class CellText {
  private CellText() {}

  /** Floats as the hexadecimal digits of their bits, times in microseconds. */
  static String of(Object value) {
    if (value == null) {
      return "null";
    }
    if (value instanceof Float) {
      float number = (Float) value;
      return Float.isNaN(number) ? "NaN" : String.format("%08x", Float.floatToIntBits(number));
    }
    if (value instanceof Double) {
      double number = (Double) value;
      return Double.isNaN(number) ? "NaN" : String.format("%016x", Double.doubleToLongBits(number));
    }
    if (value instanceof BigDecimal) {
      return ((BigDecimal) value).toPlainString();
    }
    if (value instanceof byte[]) {
      return HexFormat.of().formatHex((byte[]) value);
    }
    if (value instanceof LocalDateTime) {
      LocalDateTime epoch = LocalDateTime.ofEpochSecond(0, 0, ZoneOffset.UTC);
      return Long.toString(ChronoUnit.MICROS.between(epoch, (LocalDateTime) value));
    }
    if (value instanceof Duration) {
      Duration duration = (Duration) value;
      long whole = Math.multiplyExact(duration.getSeconds(), 1_000_000L);
      return Long.toString(whole + duration.getNano() / 1000);
    }
    if (value instanceof Row) {
      Row row = (Row) value;
      List<String> fields = new ArrayList<>();
      for (int i = 0; i < row.length(); i++) {
        fields.add(of(row.get(i)));
      }
      return "[" + String.join(",", fields) + "]";
    }
    return value.toString();
  }
}
