package io.arraymorph.spark.catalog;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.spark.write.NodeLayout;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What DESCRIBE says of a table: how its arrays are stored. Everything comes from metadata. */
final class NodeProperties {
  private NodeProperties() {}

  /** Properties by name. */
  static Map<String, String> of(ZarrNode node, Dataset dataset) {
    Map<String, String> properties = new TreeMap<>();
    properties.put("location", node.path().toString());
    properties.put("provider", "arraymorph");
    properties.put("node", node instanceof ZarrArray ? "array" : "group");
    properties.put("zarr_format", String.valueOf(node.zarrFormat()));
    List<String> dimensions = new ArrayList<>();
    for (Dimension dimension : dataset.dimensions()) {
      dimensions.add(dimension.name() + "=" + dimension.length());
    }
    properties.put("dimensions", String.join(", ", dimensions));
    BigInteger bytes = BigInteger.ZERO;
    for (Variable variable : dataset.variables()) {
      ZarrArray array = (ZarrArray) variable.array();
      bytes = bytes.add(bytes(array.schema()));
      String prefix = dataset.variables().size() == 1 ? "" : "variable." + variable.name() + ".";
      properties.putAll(array(prefix, array));
    }
    properties.put("uncompressed_bytes", bytes.toString());
    return properties;
  }

  private static Map<String, String> array(String prefix, ZarrArray array) {
    Map<String, String> properties = new TreeMap<>();
    properties.put(prefix + "data_type", array.schema().dataType().zarrName());
    properties.put(prefix + "shape", NodeLayout.sizes(array.schema().shape()));
    properties.put(prefix + "chunks", NodeLayout.sizes(array.readChunkShape()));
    if (array.grid() instanceof RegularChunkGrid) {
      Shape stored = ((RegularChunkGrid) array.grid()).chunkShape();
      if (!stored.equals(array.readChunkShape())) {
        properties.put(prefix + "shards", NodeLayout.sizes(stored));
      }
    }
    properties.put(prefix + "codecs", String.join(",", array.codecNames()));
    properties.put(prefix + "compression", array.compressionText());
    properties.put(prefix + "chunk_objects", cells(array.grid().gridShape()).toString());
    return properties;
  }

  private static BigInteger bytes(ArraySchema schema) {
    return cells(schema.shape()).multiply(BigInteger.valueOf(schema.dataType().byteWidth()));
  }

  private static BigInteger cells(Shape shape) {
    BigInteger cells = BigInteger.ONE;
    for (long length : shape.toArray()) {
      cells = cells.multiply(BigInteger.valueOf(length));
    }
    return cells;
  }
}
