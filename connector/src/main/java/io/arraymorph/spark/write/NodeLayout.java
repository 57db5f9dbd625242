package io.arraymorph.spark.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.StorePath;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The layout of a node as write options, so that what takes its place is stored alike. */
public final class NodeLayout {
  /** Member of attribute {@code _arraymorph} of a node that was created without rows. */
  static final String DECLARED = "declared";

  private NodeLayout() {}

  /** The layout of what a table without rows was declared to be, if that is what lies there. */
  static Optional<Map<String, String>> ofDeclared(StorePath target) {
    JsonNode declared = ZarrNodes.open(target).attributes().path("_arraymorph").path(DECLARED);
    if (!declared.isObject()) {
      return Optional.empty();
    }
    Map<String, String> options = new HashMap<>();
    declared
        .properties()
        .forEach(option -> options.put(option.getKey(), option.getValue().asText()));
    return Optional.of(options);
  }

  /**
   * Options {@code dims}, {@code chunks}, {@code shards}, {@code compression}, {@code fill}, {@code
   * group}, and {@code shape} if no dimension has coordinates: those come from the rows.
   *
   * @param dataset the table that the node shows
   */
  public static Map<String, String> of(ZarrNode node, Dataset dataset) {
    Map<String, String> options = new HashMap<>();
    ZarrArray array = (ZarrArray) dataset.variables().get(0).array();
    options.put("group", String.valueOf(node instanceof ZarrGroup));
    if (dataset.dimensions().isEmpty()) {
      return options;
    }
    options.put(
        "dims",
        dataset.dimensions().stream().map(Dimension::name).collect(Collectors.joining(",")));
    if (array.grid() instanceof RegularChunkGrid) {
      Shape stored = ((RegularChunkGrid) array.grid()).chunkShape();
      options.put("chunks", sizes(array.readChunkShape()));
      if (!stored.equals(array.readChunkShape())) {
        options.put("shards", sizes(stored));
      }
    }
    compression(array).ifPresent(text -> options.put("compression", text));
    fill(array).ifPresent(text -> options.put("fill", text));
    boolean indexed = dataset.dimensions().stream().allMatch(d -> d.coordinate().isEmpty());
    if (indexed && Arrays.stream(dataset.shape().toArray()).allMatch(length -> length > 0)) {
      options.put("shape", sizes(dataset.shape()));
    }
    return options;
  }

  /** As options take them: {@code 12,90,180}. */
  public static String sizes(Shape shape) {
    return Arrays.stream(shape.toArray()).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  /** What compresses it, if we write that. */
  private static Optional<String> compression(ZarrArray array) {
    try {
      Compression.parse(array.compressionText());
      return Optional.of(array.compressionText());
    } catch (ArrayMorphException notOurs) {
      return Optional.empty();
    }
  }

  /** Option {@code fill} also says that the fill value means NULL, as attribute _FillValue does. */
  private static Optional<String> fill(ZarrArray array) {
    boolean isTime = array.attributes().path("units").asText().contains(" since ");
    if (!array.attributes().has("_FillValue") || isTime) {
      return Optional.empty();
    }
    Object fill =
        CfDecoding.raw(array.schema().dataType()).decode(array.schema().fill()).valueAt(0);
    return fill instanceof byte[] ? Optional.empty() : Optional.of(String.valueOf(fill));
  }
}
