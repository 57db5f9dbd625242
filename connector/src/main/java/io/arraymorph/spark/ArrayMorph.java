package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.spark.procedure.Arguments;
import io.arraymorph.spark.procedure.SystemProcedure;
import io.arraymorph.spark.procedure.SystemProcedures;
import io.arraymorph.store.ObjectStores;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.LongType;

/**
 * The procedures and the table function for Java and Python, where SQL's CALL or extensions are not
 * available; with the settings of the active session. Thread-safe.
 *
 * <p>Arguments and results are those of the procedures: {@code docs/guide/sql.md}.
 */
public final class ArrayMorph {
  private ArrayMorph() {}

  /** How the array, or each array of the group, at a URI is stored: CALL describe. */
  public static Dataset<Row> describe(SparkSession spark, String array) {
    return call(spark, "describe", Map.of("array", array));
  }

  /**
   * Copies an array or group to another place: CALL copy.
   *
   * @param options {@code arrays}, {@code chunks}, {@code shards}, {@code compression}, {@code
   *     mode}
   */
  public static Dataset<Row> copy(
      SparkSession spark, String source, String target, Map<String, String> options) {
    Map<String, String> all = new HashMap<>(options);
    all.put("source", source);
    all.put("target", target);
    return call(spark, "copy", all);
  }

  /**
   * Measures a store from the driver: CALL profile_store.
   *
   * @param options {@code base}, {@code seconds}, {@code megabytes}, {@code requests}, {@code
   *     paper}, {@code output}
   */
  public static Dataset<Row> profileStore(
      SparkSession spark, String uri, Map<String, String> options) {
    Map<String, String> all = new HashMap<>(options);
    all.put("uri", uri);
    return call(spark, "profile_store", all);
  }

  /**
   * Finishes or rolls back writes whose process has died: CALL repair.
   *
   * @param force true if the writer is known to be dead
   */
  public static Dataset<Row> repair(SparkSession spark, String array, boolean force) {
    return call(spark, "repair", Map.of("array", array, "force", String.valueOf(force)));
  }

  /** The tensors of a Delta table and how they are stored: CALL tensors. */
  public static Dataset<Row> tensors(SparkSession spark, String table) {
    return call(spark, "tensors", Map.of("table", table));
  }

  /** Deletes a tensor of a Delta table in one commit: CALL delete_tensor. */
  public static Dataset<Row> deleteTensor(SparkSession spark, String table, String tensor) {
    return call(spark, "delete_tensor", Map.of("table", table, "tensor", tensor));
  }

  /**
   * An array or group as a DataFrame: the table function array_scan, and {@code
   * read.format("arraymorph")}.
   *
   * @param options of the read, as {@code slice} and {@code rows}
   */
  public static Dataset<Row> arrayScan(
      SparkSession spark, String uri, Map<String, String> options) {
    return spark.read().format("arraymorph").options(options).load(uri);
  }

  /**
   * Calls a procedure by name.
   *
   * @param arguments by parameter, as text
   * @throws ArrayMorphException INVALID_OPTION for an unknown procedure or parameter, or a missing
   *     or malformed argument; else what the procedure throws
   */
  public static Dataset<Row> call(
      SparkSession spark, String procedure, Map<String, String> arguments) {
    SystemProcedure found =
        SystemProcedures.find(procedure)
            .orElseThrow(
                () ->
                    invalid(
                        "procedure '" + procedure + "' is not known",
                        "Call one of "
                            + SystemProcedures.all().stream().map(SystemProcedure::name).toList()));
    Map<String, String> given = new HashMap<>(arguments);
    Map<String, Object> values = new HashMap<>();
    for (SystemProcedure.Parameter parameter : found.parameters()) {
      String text = given.remove(parameter.name());
      if (text == null && parameter.otherwise().isEmpty()) {
        throw invalid(
            "argument " + parameter.name() + " of " + procedure + " is missing",
            "Give it: " + parameter.comment());
      }
      String value = text == null ? unquoted(parameter.otherwise().get()) : text;
      values.put(parameter.name(), typed(parameter, value));
    }
    if (!given.isEmpty()) {
      throw invalid(
          "procedure " + procedure + " has no argument " + given.keySet(),
          "Use " + found.parameters().stream().map(SystemProcedure.Parameter::name).toList());
    }
    return spark.createDataFrame(
        found.call(
            new Arguments(
                values, uri -> ObjectStores.open(uri, SessionSettings.storeConfig(uri, Map.of())))),
        found.schema());
  }

  private static String unquoted(String literal) {
    return literal.startsWith("'") ? literal.substring(1, literal.length() - 1) : literal;
  }

  private static Object typed(SystemProcedure.Parameter parameter, String text) {
    try {
      if (parameter.type() instanceof LongType) {
        return Long.parseLong(text.trim());
      }
    } catch (NumberFormatException e) {
      throw invalid("argument " + parameter.name() + " is '" + text + "'", "Give a whole number");
    }
    if (!(parameter.type() instanceof BooleanType)) {
      return text;
    }
    if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
      throw invalid("argument " + parameter.name() + " is '" + text + "'", "Give true or false");
    }
    return text.equalsIgnoreCase("true");
  }

  private static ArrayMorphException invalid(String problem, String remedy) {
    return new ArrayMorphException(ErrorCode.INVALID_OPTION, problem, remedy);
  }
}
