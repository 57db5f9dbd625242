package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.JsonTree;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads and writes metadata documents: strict UTF-8, no repeated keys, bounded depth and size. Bare
 * {@code NaN} and {@code Infinity} are taken, because Python writes them.
 */
final class MetadataJson {
  /** Documents longer than this are refused: about a hundred thousand consolidated arrays. */
  static final int MAX_BYTES = 64 << 20;

  private static final int MAX_DEPTH = 200;

  private static final JsonFactory DOCUMENTS =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(MAX_BYTES)
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  private MetadataJson() {}

  /** A new empty object. */
  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /**
   * Parses a document.
   *
   * @param where the object's URI for messages
   */
  static ObjectNode parse(byte[] bytes, String where) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      JsonNode node = parseValue(text, where);
      if (node instanceof ObjectNode) {
        return (ObjectNode) node;
      }
      throw invalid(where, "is not a JSON object");
    } catch (CharacterCodingException e) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID, where + " is not UTF-8", remedy(), e);
    }
  }

  /** Parses exactly one JSON value. */
  static JsonNode parseValue(String text, String where) {
    try {
      return JsonTree.parse(DOCUMENTS, text);
    } catch (JsonProcessingException e) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          where + " is not well-formed JSON: " + e.getOriginalMessage(),
          remedy(),
          e);
    }
  }

  /** The document as indented UTF-8 with a line end, keys in insertion order. */
  static byte[] write(ObjectNode document) {
    return (JsonTree.lines(document) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** The error for metadata that break their specification. */
  static ArrayMorphException invalid(String where, String problem) {
    return new ArrayMorphException(ErrorCode.METADATA_INVALID, where + ": " + problem, remedy());
  }

  /** The error for metadata that ask for something this reader does not have. */
  static ArrayMorphException unsupported(ErrorCode code, String where, String problem) {
    return new ArrayMorphException(
        code,
        where + ": " + problem,
        "Write the array with a feature that docs/spec/zarr.md lists, or leave it out");
  }

  private static String remedy() {
    return "Check who wrote the array; the metadata break the Zarr specification";
  }
}
