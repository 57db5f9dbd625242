package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.table.DeltaTensors;
import io.arraymorph.delta.table.TableForm;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.spark.ReadOptions;
import io.arraymorph.spark.RowMode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The options of a read or write of a tensor in a Delta table; names are case-insensitive. */
final class TensorOptions {
  private final TreeMap<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

  TensorOptions(Map<String, String> options, Map<String, String> session) {
    session.forEach(
        (key, value) -> {
          if (key.startsWith(ReadOptions.SESSION_PREFIX)) {
            values.put(key.substring(ReadOptions.SESSION_PREFIX.length()), value);
          }
        });
    for (String own : List.of("path", "tensor", "storage")) {
      values.remove(own);
    }
    values.putAll(options);
  }

  /** True if a read or write with these options is of a tensor in a Delta table. */
  static boolean areOfTensor(Map<String, String> options) {
    TensorOptions parsed = new TensorOptions(options, Map.of());
    Optional<String> storage = parsed.get("storage");
    return storage.isPresent() ? !storage.get().equals("zarr") : parsed.get("tensor").isPresent();
  }

  Optional<String> get(String name) {
    return Optional.ofNullable(values.get(name)).map(String::trim).filter(v -> !v.isEmpty());
  }

  String path() {
    return get("path")
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.INVALID_URI,
                    "no path was given",
                    "Name the Delta table: load(\"s3a://bucket/tensors\")"));
  }

  /** The tensor to write. */
  String tensor() {
    return get("tensor")
        .orElseThrow(
            () ->
                invalid(
                    "tensor", "", "Name the tensor in the table, as option(\"tensor\", \"a\")"));
  }

  String storage() {
    return get("storage").orElse("auto").toLowerCase(Locale.ROOT);
  }

  /** The form of a table that the write creates. */
  TableForm form() {
    String layout = oneOf("layout", "compact", "flat", "paper");
    TableForm form = TableForm.valueOf(layout.toUpperCase(Locale.ROOT));
    if (form == TableForm.FLAT && !Set.of("auto", "coo").contains(storage())) {
      throw invalid("storage", storage(), "A flat table holds cells: use coo with layout=flat");
    }
    return form;
  }

  /**
   * Checks a table against option {@code layout}.
   *
   * @throws ArrayMorphException INVALID_OPTION if the table has another one
   */
  DeltaTensors checked(DeltaTensors tensors) {
    if (get("layout").isPresent() && form() != tensors.form()) {
      throw invalid(
          "layout",
          get("layout").get(),
          tensors.path()
              + " has layout="
              + tensors.form().label()
              + ": leave the option out, or use another path");
    }
    return tensors;
  }

  boolean allCells() {
    return oneOf("cells", "stored", "all").equals("all");
  }

  /** Lengths of a tensor row, unless rows are chunks. */
  Optional<Shape> piece() {
    return get("piece").filter(p -> !p.equals("chunk")).flatMap(p -> lengths("piece"));
  }

  /** What one row of a read is, if the reader is told. */
  Optional<RowMode> rows() {
    return get("rows").map(RowMode::parse);
  }

  DuplicatePolicy duplicates() {
    return DuplicatePolicy.valueOf(
        oneOf("duplicates", "error", "last", "sum").toUpperCase(Locale.ROOT));
  }

  /** The value of an option, the first allowed one if it is absent. */
  String oneOf(String name, String... allowed) {
    String value = get(name).orElse(allowed[0]).toLowerCase(Locale.ROOT);
    if (!List.of(allowed).contains(value)) {
      throw invalid(name, value, "Use one of " + String.join(", ", allowed));
    }
    return value;
  }

  Optional<List<String>> names(String name) {
    return get(name).map(text -> Arrays.stream(text.split(",", -1)).map(String::trim).toList());
  }

  Optional<Shape> lengths(String name) {
    return get(name)
        .map(
            text -> {
              try {
                return Shape.of(
                    Arrays.stream(text.split(",", -1))
                        .mapToLong(part -> Long.parseLong(part.trim()))
                        .toArray());
              } catch (IllegalArgumentException e) {
                throw invalid(name, text, "Use lengths separated by commas, as in 1,24,64,64");
              }
            });
  }

  /** The version of a table that {@code versionAsOf} or {@code timestampAsOf} names. */
  DeltaTensors version(DeltaTensors tensors) {
    if (get("versionAsOf").isPresent()) {
      String text = get("versionAsOf").get();
      if (get("timestampAsOf").isPresent()) {
        throw invalid("versionAsOf", text, "Give it or timestampAsOf, not both");
      }
      return tensors.atVersion(versionNumber(text));
    }
    return get("timestampAsOf").map(text -> tensors.atTimestamp(time(text))).orElse(tensors);
  }

  private static long versionNumber(String text) {
    try {
      long version = Long.parseLong(text);
      if (version >= 0) {
        return version;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw invalid("versionAsOf", text, "Use a version number, from 0");
  }

  private static Instant time(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      try {
        return java.sql.Timestamp.valueOf(text).toInstant();
      } catch (IllegalArgumentException again) {
        e.addSuppressed(again);
        throw invalid(
            "timestampAsOf", text, "Use 2020-07-01T12:00:00Z, or 2020-07-01 12:00:00 here");
      }
    }
  }

  /** The dimensions that option {@code slice-hint} names. */
  Set<Integer> sliced(List<String> dimensions) {
    Set<Integer> sliced = new HashSet<>();
    for (String name : names("slice-hint").orElse(List.of())) {
      if (!dimensions.contains(name)) {
        throw new ArrayMorphException(
            ErrorCode.UNKNOWN_DIMENSION,
            "option slice-hint names '" + name + "', which is none of " + dimensions,
            "Name dimensions that will be sliced");
      }
      sliced.add(dimensions.indexOf(name));
    }
    return sliced;
  }

  /** Option {@code block}, one length per dimension. */
  Optional<Shape> block(List<String> dimensions) {
    Optional<Shape> block = lengths("block");
    block.ifPresent(b -> checkShape(b, dimensions));
    return block;
  }

  static void checkShape(Shape shape, List<String> dimensions) {
    if (shape.rank() != dimensions.size()) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          shape + " does not have one length for each of the dimensions " + dimensions,
          "Give " + dimensions.size() + " lengths");
    }
  }

  /** Checks names of dimensions that no data frame has checked: they will be columns of reads. */
  static void checkNames(List<String> dimensions, String valueColumn) {
    Set<String> seen = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    seen.add(valueColumn);
    for (String name : dimensions) {
      if (name.isBlank() || !seen.add(name)) {
        throw new ArrayMorphException(
            ErrorCode.INVALID_IDENTIFIER,
            "dimension name '" + name + "' of " + dimensions + " cannot be a column of its own",
            "Use names that differ, not only in case, and are neither empty nor '"
                + valueColumn
                + "'");
      }
    }
  }

  static ArrayMorphException invalid(String option, String value, String remedy) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION, "option " + option + ": '" + value + "' is not allowed", remedy);
  }
}
