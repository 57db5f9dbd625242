package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.function.SliceFunctionOptions;
import io.arraymorph.optimizer.profile.Refinement;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The options of one read, checked: each is given on the read, else as session default {@code
 * spark.arraymorph.<option>}, else has its built-in value.
 *
 * <p>Immutable. Names of options are case-insensitive, their values are not.
 *
 * @param uri what to read, to an array or a group
 * @param array variables to turn into columns, empty for all of one dimension set
 * @param rows what one row is
 * @param piece how much one tensor row may hold
 * @param slice hyperslabs as text
 * @param decode true to apply the CF conventions
 * @param v2FillIsMissing true if the fill value of a Zarr v2 array stands for NULL
 * @param missingIsError true if an absent chunk object is an error, false if it is fill values
 * @param planner how chunks are accessed: {@code auto} or a forced method
 * @param profile store profile, empty to detect it
 * @param phi the weight of money in seconds per dollar
 * @param partitionBytes uncompressed bytes that one task should read
 * @param refinement whether what processes see of the store refines its profile
 * @param sliceFunction the slice function that may be called, if any; never shows its token
 */
public record ReadOptions(
    String uri,
    List<String> array,
    RowMode rows,
    Piece piece,
    Optional<String> slice,
    boolean decode,
    boolean v2FillIsMissing,
    boolean missingIsError,
    String planner,
    Optional<String> profile,
    double phi,
    OptionalLong partitionBytes,
    Refinement refinement,
    Optional<SliceFunctionOptions> sliceFunction) {

  /** The start of every session default. */
  public static final String SESSION_PREFIX = "spark.arraymorph.";

  /** Of the session only: no read may widen what its administrator allowed. */
  private static final String FUNCTION_HOSTS = SESSION_PREFIX + "slice-function-hosts";

  private static final Set<String> PLANNERS =
      Set.of("auto", "get", "range", "merge", "lambda", "paper");

  /**
   * Checks the name of an option where no other layer gives options of its own; names with a dot
   * are settings of stores.
   *
   * @throws ArrayMorphException with INVALID_OPTION
   */
  public static void checkName(String name) {
    if (name.indexOf('.') < 0 && !OptionNames.OF_READS.contains(name.toLowerCase(Locale.ROOT))) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "there is no option '" + name + "'",
          "Use one of "
              + String.join(", ", new TreeSet<>(OptionNames.OF_READS))
              + ", or a setting of the store");
    }
  }

  /**
   * The options in a map, over the defaults in the session's configuration.
   *
   * @param options as given on the read; what is not an option of reading is left alone, for write
   *     options and those of other layers travel in the same map
   * @param session configuration of the Spark session, of which {@code spark.arraymorph.*} is read
   * @throws ArrayMorphException with INVALID_OPTION naming option and value
   */
  public static ReadOptions parse(Map<String, String> options, Map<String, String> session) {
    Lookup lookup = new Lookup(options, session);
    for (String time : List.of("versionAsOf", "timestampAsOf")) {
      lookup
          .get(time)
          .ifPresent(
              v -> {
                throw invalid(time, v, "This array has no fragments, only its newest state");
              });
    }
    String planner = lookup.get("planner").orElse("auto");
    if (!PLANNERS.contains(planner)) {
      throw invalid("planner", planner, "Use one of auto, get, range, merge, lambda, paper");
    }
    Optional<SliceFunctionOptions> function =
        SliceFunctionOptions.parse(
            lookup.get("slice-function"),
            lookup.get("slice-function-token"),
            lookup.get("slice-function-failure"),
            lookup.get("slice-function-credentials"),
            Optional.ofNullable(session.get(FUNCTION_HOSTS)));
    if (planner.equals("lambda") && function.isEmpty()) {
      throw invalid("planner", planner, "Name the function with option slice-function=<URL>");
    }
    return new ReadOptions(
        uri(lookup),
        lookup.get("array").map(ReadOptions::names).orElse(List.of()),
        RowMode.parse(lookup.get("rows").orElse("tensors")),
        Piece.parse(lookup.get("piece").orElse("chunk")),
        lookup.get("slice"),
        bool(lookup, "decode", true),
        oneOf(lookup, "v2-fill", "value", "missing").equals("missing"),
        oneOf(lookup, "missing", "fill", "error").equals("error"),
        planner,
        lookup.get("profile"),
        lookup.get("phi").map(AccessCost::parsePhi).orElse(0.0),
        partitionBytes(lookup),
        Refinement.valueOf(
            oneOf(lookup, "profile-refinement", "auto", "off", "on").toUpperCase(Locale.ROOT)),
        function);
  }

  private static String uri(Lookup lookup) {
    if (lookup.get("paths").isPresent()) {
      throw invalid("paths", lookup.get("paths").get(), "Load one array or group at a time");
    }
    return lookup
        .get("path")
        .orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.INVALID_URI,
                    "no path was given",
                    "Name the array or group: load(\"s3a://bucket/array.zarr\")"));
  }

  private static List<String> names(String text) {
    List<String> names =
        Arrays.stream(text.split(",", -1)).map(String::trim).collect(Collectors.toList());
    if (names.contains("")) {
      throw invalid("array", text, "Separate names of variables by commas, as in sst,airt");
    }
    return names;
  }

  private static boolean bool(Lookup lookup, String name, boolean otherwise) {
    Optional<String> value = lookup.get(name);
    if (value.isEmpty()) {
      return otherwise;
    }
    switch (value.get().toLowerCase(Locale.ROOT)) {
      case "true":
        return true;
      case "false":
        return false;
      default:
        throw invalid(name, value.get(), "Use true or false");
    }
  }

  /** One of two values, of which the first is the default. */
  /** One of some values, the first if none is given. */
  private static String oneOf(Lookup lookup, String name, String... values) {
    String value = lookup.get(name).orElse(values[0]);
    if (!List.of(values).contains(value)) {
      throw invalid(name, value, "Use " + String.join(" or ", values));
    }
    return value;
  }

  private static OptionalLong partitionBytes(Lookup lookup) {
    Optional<String> value = lookup.get("partition-bytes");
    if (value.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      long bytes = Long.parseLong(value.get());
      if (bytes > 0) {
        return OptionalLong.of(bytes);
      }
    } catch (NumberFormatException e) {
      throw invalid("partition-bytes", value.get(), "Use a positive number of bytes");
    }
    throw invalid("partition-bytes", value.get(), "Use a positive number of bytes");
  }

  private static ArrayMorphException invalid(String option, String value, String remedy) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION, "option " + option + ": '" + value + "' is not allowed", remedy);
  }

  /** Options by lower-case name, given ones before session defaults. */
  private static final class Lookup {
    private final TreeMap<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    Lookup(Map<String, String> options, Map<String, String> session) {
      session.forEach(
          (key, value) -> {
            if (key.startsWith(SESSION_PREFIX)) {
              values.put(key.substring(SESSION_PREFIX.length()), value);
            }
          });
      // What the session gives is a default; a path never is.
      values.remove("path");
      values.remove("paths");
      values.putAll(options);
    }

    Optional<String> get(String name) {
      return Optional.ofNullable(values.get(name)).map(String::trim).filter(v -> !v.isEmpty());
    }
  }
}
