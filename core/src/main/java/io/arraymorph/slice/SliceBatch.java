package io.arraymorph.slice;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one call asks for: a slice (version 1 of docs/spec/subset.md), or several slices of several
 * objects, answered one after the other (version 2).
 *
 * @param slices in the order of the answer
 * @param together true for version 2, whose answer names a version for each slice
 */
public record SliceBatch(List<SliceRequest> slices, boolean together) {
  /** The most slices of one call. */
  public static final int MAX_SLICES = 64;

  private static final Set<String> SHARED =
      Set.of("arraymorph_slice", "slices", "metadata", "chunk_shape");
  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(10).build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** Copies the list; throws {@link IllegalArgumentException} unless there are 1 to 64, or 1. */
  public SliceBatch {
    slices = List.copyOf(slices);
    if (slices.isEmpty() || slices.size() > (together ? MAX_SLICES : 1)) {
      throw new IllegalArgumentException(
          slices.size() + " slices, 1 to " + (together ? MAX_SLICES : 1) + " may be");
    }
  }

  /** A call for one slice, which every function understands. */
  public static SliceBatch of(SliceRequest slice) {
    return new SliceBatch(List.of(slice), false);
  }

  /**
   * Parses the body of a request of either version.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public static SliceBatch parse(byte[] body) {
    try {
      JsonNode root = MAPPER.readTree(body);
      if (!(root instanceof ObjectNode)) {
        throw new IllegalArgumentException("the request is not a JSON object");
      }
      JsonNode version = root.path("arraymorph_slice");
      switch (version.isInt() ? version.intValue() : 0) {
        case SliceProtocol.VERSION:
          return of(SliceRequest.of(((ObjectNode) root).without("arraymorph_slice"), root));
        case SliceProtocol.TOGETHER:
          return together(root);
        default:
          throw new IllegalArgumentException(
              "arraymorph_slice is " + shown(version) + ", this server knows 1, 2");
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + e.getOriginalMessage(), e);
    } catch (IOException | ArithmeticException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /** What is no version is not repeated. */
  private static String shown(JsonNode version) {
    return version.isMissingNode() || version.isInt() ? version.toString() : "not a version";
  }

  private static SliceBatch together(JsonNode root) {
    root.fieldNames()
        .forEachRemaining(
            name -> {
              if (!SHARED.contains(name)) {
                throw new IllegalArgumentException("unknown field '" + name + "'");
              }
            });
    JsonNode list = root.path("slices");
    if (!list.isArray() || list.size() > MAX_SLICES) {
      throw new IllegalArgumentException("slices is not a list of at most " + MAX_SLICES);
    }
    List<SliceRequest> slices = new ArrayList<>();
    for (JsonNode slice : list) {
      if (!(slice instanceof ObjectNode)) {
        throw new IllegalArgumentException("a slice is not a JSON object");
      }
      slices.add(SliceRequest.of(slice, root));
    }
    return new SliceBatch(slices, true);
  }

  /** The body of the request. */
  byte[] toJson() {
    ObjectNode root = MAPPER.createObjectNode();
    if (together) {
      root.put("arraymorph_slice", SliceProtocol.TOGETHER);
      Optional<SliceRequest.Boxes> shared =
          slices.stream()
              .map(SliceRequest::part)
              .filter(SliceRequest.Boxes.class::isInstance)
              .map(SliceRequest.Boxes.class::cast)
              .findFirst();
      shared.ifPresent(boxes -> boxes.putArray(root));
      ArrayNode list = root.putArray("slices");
      for (SliceRequest slice : slices) {
        boolean same =
            slice.part() instanceof SliceRequest.Boxes
                && ((SliceRequest.Boxes) slice.part()).isOfSameArray(shared.orElseThrow());
        slice.put(list.addObject(), !same);
      }
    } else {
      root.put("arraymorph_slice", SliceProtocol.VERSION);
      slices.get(0).put(root, true);
    }
    try {
      return MAPPER.writeValueAsBytes(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree always has a text", e);
    }
  }

  /**
   * The versions of the objects of slices, as the header of an answer has them.
   *
   * @param versions one for each slice, empty for an object that does not exist
   */
  public static String header(List<Optional<Version>> versions) {
    ArrayNode list = MAPPER.createArrayNode();
    for (Optional<Version> version : versions) {
      if (version.isPresent()) {
        list.addArray().add(version.get().etag()).add(version.get().objectBytes());
      } else {
        list.addNull();
      }
    }
    return list.toString();
  }

  /**
   * Reads what {@link #header} wrote.
   *
   * @throws IllegalArgumentException if it is not that, or of another number of slices
   */
  static List<Optional<Version>> versions(String header, int slices) {
    try {
      JsonNode list = MAPPER.readTree(header);
      if (!list.isArray() || list.size() != slices) {
        throw new IllegalArgumentException("versions of " + list.size() + " slices");
      }
      List<Optional<Version>> versions = new ArrayList<>();
      for (JsonNode version : list) {
        if (version.isNull()) {
          versions.add(Optional.empty());
        } else if (version.size() == 2
            && version.path(0).isTextual()
            && version.path(1).isIntegralNumber()
            && version.path(1).canConvertToLong()) {
          versions.add(
              Optional.of(new Version(version.path(0).asText(), version.path(1).asLong())));
        } else {
          throw new IllegalArgumentException("a version without ETag and length");
        }
      }
      return versions;
    } catch (JsonProcessingException e) {
      // What the parser says repeats what it was given.
      throw new IllegalArgumentException("versions are not JSON");
    }
  }

  /**
   * Which version of an object was read.
   *
   * @param etag of the object
   * @param objectBytes its length
   */
  public record Version(String etag, long objectBytes) {}
}
