package io.arraymorph.spark.procedure;

import io.arraymorph.delta.table.DeltaTensors;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** Deletes one tensor of a Delta table in one commit; a row with the version that lacks it. */
final class DeleteTensorProcedure implements SystemProcedure {
  @Override
  public String name() {
    return "delete_tensor";
  }

  @Override
  public String description() {
    return "delete_tensor(table, tensor): deletes a tensor of a Delta table in one commit";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        SystemProcedures.required("table", "Delta table: a URI, or a name of the catalog"),
        SystemProcedures.required("tensor", "id of the tensor"));
  }

  @Override
  public StructType schema() {
    return new StructType().add("version", DataTypes.LongType);
  }

  @Override
  public List<Row> call(Arguments arguments) {
    String tensor =
        arguments
            .text("tensor")
            .orElseThrow(() -> Arguments.invalid("tensor", "", "Give the id of a tensor"));
    return List.of(RowFactory.create(DeltaTensors.open(arguments.place("table")).delete(tensor)));
  }
}
