package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.write.WriteTicket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The options of a write, as users give them.
 *
 * @param path where to write
 * @param dims dimension columns in axis order
 * @param shape full shape
 * @param chunks shape of the chunks
 * @param shards shape of the shards, multiples of the chunks
 * @param compression what compresses chunks; zstd if not given
 * @param fill the fill value, as text
 * @param appendDim the axis that {@code append} grows
 * @param duplicates what two rows for one cell mean
 * @param group true if a single value column without coordinates becomes a group too, so that its
 *     name is kept
 * @param declared if the array is made without rows for the first append to fill: the options of
 *     its layout that are given
 */
public record WriteOptions(
    String path,
    Optional<List<String>> dims,
    Optional<Shape> shape,
    Optional<Shape> chunks,
    Optional<Shape> shards,
    Compression compression,
    Optional<String> fill,
    Optional<String> appendDim,
    WriteTicket.Duplicates duplicates,
    boolean group,
    Optional<Map<String, String>> declared) {

  /** The option by which CREATE TABLE says that there are no rows yet; not for users. */
  static final String DECLARED = "arraymorph-declared";

  /**
   * Reads them from Spark's option map, in which case does not matter.
   *
   * @throws ArrayMorphException INVALID_OPTION naming option and value
   */
  public static WriteOptions parse(Map<String, String> given) {
    TreeMap<String, String> options = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    options.putAll(given);
    String storage = options.getOrDefault("storage", "zarr").trim().toLowerCase(Locale.ROOT);
    if (!storage.equals("zarr")) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "storage '" + storage + "' cannot be written yet",
          "Leave the option away to write Zarr");
    }
    Optional<Shape> chunks = sizes(options, "chunks", 1);
    Optional<Shape> shards = sizes(options, "shards", 1);
    requireMultiples(chunks, shards);
    return new WriteOptions(
        path(options),
        text(options, "dims").map(WriteOptions::names),
        sizes(options, "shape", 0),
        chunks,
        shards,
        text(options, "compression").map(Compression::parse).orElse(Compression.ZSTD),
        Optional.ofNullable(options.get("fill")),
        text(options, "append-dim"),
        duplicates(options),
        flag(options, "group"),
        flag(options, DECLARED) ? Optional.of(layout(options)) : Optional.empty());
  }

  private static Map<String, String> layout(TreeMap<String, String> options) {
    Map<String, String> layout = new TreeMap<>(options);
    layout
        .keySet()
        .retainAll(List.of("dims", "shape", "chunks", "shards", "compression", "fill", "group"));
    return layout;
  }

  private static boolean flag(TreeMap<String, String> options, String name) {
    String text = text(options, name).orElse("false").toLowerCase(Locale.ROOT);
    if (!text.equals("true") && !text.equals("false")) {
      throw invalid(name, text, "Use true or false");
    }
    return text.equals("true");
  }

  private static String path(TreeMap<String, String> options) {
    return text(options, "path")
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.INVALID_OPTION,
                    "no path is given",
                    "Name the place of the array in save(path)"));
  }

  private static Optional<String> text(TreeMap<String, String> options, String name) {
    return Optional.ofNullable(options.get(name)).map(String::trim).filter(v -> !v.isEmpty());
  }

  private static List<String> names(String text) {
    List<String> names = Arrays.stream(text.split(",")).map(String::trim).toList();
    if (names.stream().anyMatch(String::isEmpty) || new HashSet<>(names).size() < names.size()) {
      throw invalid("dims", text, "Give the names of the dimensions once each, as time,lat,lon");
    }
    return names;
  }

  private static Optional<Shape> sizes(
      TreeMap<String, String> options, String name, long smallest) {
    Optional<String> text = text(options, name);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    List<Long> sizes = new ArrayList<>();
    for (String part : text.get().split(",", -1)) {
      try {
        long size = Long.parseLong(part.trim());
        if (size < smallest) {
          throw new NumberFormatException();
        }
        sizes.add(size);
      } catch (NumberFormatException malformed) {
        throw invalid(
            name,
            text.get(),
            "Give one whole number from " + smallest + " on for each dimension, as 64,256,256");
      }
    }
    return Optional.of(Shape.of(sizes.stream().mapToLong(Long::longValue).toArray()));
  }

  private static void requireMultiples(Optional<Shape> chunks, Optional<Shape> shards) {
    if (shards.isEmpty()) {
      return;
    }
    boolean fits = chunks.isPresent() && chunks.get().rank() == shards.get().rank();
    for (int d = 0; fits && d < shards.get().rank(); d++) {
      fits = shards.get().length(d) % chunks.get().length(d) == 0;
    }
    if (!fits) {
      throw invalid(
          "shards",
          shards.get().toString(),
          "Give option chunks too, of which the shards are multiples along each dimension");
    }
  }

  private static WriteTicket.Duplicates duplicates(TreeMap<String, String> options) {
    String text = options.getOrDefault("duplicates", "error").trim().toLowerCase(Locale.ROOT);
    switch (text) {
      case "error":
        return WriteTicket.Duplicates.ERROR;
      case "last":
        return WriteTicket.Duplicates.LAST;
      default:
        throw invalid("duplicates", text, "Use error or last");
    }
  }

  /** An option that is not understood. */
  static ArrayMorphException invalid(String option, String value, String remedy) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION, "option " + option + " is '" + value + "'", remedy);
  }

  /**
   * Makes sure that the sizes given fit the number of dimensions.
   *
   * @throws ArrayMorphException INVALID_OPTION otherwise
   */
  void requireRank(List<String> dimensions) {
    requireRank("shape", shape, dimensions);
    requireRank("chunks", chunks, dimensions);
    requireRank("shards", shards, dimensions);
  }

  private static void requireRank(String option, Optional<Shape> sizes, List<String> dimensions) {
    if (sizes.isPresent() && sizes.get().rank() != dimensions.size()) {
      throw invalid(
          option, sizes.get().toString(), "Give one size for each of the dimensions " + dimensions);
    }
  }
}
