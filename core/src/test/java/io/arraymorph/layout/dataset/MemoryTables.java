package io.arraymorph.layout.dataset;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Datasets made in memory, a dimension at a time. */
final class MemoryTables {
  private final MemoryObjectStore store = new MemoryObjectStore("tables");
  private final List<String> names = new ArrayList<>();
  private final List<Long> lengths = new ArrayList<>();
  private final List<NamedArray> coordinates = new ArrayList<>();
  private final Map<String, Elements> values = new HashMap<>();

  static ObjectNode attributes() {
    return JsonNodeFactory.instance.objectNode();
  }

  static DataType float64() {
    return new DataType.Float(FloatFormat.FLOAT64);
  }

  MemoryTables dimension(String name, long length) {
    names.add(name);
    lengths.add(length);
    return this;
  }

  MemoryTables doubles(String name, double... numbers) {
    byte[] bytes = new byte[8 * numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      LittleEndianBytes.putDouble(bytes, 8 * i, numbers[i]);
    }
    return coordinate(name, float64(), bytes, numbers.length, attributes());
  }

  MemoryTables floats(String name, float... numbers) {
    byte[] bytes = new byte[4 * numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      LittleEndianBytes.putFloat(bytes, 4 * i, numbers[i]);
    }
    DataType type = new DataType.Float(FloatFormat.FLOAT32);
    return coordinate(name, type, bytes, numbers.length, attributes());
  }

  MemoryTables longs(String name, long... numbers) {
    return longs(name, attributes(), numbers);
  }

  MemoryTables longs(String name, ObjectNode attributes, long... numbers) {
    byte[] bytes = new byte[8 * numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      LittleEndianBytes.putLong(bytes, 8 * i, numbers[i]);
    }
    return coordinate(name, new DataType.Int(64, true), bytes, numbers.length, attributes);
  }

  MemoryTables texts(String name, String... words) {
    byte[] bytes = new byte[4 * 8 * words.length];
    for (int i = 0; i < words.length; i++) {
      int[] points = words[i].codePoints().toArray();
      for (int c = 0; c < points.length; c++) {
        LittleEndianBytes.putInt(bytes, 4 * (8 * i + c), points[c]);
      }
    }
    return coordinate(name, new DataType.FixedLengthUtf32(8), bytes, words.length, attributes());
  }

  private MemoryTables coordinate(
      String name, DataType type, byte[] bytes, int length, ObjectNode attributes) {
    dimension(name, length);
    Shape shape = Shape.of(length);
    coordinates.add(array(name, type, shape, List.of(name), attributes));
    values.put(name, new FixedWidthElements(type, shape, bytes, 0));
    return this;
  }

  /** An array in the store of these tables; its chunks are not written. */
  NamedArray array(
      String name, DataType type, Shape shape, List<String> dimensions, ObjectNode attributes) {
    long[] chunks = shape.toArray();
    java.util.Arrays.setAll(chunks, d -> Math.min(1000, Math.max(1, chunks[d])));
    ZarrArraySpec spec =
        new ZarrArraySpec(
            type,
            shape,
            Shape.of(chunks),
            Optional.empty(),
            Compression.NONE,
            ZarrArraySpec.defaultFill(type),
            dimensions,
            attributes);
    return NamedArray.of(name, ZarrArray.of(new StorePath(store, name), spec));
  }

  Shape shape() {
    return Shape.of(lengths.stream().mapToLong(Long::longValue).toArray());
  }

  /** The table of one variable {@code v} on all dimensions. */
  Dataset dataset() {
    return dataset(List.of(array("v", float64(), shape(), names, attributes())), List.of());
  }

  Dataset dataset(List<NamedArray> chosen, List<NamedArray> more) {
    List<NamedArray> neighbours = new ArrayList<>(coordinates);
    neighbours.addAll(more);
    return Dataset.of(
        chosen,
        neighbours,
        List.of(),
        DatasetOptions.DEFAULT,
        (array, all) -> values.get(array.path().name()));
  }
}
