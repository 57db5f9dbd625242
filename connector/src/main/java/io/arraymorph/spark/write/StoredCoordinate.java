package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A coordinate array that exists: its values as keys, and new keys as its elements. */
final class StoredCoordinate {
  private final ZarrArray array;
  private final CfDecoding decoding;
  private final List<Object> keys;

  private StoredCoordinate(ZarrArray array, CfDecoding decoding, List<Object> keys) {
    this.array = array;
    this.decoding = decoding;
    this.keys = keys;
  }

  /** Reads it. */
  static StoredCoordinate read(ZarrArray array) {
    CfDecoding decoding = CfDecoding.of(array.schema().dataType(), array.attributes());
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
      Elements raw = reader.read(array, Hyperslab.all(array.schema().shape()));
      return new StoredCoordinate(array, decoding, keys(decoding.decode(raw)));
    }
  }

  /** The key of each index; null where there is no value. */
  List<Object> keys() {
    return keys;
  }

  /**
   * Makes sure that a column's values can be compared with these.
   *
   * @throws ArrayMorphException TYPE_MISMATCH otherwise
   */
  void require(String dimension, org.apache.spark.sql.types.DataType type) {
    ColumnType stored = decoding.type();
    boolean isTime =
        stored == ColumnType.Scalar.TIMESTAMP || stored == ColumnType.Scalar.TIMESTAMP_NTZ;
    boolean fits;
    switch (DimensionKey.of(dimension, type)) {
      case DOUBLE:
        fits = stored == ColumnType.Scalar.DOUBLE || stored == ColumnType.Scalar.FLOAT;
        break;
      case TEXT:
        fits = stored == ColumnType.Scalar.STRING;
        break;
      default:
        fits = DimensionKey.isIndex(type) ? isInteger(stored) : isTime;
    }
    if (!fits) {
      throw new ArrayMorphException(
          ErrorCode.TYPE_MISMATCH,
          "dimension column "
              + dimension
              + " has type "
              + type.simpleString()
              + ", the coordinates of "
              + array.path()
              + " are "
              + stored,
          "Give the coordinates of the array");
    }
  }

  private static boolean isInteger(ColumnType type) {
    return type == ColumnType.Scalar.BYTE
        || type == ColumnType.Scalar.SHORT
        || type == ColumnType.Scalar.INT
        || type == ColumnType.Scalar.LONG;
  }

  /**
   * New keys in the array's type and units; each is checked to be read as it was given.
   *
   * @throws ArrayMorphException TYPE_MISMATCH for one that the array cannot hold exactly
   */
  Elements encode(List<Object> added) {
    DataType type = array.schema().dataType();
    Shape shape = Shape.of(added.size());
    Elements raw;
    if (type instanceof DataType.VariableString) {
      raw = CoordinateValues.texts(added, shape);
    } else if (type.isFixedWidth() && type.byteWidth() <= 8) {
      raw = numbers(added, type, shape);
    } else {
      throw unfit(added.isEmpty() ? "" : added.get(0));
    }
    List<Object> read = keys(decoding.decode(raw));
    for (int i = 0; i < added.size(); i++) {
      if (!added.get(i).equals(read.get(i))) {
        throw unfit(added.get(i));
      }
    }
    return raw;
  }

  /** What decodes to a key is found from what 0 and 1 decode to, for all decodings are linear. */
  private Elements numbers(List<Object> added, DataType type, Shape shape) {
    int width = type.byteWidth();
    byte[] probe = new byte[2 * width];
    put(type, probe, width, 1, 1);
    List<Object> ends = keys(decoding.decode(new FixedWidthElements(type, Shape.of(2), probe, 0)));
    byte[] bytes = new byte[width * added.size()];
    for (int i = 0; i < added.size(); i++) {
      if (ends.get(0) instanceof Long && added.get(i) instanceof Long) {
        long origin = (Long) ends.get(0);
        long step = (Long) ends.get(1) - origin;
        long distance = (Long) added.get(i) - origin;
        if (step == 0) {
          throw unfit(added.get(i));
        }
        put(type, bytes, i * width, distance / step, (double) distance / step);
      } else if (ends.get(0) instanceof Double && added.get(i) instanceof Double) {
        double origin = (Double) ends.get(0);
        double raw = ((Double) added.get(i) - origin) / ((Double) ends.get(1) - origin);
        put(type, bytes, i * width, Math.round(raw), raw);
      } else {
        throw unfit(added.get(i));
      }
    }
    return new FixedWidthElements(type, shape, bytes, 0);
  }

  private static void put(DataType type, byte[] bytes, int at, long whole, double number) {
    if (type instanceof DataType.Float) {
      if (((DataType.Float) type).format() == FloatFormat.FLOAT64) {
        LittleEndianBytes.putDouble(bytes, at, number);
      } else if (((DataType.Float) type).format() == FloatFormat.FLOAT32) {
        LittleEndianBytes.putFloat(bytes, at, (float) number);
      }
      return;
    }
    switch (type.byteWidth()) {
      case 1:
        bytes[at] = (byte) whole;
        return;
      case 2:
        LittleEndianBytes.putShort(bytes, at, (short) whole);
        return;
      case 4:
        LittleEndianBytes.putInt(bytes, at, (int) whole);
        return;
      default:
        LittleEndianBytes.putLong(bytes, at, whole);
    }
  }

  private static List<Object> keys(DecodedColumn values) {
    List<Object> keys = new ArrayList<>(values.count());
    for (int i = 0; i < values.count(); i++) {
      keys.add(values.isNull(i) ? null : key(values, i));
    }
    return keys;
  }

  private static Object key(DecodedColumn values, int i) {
    ColumnType type = values.type();
    if (type == ColumnType.Scalar.FLOAT || type == ColumnType.Scalar.DOUBLE) {
      return values.doubleAt(i) + 0.0;
    } else if (type == ColumnType.Scalar.STRING) {
      return new String(values.bytesAt(i), StandardCharsets.UTF_8);
    } else if (type == ColumnType.Scalar.BINARY || type == ColumnType.Scalar.BOOLEAN) {
      return values.valueAt(i);
    }
    return values.longAt(i);
  }

  private ArrayMorphException unfit(Object key) {
    return new ArrayMorphException(
        ErrorCode.TYPE_MISMATCH,
        "coordinate "
            + key
            + " cannot be stored exactly in "
            + array.path()
            + " ("
            + array.schema().dataType().zarrName()
            + ", units "
            + array.attributes().path("units").asText("none")
            + ")",
        "Round the coordinates to what the array's units can hold, or overwrite the array");
  }
}
