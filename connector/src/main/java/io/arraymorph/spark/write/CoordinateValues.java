package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.column.LittleEndianBytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.spark.sql.types.DataTypes;

/**
 * The coordinate values along one dimension of a new array: a 1-D array with CF's attributes.
 *
 * @param dimension name of the dimension and the array
 * @param type Spark type of the column they come from
 * @param keys Long, Double or String, in the order of the indices, each once
 */
record CoordinateValues(
    String dimension, org.apache.spark.sql.types.DataType type, List<Object> keys) {
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  /** Copies the keys. */
  CoordinateValues {
    keys = List.copyOf(keys);
  }

  /** The element type in which they are stored. */
  DataType stored() {
    return element().stored();
  }

  /** The attributes of the coordinate array. */
  ObjectNode attributes() {
    ObjectNode attributes = JsonNodeFactory.instance.objectNode();
    element().describe(attributes);
    return attributes;
  }

  private ElementType element() {
    return ElementType.of(dimension, type, org.apache.spark.sql.types.Metadata.empty());
  }

  /** All values as elements. */
  Elements elements() {
    Shape shape = Shape.of(keys.size());
    DataType stored = stored();
    if (stored instanceof DataType.VariableString) {
      return texts(keys, shape);
    }
    int width = stored.byteWidth();
    byte[] bytes = new byte[width * keys.size()];
    for (int i = 0; i < keys.size(); i++) {
      put(keys.get(i), stored, bytes, i * width);
    }
    return new FixedWidthElements(stored, shape, bytes, 0);
  }

  private void put(Object key, DataType stored, byte[] bytes, int at) {
    if (stored instanceof DataType.Float) {
      double value = (Double) key;
      if (((DataType.Float) stored).format() == FloatFormat.FLOAT32) {
        LittleEndianBytes.putFloat(bytes, at, (float) value);
      } else {
        LittleEndianBytes.putDouble(bytes, at, value);
      }
      return;
    }
    long value = (Long) key;
    if (type.equals(DataTypes.DateType)) {
      value = Math.floorDiv(value, MICROS_PER_DAY);
    }
    switch (stored.byteWidth()) {
      case 1:
        bytes[at] = (byte) value;
        return;
      case 2:
        LittleEndianBytes.putShort(bytes, at, (short) value);
        return;
      case 4:
        LittleEndianBytes.putInt(bytes, at, (int) value);
        return;
      default:
        LittleEndianBytes.putLong(bytes, at, value);
    }
  }

  /** Texts as elements. */
  static Elements texts(List<Object> texts, Shape shape) {
    byte[][] parts = new byte[texts.size()][];
    int[] offsets = new int[parts.length + 1];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = ((String) texts.get(i)).getBytes(StandardCharsets.UTF_8);
      offsets[i + 1] = Math.addExact(offsets[i], parts[i].length);
    }
    byte[] bytes = new byte[offsets[parts.length]];
    for (int i = 0; i < parts.length; i++) {
      System.arraycopy(parts[i], 0, bytes, offsets[i], parts[i].length);
    }
    return new VariableWidthElements(new DataType.VariableString(), shape, offsets, bytes);
  }
}
