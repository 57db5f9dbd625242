package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.layout.column.LittleEndianBytes;

/** The attribute by which readers tell a fill value from a value: CF's {@code _FillValue}. */
final class NullValue {
  /** NaN as xarray writes it, for JSON has none: the base64 text of the little-endian float64. */
  private static final String NAN = "AAAAAAAA+H8=";

  private NullValue() {}

  /**
   * Adds it where the user gave a fill value and for times stored as counts, of which none means
   * NULL; elsewhere every value is a value.
   */
  static void describe(NewNode.Variable variable, ObjectNode attributes) {
    if (variable.fill().isEmpty() && variable.type().timeUnits().isEmpty()) {
      return;
    }
    DataType type = variable.type().stored();
    Elements fill = variable.type().fill(variable.fill());
    if (type instanceof DataType.Float) {
      double value = floating((FixedWidthElements) fill);
      if (Double.isNaN(value)) {
        attributes.put("_FillValue", NAN);
      } else if (!Double.isInfinite(value)) {
        attributes.put("_FillValue", value);
      }
    } else if (type instanceof DataType.Int) {
      integer((DataType.Int) type, (FixedWidthElements) fill, attributes);
    }
  }

  private static double floating(FixedWidthElements fill) {
    boolean wide = ((DataType.Float) fill.type()).format() == FloatFormat.FLOAT64;
    return wide
        ? LittleEndianBytes.getDouble(fill.bytes(), fill.offset())
        : LittleEndianBytes.getFloat(fill.bytes(), fill.offset());
  }

  private static void integer(DataType.Int type, FixedWidthElements fill, ObjectNode attributes) {
    byte[] bytes = fill.bytes();
    int at = fill.offset();
    switch (type.bits()) {
      case 8:
        attributes.put("_FillValue", type.signed() ? bytes[at] : bytes[at] & 0xff);
        return;
      case 16:
        short narrow = LittleEndianBytes.getShort(bytes, at);
        attributes.put("_FillValue", type.signed() ? narrow : narrow & 0xffff);
        return;
      case 32:
        int middle = LittleEndianBytes.getInt(bytes, at);
        attributes.put("_FillValue", type.signed() ? middle : middle & 0xffffffffL);
        return;
      default:
        long wide = LittleEndianBytes.getLong(bytes, at);
        if (type.signed()) {
          attributes.put("_FillValue", wide);
        } else {
          attributes.put("_FillValue", new java.math.BigInteger(Long.toUnsignedString(wide)));
        }
    }
  }
}
