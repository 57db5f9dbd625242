package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.connector.catalog.TableCatalog;

/**
 * The names of all options: one that is misspelt would be silently without effect.
 *
 * <p>Reads take those of writes and writes those of reads, for users keep both in one map. Names
 * with a dot are settings of stores, and what starts with two underscores is Spark's own.
 */
public final class OptionNames {
  /** Those of reads, of arrays and of tensors. */
  static final Set<String> OF_READS =
      Set.of(
          "array",
          "cells",
          "decode",
          "missing",
          "partition-bytes",
          "path",
          "phi",
          "piece",
          "planner",
          "profile",
          "profile-refinement",
          "rows",
          "slice",
          "slice-function",
          "slice-function-credentials",
          "slice-function-failure",
          "slice-function-token",
          "storage",
          "tensor",
          "timestampasof",
          "v2-fill",
          "versionasof");

  private static final Set<String> OF_WRITES =
      Set.of(
          "append-dim",
          "block",
          "chunks",
          "commit-id",
          "compression",
          "dims",
          "duplicates",
          "fill",
          "group",
          "layout",
          "shape",
          "shards",
          "slice-hint");

  /** Said by other layers: Spark's list of paths, and that a table is made without rows. */
  private static final Set<String> INTERNAL = Set.of("paths", "arraymorph-declared");

  private OptionNames() {}

  /**
   * Checks the names of the options of a read or write.
   *
   * @throws ArrayMorphException INVALID_OPTION for one that there is not
   */
  public static void check(Map<String, String> options) {
    boolean isOfTable = options.containsKey(TableCatalog.PROP_PROVIDER);
    for (String name : options.keySet()) {
      if (name.startsWith(TableCatalog.OPTION_PREFIX)) {
        checkName(name.substring(TableCatalog.OPTION_PREFIX.length()));
      } else if (!isOfTable) { // A session catalog's properties of a table may be anything.
        checkName(name);
      }
    }
  }

  private static void checkName(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean known =
        name.indexOf('.') >= 0
            || name.startsWith("__")
            || OF_READS.contains(lower)
            || OF_WRITES.contains(lower)
            || INTERNAL.contains(lower);
    if (!known) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "there is no option '" + name + "'",
          "Reads have "
              + String.join(", ", new TreeSet<>(OF_READS))
              + "; writes "
              + String.join(", ", new TreeSet<>(OF_WRITES))
              + "; settings of the store have a dot in their names");
    }
  }
}
