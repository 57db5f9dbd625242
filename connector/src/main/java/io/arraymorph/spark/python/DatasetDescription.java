package io.arraymorph.spark.python;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.npy.NpyType;
import io.arraymorph.layout.npy.NpyValues;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNode;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What an opened dataset is, as JSON: dimensions, arrays, attributes, warnings. Makes no I/O. */
final class DatasetDescription {
  private DatasetDescription() {}

  static ObjectNode of(
      ZarrNode node, List<Dataset> tables, Map<String, Member> members, boolean decode) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("uri", node.path().toString()).put("zarr_format", node.zarrFormat());
    root.put("is_array", node instanceof ZarrArray);
    root.set("attributes", node.attributes());
    ObjectNode dimensions = root.putObject("dimensions");
    ArrayNode warnings = root.putArray("warnings");
    for (Dataset table : tables) {
      for (Dimension dimension : table.dimensions()) {
        if (!dimensions.has(dimension.name())) {
          dimensions.put(dimension.name(), dimension.length());
        }
      }
      table.warnings().forEach(warnings::add);
    }
    ObjectNode arrays = root.putObject("arrays");
    members.forEach((name, member) -> arrays.set(name, array(member, decode)));
    return root;
  }

  private static ObjectNode array(Member member, boolean decode) {
    ZarrArray array = member.array();
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("kind", member.kind().name().toLowerCase(Locale.ROOT));
    ArrayNode names = node.putArray("dims");
    member.dimensions().forEach(d -> names.add(d.name()));
    node.set("shape", IndexJson.lengths(array.schema().shape()));
    node.set("chunks", IndexJson.lengths(array.readChunkShape()));
    if (array.grid() instanceof RegularChunkGrid) {
      io.arraymorph.array.Shape stored = ((RegularChunkGrid) array.grid()).chunkShape();
      if (!stored.equals(array.readChunkShape())) {
        node.set("shards", IndexJson.lengths(stored));
      }
    }
    node.put("stored", array.schema().dataType().zarrName());
    node.put("dtype", dtype(member, decode));
    node.put("compression", array.compressionText());
    node.put("uri", array.path().toString());
    node.put("is_time", isTime(member));
    node.set("attributes", member.variable().attributes());
    return node;
  }

  /** True if labels along it are dates, so that a short one means a whole period. */
  private static boolean isTime(Member member) {
    return member.variable().type() == Scalar.TIMESTAMP
        || member.variable().type() == Scalar.TIMESTAMP_NTZ
        || member.variable().decoding().isCalendarText();
  }

  /** The dtype of numpy, {@code object}, or empty if numpy has none. */
  private static String dtype(Member member, boolean decode) {
    if (member.isText(decode)) {
      return "object";
    }
    try {
      return NpyType.descr(NpyValues.of(member.variable(), decode).type());
    } catch (ArrayMorphException e) {
      return ""; // Reading it says why; the others can still be read.
    }
  }
}
