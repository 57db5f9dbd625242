package io.arraymorph.slice;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Which part of one object is asked for, as boxes of a chunk's elements or as runs of bytes:
 * docs/spec/subset.md.
 *
 * @param object URI of the object, as {@code s3://bucket/a.zarr/c/0/1}
 * @param readUrl a presigned URL from which the object is read; empty if the function has
 *     credentials of its own. Whoever sees it may read the object, so it is never printed
 * @param etag the version that must be read, if one is pinned
 * @param part what is asked for
 */
public record SliceRequest(String object, Optional<URI> readUrl, Optional<String> etag, Part part) {
  /** What is asked for of an object. */
  public sealed interface Part permits Boxes, Runs {}

  /**
   * Bytes as they are stored.
   *
   * @param runs in the order of the answer
   */
  public record Runs(List<SliceRuns> runs) implements Part {
    /** Copies the list; throws {@link IllegalArgumentException} unless there are 1 to 65,536. */
    public Runs {
      runs = List.copyOf(runs);
      if (runs.isEmpty() || runs.size() > MAX_PARTS) {
        throw new IllegalArgumentException(runs.size() + " runs, 1 to " + MAX_PARTS + " may be");
      }
    }

    /** The number of bytes of the answer. */
    public long byteCount() {
      return runs.stream().mapToLong(SliceRuns::byteCount).reduce(0, Math::addExact);
    }
  }

  /**
   * Decoded elements of a chunk.
   *
   * @param metadata of the array, as {@code ZarrArray.metadataText()} gives it
   * @param chunkShape nominal shape of the chunk (of the shard, if sharded)
   * @param boxes the selected elements relative to the chunk, in the order of the answer
   */
  public record Boxes(String metadata, Shape chunkShape, List<Hyperslab> boxes) implements Part {
    /** Copies the list; throws {@link IllegalArgumentException} unless all boxes fit the chunk. */
    public Boxes {
      Objects.requireNonNull(metadata);
      boxes = List.copyOf(boxes);
      if (boxes.isEmpty() || boxes.size() > MAX_PARTS) {
        throw new IllegalArgumentException(boxes.size() + " boxes, 1 to " + MAX_PARTS + " may be");
      }
      for (Hyperslab box : boxes) {
        boolean inside = box.rank() == chunkShape.rank() && !box.isEmpty();
        for (int d = 0; inside && d < box.rank(); d++) {
          inside = box.range(d).last() < chunkShape.length(d);
        }
        if (!inside) {
          throw new IllegalArgumentException("box " + box + " is not within " + chunkShape);
        }
      }
    }

    /** Writes what all chunks of an array share. */
    void putArray(ObjectNode root) {
      root.put("metadata", metadata);
      ArrayNode shape = root.putArray("chunk_shape");
      for (long length : chunkShape.toArray()) {
        shape.add(length);
      }
    }

    /** True if a chunk of the same array and shape is meant. */
    boolean isOfSameArray(Boxes other) {
      return metadata.equals(other.metadata) && chunkShape.equals(other.chunkShape);
    }

    /** The number of elements of the answer. */
    public long elementCount() {
      return boxes.stream().mapToLong(Hyperslab::elementCount).reduce(0, Math::addExact);
    }
  }

  /** The most boxes or runs of one request. */
  public static final int MAX_PARTS = 65_536;

  private static final Set<String> FIELDS =
      Set.of("object", "read_url", "etag", "metadata", "chunk_shape", "boxes", "runs");

  /** Throws if something is null. */
  public SliceRequest {
    Objects.requireNonNull(object);
    Objects.requireNonNull(readUrl);
    Objects.requireNonNull(etag);
    Objects.requireNonNull(part);
  }

  /** A request to a function that has credentials of its own. */
  public SliceRequest(String object, Optional<String> etag, Part part) {
    this(object, Optional.empty(), etag, part);
  }

  /**
   * Parses the body of a request of version 1.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public static SliceRequest parse(byte[] body) {
    List<SliceRequest> slices = SliceBatch.parse(body).slices();
    if (slices.size() != 1) {
      throw new IllegalArgumentException(slices.size() + " slices where one was expected");
    }
    return slices.get(0);
  }

  /**
   * One slice.
   *
   * @param given its fields
   * @param shared where metadata or chunk shape are if it has none of its own
   * @throws IllegalArgumentException saying what is wrong
   */
  static SliceRequest of(JsonNode given, JsonNode shared) {
    for (Iterator<String> names = given.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!FIELDS.contains(name)) {
        throw new IllegalArgumentException("unknown field '" + name + "'");
      }
    }
    if (given.has("runs") == given.has("boxes")) {
      throw new IllegalArgumentException("either boxes or runs must be asked for");
    }
    return new SliceRequest(
        text(given, "object"),
        given.hasNonNull("read_url") ? Optional.of(url(text(given, "read_url"))) : Optional.empty(),
        given.hasNonNull("etag") ? Optional.of(text(given, "etag")) : Optional.empty(),
        given.has("runs")
            ? runs(given)
            : boxes(
                given,
                given.has("metadata") ? given : shared,
                given.has("chunk_shape") ? given : shared));
  }

  /** A presigned URL; what is none may be a credential all the same, and is not repeated. */
  private static URI url(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("read_url is not a URL");
    }
  }

  private static Boxes boxes(JsonNode root, JsonNode array, JsonNode shape) {
    List<Hyperslab> boxes = new ArrayList<>();
    for (JsonNode box : parts(root, "boxes")) {
      List<IndexRange> ranges = new ArrayList<>();
      for (JsonNode range : box) {
        long[] bounds = longs(range, "a range of a box");
        if (bounds.length != 3) {
          throw new IllegalArgumentException("range " + range + " is not [start, stop, stride]");
        }
        ranges.add(new IndexRange(bounds[0], bounds[1], bounds[2]));
      }
      boxes.add(Hyperslab.of(ranges));
    }
    Shape chunk = Shape.of(longs(shape.path("chunk_shape"), "chunk_shape"));
    return new Boxes(text(array, "metadata"), chunk, boxes);
  }

  private static Runs runs(JsonNode root) {
    List<SliceRuns> runs = new ArrayList<>();
    for (JsonNode run : parts(root, "runs")) {
      long[] values = longs(run, "a run");
      if (values.length < 2 || values.length % 2 != 0) {
        throw new IllegalArgumentException("run " + run + " is not [start, length, count, ..]");
      }
      long[] counts = new long[values.length / 2 - 1];
      long[] strides = new long[counts.length];
      for (int level = 0; level < counts.length; level++) {
        counts[level] = values[2 + 2 * level];
        strides[level] = values[3 + 2 * level];
      }
      runs.add(new SliceRuns(values[0], values[1], counts, strides));
    }
    return new Runs(runs);
  }

  private static JsonNode parts(JsonNode root, String field) {
    JsonNode parts = root.path(field);
    if (!parts.isArray() || parts.size() > MAX_PARTS) {
      throw new IllegalArgumentException(field + " is not a list of at most " + MAX_PARTS);
    }
    return parts;
  }

  private static String text(JsonNode root, String field) {
    JsonNode value = root.path(field);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw new IllegalArgumentException(field + " is not a text");
    }
    return value.textValue();
  }

  private static long[] longs(JsonNode array, String what) {
    if (!array.isArray() || array.size() > 64) {
      throw new IllegalArgumentException(what + " is not a list of integers");
    }
    long[] values = new long[array.size()];
    for (int i = 0; i < values.length; i++) {
      if (!array.get(i).isIntegralNumber() || !array.get(i).canConvertToLong()) {
        throw new IllegalArgumentException(what + " is not a list of integers");
      }
      values[i] = array.get(i).longValue();
    }
    return values;
  }

  /** Writes the fields of this slice, metadata and chunk shape only if asked to. */
  void put(ObjectNode root, boolean withArray) {
    root.put("object", object);
    readUrl.ifPresent(value -> root.put("read_url", value.toString()));
    etag.ifPresent(value -> root.put("etag", value));
    if (part instanceof Boxes) {
      Boxes boxes = (Boxes) part;
      if (withArray) {
        boxes.putArray(root);
      }
      put(boxes, root);
    } else {
      put((Runs) part, root);
    }
  }

  /** What is asked for, without the presigned URL. */
  @Override
  public String toString() {
    return "slice of "
        + object
        + (readUrl.isPresent() ? " by a presigned URL" : "")
        + etag.map(version -> " at version " + version).orElse("")
        + ": "
        + part;
  }

  private static void put(Boxes boxes, ObjectNode root) {
    ArrayNode list = root.putArray("boxes");
    for (Hyperslab box : boxes.boxes) {
      ArrayNode ranges = list.addArray();
      for (IndexRange range : box.ranges()) {
        ranges.addArray().add(range.start()).add(range.stop()).add(range.stride());
      }
    }
  }

  private static void put(Runs runs, ObjectNode root) {
    ArrayNode list = root.putArray("runs");
    for (SliceRuns run : runs.runs) {
      ArrayNode values = list.addArray().add(run.start()).add(run.length());
      for (int level = 0; level < run.levels(); level++) {
        values.add(run.count(level)).add(run.stride(level));
      }
    }
  }
}
