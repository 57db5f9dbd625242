package io.arraymorph.spark.procedure;

import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/** A procedure of the namespace {@code system}: named arguments in, rows out. Stateless. */
public interface SystemProcedure {

  /**
   * A parameter.
   *
   * @param type STRING, BOOLEAN or BIGINT
   * @param otherwise the value if none is given, as SQL; empty if one must be
   * @param comment what it means
   */
  record Parameter(String name, DataType type, Optional<String> otherwise, String comment) {}

  /** The name after {@code system}. */
  String name();

  /** One sentence. */
  String description();

  /** The parameters, in the order of positional arguments. */
  List<Parameter> parameters();

  /** The columns of the result. */
  StructType schema();

  /**
   * Runs.
   *
   * @throws io.arraymorph.ArrayMorphException if arguments make no sense or the work fails
   */
  List<Row> call(Arguments arguments);
}
