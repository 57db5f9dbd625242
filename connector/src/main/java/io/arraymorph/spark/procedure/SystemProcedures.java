package io.arraymorph.spark.procedure;

import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;

/** All procedures. */
public final class SystemProcedures {
  /** The namespace they are in. */
  public static final String NAMESPACE = "system";

  private static final List<SystemProcedure> ALL =
      List.of(
          new CopyProcedure(),
          new DeleteTensorProcedure(),
          new DescribeProcedure(),
          new ProfileStoreProcedure(),
          new RepairProcedure(),
          new TensorsProcedure());

  private SystemProcedures() {}

  /** In the order of their names. */
  public static List<SystemProcedure> all() {
    return ALL;
  }

  /** The procedure of a name; case does not matter. */
  public static Optional<SystemProcedure> find(String name) {
    return ALL.stream().filter(procedure -> procedure.name().equalsIgnoreCase(name)).findFirst();
  }

  static SystemProcedure.Parameter required(String name, String comment) {
    return new SystemProcedure.Parameter(name, DataTypes.StringType, Optional.empty(), comment);
  }

  static SystemProcedure.Parameter optional(String name, String comment) {
    return new SystemProcedure.Parameter(name, DataTypes.StringType, Optional.of("''"), comment);
  }
}
