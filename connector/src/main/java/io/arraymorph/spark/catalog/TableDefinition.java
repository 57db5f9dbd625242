package io.arraymorph.spark.catalog;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.expressions.Transform;

/** The write options in a CREATE TABLE statement: its properties and {@code OPTIONS}. */
final class TableDefinition {
  private static final List<String> ALLOWED =
      List.of(
          "dims",
          "shape",
          "chunks",
          "shards",
          "compression",
          "fill",
          "group",
          "append-dim",
          "duplicates");

  /** What Spark adds, and nothing is made of. */
  private static final Set<String> IGNORED = Set.of("owner", "is_managed_location");

  private static final String OF_OPTION = TableCatalog.OPTION_PREFIX;

  private TableDefinition() {}

  /**
   * The options that properties give; {@code group} is true unless they say otherwise, so that
   * columns keep their names.
   *
   * @throws ArrayMorphException UNSUPPORTED_FEATURE for clauses that arrays have no counterpart of,
   *     INVALID_OPTION for properties that there are not
   */
  static Map<String, String> options(
      String table, Transform[] partitions, Map<String, String> properties) {
    if (partitions.length > 0) {
      throw unsupported(table, "PARTITIONED BY", "Give the chunk grid: TBLPROPERTIES (chunks ..)");
    }
    Map<String, String> options = new HashMap<>();
    options.put("group", "true");
    properties.forEach(
        (key, value) -> {
          String name = key.startsWith(OF_OPTION) ? key.substring(OF_OPTION.length()) : key;
          name = name.toLowerCase(Locale.ROOT);
          if (ALLOWED.contains(name)) {
            options.put(name, value);
          } else if (!isHarmless(table, name, value)) {
            throw new ArrayMorphException(
                ErrorCode.INVALID_OPTION,
                "property " + key + " of table " + table + " is not known",
                "Use " + String.join(", ", ALLOWED));
          }
        });
    return options;
  }

  private static boolean isHarmless(String table, String name, String value) {
    switch (name) {
      case TableCatalog.PROP_PROVIDER:
        if (!value.equalsIgnoreCase("arraymorph")) {
          throw unsupported(
              table, "USING " + value, "Say USING arraymorph, or format(\"arraymorph\")");
        }
        return true;
      case TableCatalog.PROP_LOCATION:
      case TableCatalog.PROP_EXTERNAL:
        throw unsupported(
            table,
            "LOCATION",
            "Name the table by its URI, as am.`s3a://bucket/x.zarr`; in this catalog a table is"
                + " where its name says");
      case TableCatalog.PROP_COMMENT:
        throw unsupported(table, "COMMENT", "Leave the comment away");
      default:
        return IGNORED.contains(name);
    }
  }

  private static ArrayMorphException unsupported(String table, String clause, String remedy) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "CREATE TABLE " + table + ": arrays have no " + clause,
        remedy);
  }
}
