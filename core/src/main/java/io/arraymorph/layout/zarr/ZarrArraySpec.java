package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * An array to be created in Zarr v3: little-endian, keys {@code c/0/1}. With shards, inner chunks
 * have a crc32c if they are compressed, and the index is at the end with a crc32c.
 *
 * @param dataType type of the elements
 * @param shape lengths along each dimension
 * @param chunkShape shape of the chunks; of the inner chunks if there are shards
 * @param shardShape shape of the stored objects, a multiple of the chunks; empty for none
 * @param compression what compresses each chunk
 * @param fill one element (rank 0), the value of cells that are not written
 * @param dimensionNames one name a dimension
 * @param attributes the user's attributes
 */
public record ZarrArraySpec(
    DataType dataType,
    Shape shape,
    Shape chunkShape,
    Optional<Shape> shardShape,
    Compression compression,
    Elements fill,
    List<String> dimensionNames,
    ObjectNode attributes) {

  /** Copies names and attributes; ranks are checked when the array is opened. */
  public ZarrArraySpec {
    Objects.requireNonNull(dataType);
    Objects.requireNonNull(fill);
    dimensionNames = List.copyOf(dimensionNames);
    attributes = attributes.deepCopy();
  }

  /** The fill value if the user gives none: NaN, NaT, or the type's zero. */
  public static Elements defaultFill(DataType type) {
    if (type instanceof DataType.Float) {
      return parseFill("NaN", type);
    }
    if (type instanceof DataType.DateTime64 || type instanceof DataType.TimeDelta64) {
      return parseFill("NaT", type);
    }
    return FillValue.zero(type);
  }

  /**
   * The fill value that a user wrote, as {@code -9999}, {@code NaN} or {@code true}.
   *
   * @throws ArrayMorphException INVALID_OPTION if it does not fit the type
   */
  public static Elements parseFill(String text, DataType type) {
    try {
      return FillValue.parse(
          fillNode(text.trim(), type),
          type,
          new MetadataReader("option fill", MetadataJson.object()));
    } catch (ArrayMorphException e) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "fill '" + text + "' does not fit type " + type.zarrName(),
          "Give a value of that type",
          e);
    }
  }

  private static JsonNode fillNode(String text, DataType type) {
    boolean number =
        type instanceof DataType.Int
            || type instanceof DataType.Float
            || type instanceof DataType.Bool;
    if (!number || text.startsWith("0x")) {
      return new TextNode(text);
    }
    switch (text.toLowerCase(Locale.ROOT)) {
      case "nan":
        return new TextNode("NaN");
      case "inf":
      case "infinity":
        return new TextNode("Infinity");
      case "-inf":
      case "-infinity":
        return new TextNode("-Infinity");
      default:
        return MetadataJson.parseValue(text, "option fill");
    }
  }

  /** The exact bytes of {@code zarr.json}. */
  public byte[] toJson() {
    return MetadataJson.write(document());
  }

  /** The document of {@code zarr.json}, fresh. */
  ObjectNode document() {
    ObjectNode node = MetadataJson.object();
    node.put("zarr_format", 3).put("node_type", "array");
    node.set("shape", longs(shape));
    node.set("data_type", MetadataWriter.dataType(dataType));
    ObjectNode grid = node.putObject("chunk_grid").put("name", "regular");
    grid.putObject("configuration").set("chunk_shape", longs(shardShape.orElse(chunkShape)));
    node.set("chunk_key_encoding", ChunkKeyEncoding.DEFAULT.toJson());
    node.set("fill_value", MetadataWriter.fillValue(fill));
    node.set("codecs", codecs());
    ArrayNode names = node.putArray("dimension_names");
    dimensionNames.forEach(names::add);
    node.set("attributes", attributes.deepCopy());
    return node;
  }

  private ArrayNode codecs() {
    ArrayNode chunkCodecs = MetadataJson.object().arrayNode();
    chunkCodecs.add(elementCodec());
    compression.toJson(dataType.byteWidth()).ifPresent(chunkCodecs::add);
    if (shardShape.isEmpty()) {
      return chunkCodecs;
    }
    if (compression.isPresent()) {
      chunkCodecs.addObject().put("name", "crc32c");
    }
    ArrayNode codecs = MetadataJson.object().arrayNode();
    ObjectNode parameters =
        codecs.addObject().put("name", "sharding_indexed").putObject("configuration");
    parameters.set("chunk_shape", longs(chunkShape));
    parameters.set("codecs", chunkCodecs);
    parameters.putArray("index_codecs").add(littleEndian()).addObject().put("name", "crc32c");
    parameters.put("index_location", "end");
    return codecs;
  }

  private ObjectNode elementCodec() {
    if (dataType instanceof DataType.VariableString) {
      return MetadataJson.object().put("name", "vlen-utf8");
    }
    if (dataType instanceof DataType.VariableBytes) {
      return MetadataJson.object().put("name", "vlen-bytes");
    }
    return littleEndian();
  }

  private static ObjectNode littleEndian() {
    ObjectNode node = MetadataJson.object().put("name", "bytes");
    node.putObject("configuration").put("endian", "little");
    return node;
  }

  private static ArrayNode longs(Shape shape) {
    ArrayNode list = MetadataJson.object().arrayNode();
    for (long length : shape.toArray()) {
      list.add(length);
    }
    return list;
  }
}
