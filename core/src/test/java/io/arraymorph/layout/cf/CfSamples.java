package io.arraymorph.layout.cf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Raw elements, attributes, and what they decode to, for tests. */
final class CfSamples {
  static final DataType INT16 = new DataType.Int(16, true);
  static final DataType INT64 = new DataType.Int(64, true);
  static final DataType FLOAT32 = new DataType.Float(FloatFormat.FLOAT32);
  static final DataType FLOAT64 = new DataType.Float(FloatFormat.FLOAT64);

  private CfSamples() {}

  static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }

  static FixedWidthElements longs(DataType type, long... values) {
    int width = type.byteWidth();
    byte[] bytes = new byte[3 + values.length * width];
    for (int i = 0; i < values.length; i++) {
      for (int b = 0; b < width; b++) {
        bytes[3 + i * width + b] = (byte) (values[i] >> (8 * b));
      }
    }
    return new FixedWidthElements(type, Shape.of(values.length), bytes, 3);
  }

  static FixedWidthElements doubles(double... values) {
    byte[] bytes = new byte[8 * values.length];
    for (int i = 0; i < values.length; i++) {
      LittleEndianBytes.putDouble(bytes, 8 * i, values[i]);
    }
    return new FixedWidthElements(FLOAT64, Shape.of(values.length), bytes, 0);
  }

  static FixedWidthElements floats(float... values) {
    byte[] bytes = new byte[4 * values.length];
    for (int i = 0; i < values.length; i++) {
      LittleEndianBytes.putFloat(bytes, 4 * i, values[i]);
    }
    return new FixedWidthElements(FLOAT32, Shape.of(values.length), bytes, 0);
  }

  static List<Object> decode(FixedWidthElements raw, String attributes) {
    CfDecoding decoding = CfDecoding.of(raw.type(), json(attributes));
    List<Object> values = values(decoding.decode(raw));
    // What travels to other processes decodes the same.
    assertThat(values(CfDecoding.parse(raw.type(), decoding.toJson()).decode(raw)))
        .isEqualTo(values);
    return values;
  }

  static List<Object> values(DecodedColumn column) {
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < column.count(); i++) {
      Object value = column.valueAt(i);
      values.add(value instanceof byte[] ? Arrays.toString((byte[]) value) : value);
    }
    return values;
  }
}
