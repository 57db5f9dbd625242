package io.arraymorph.spark.procedure;

import io.arraymorph.layout.zarr.write.NodeRepair;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Finishes or rolls back what a writer that died left; a row for each unfinished write. */
final class RepairProcedure implements SystemProcedure {
  @Override
  public String name() {
    return "repair";
  }

  @Override
  public String description() {
    return "repair(array, force): finishes or rolls back writes whose process has died";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        SystemProcedures.required("array", "array or group: a URI, or a name of the catalog"),
        new Parameter(
            "force",
            DataTypes.BooleanType,
            Optional.of("false"),
            "true if the writer is known to be dead; else its claim must be five minutes old"));
  }

  @Override
  public StructType schema() {
    return new StructType().add("write", DataTypes.StringType).add("result", DataTypes.StringType);
  }

  @Override
  public List<Row> call(Arguments arguments) {
    return NodeRepair.repair(arguments.place("array"), "repair", arguments.flag("force")).stream()
        .map(outcome -> RowFactory.create(outcome.uuid(), outcome.result().name()))
        .toList();
  }
}
