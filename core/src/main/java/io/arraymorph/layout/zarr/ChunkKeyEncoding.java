package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;

/**
 * How the object of a chunk is named: {@code c/1/2} ({@code default}) or {@code 1.2} ({@code v2}).
 *
 * @param name {@code default} or {@code v2}
 * @param separator {@code /} or {@code .}
 */
record ChunkKeyEncoding(String name, String separator) {
  /** What is written: {@code c/1/2}. */
  static final ChunkKeyEncoding DEFAULT = new ChunkKeyEncoding("default", "/");

  /** Reads the member {@code chunk_key_encoding} of Zarr v3. */
  static ChunkKeyEncoding parse(JsonNode node, String where) {
    Extension encoding = Extension.of(node, "chunk_key_encoding", where);
    boolean isDefault = encoding.name().equals("default");
    if (!isDefault && !encoding.name().equals("v2")) {
      throw MetadataJson.unsupported(
          ErrorCode.UNSUPPORTED_FEATURE,
          where,
          "chunk key encoding '" + encoding.name() + "' is not known");
    }
    encoding.refuseUnknown("separator");
    return of(encoding.name(), encoding.configuration(), "separator", isDefault ? "/" : ".");
  }

  /** Reads the separator from a member that may be absent. */
  static ChunkKeyEncoding of(String name, MetadataReader reader, String member, String absent) {
    JsonNode separator = reader.node().get(member);
    String text = separator == null ? absent : separator.asText();
    if (!text.equals("/") && !text.equals(".")) {
      throw reader.invalid(
          "'" + member + "' is neither '/' nor '.': " + MetadataReader.shown(separator));
    }
    return new ChunkKeyEncoding(name, text);
  }

  /** The key of a chunk relative to its array. */
  String key(ChunkCoordinates chunk) {
    StringBuilder key = new StringBuilder(name.equals("default") ? "c" : "");
    for (int d = 0; d < chunk.rank(); d++) {
      if (key.length() > 0) {
        key.append(separator);
      }
      key.append(chunk.index(d));
    }
    return key.length() == 0 ? "0" : key.toString();
  }

  /** The member {@code chunk_key_encoding} of Zarr v3. */
  ObjectNode toJson() {
    ObjectNode node = MetadataJson.object();
    node.put("name", name);
    node.putObject("configuration").put("separator", separator);
    return node;
  }
}
