package io.arraymorph.spark.procedure;

import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.DeltaTensors;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What tensors a Delta table holds and how they are stored; a row for each. */
final class TensorsProcedure implements SystemProcedure {
  @Override
  public String name() {
    return "tensors";
  }

  @Override
  public String description() {
    return "tensors(table): the tensors of a Delta table and how they are stored";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        SystemProcedures.required("table", "Delta table: a URI, or a name of the catalog"));
  }

  @Override
  public StructType schema() {
    return new StructType()
        .add("tensor", DataTypes.StringType)
        .add("dimensions", DataTypes.createArrayType(DataTypes.StringType))
        .add("shape", DataTypes.createArrayType(DataTypes.LongType))
        .add("data_type", DataTypes.StringType)
        .add("encoding", DataTypes.StringType)
        .add("stored_cells", DataTypes.LongType)
        .add("reason", DataTypes.StringType);
  }

  @Override
  public List<Row> call(Arguments arguments) {
    return DeltaTensors.open(arguments.place("table")).tensors().stream()
        .map(TensorsProcedure::row)
        .toList();
  }

  private static Row row(TensorHeader header) {
    Long[] shape = new Long[header.schema().shape().rank()];
    for (int d = 0; d < shape.length; d++) {
      shape[d] = header.schema().shape().length(d);
    }
    return RowFactory.create(
        header.tensorId(),
        header.schema().dimensionNames().toArray(String[]::new),
        shape,
        header.schema().dataType().zarrName(),
        header.layout().encoding().label(),
        header.storedCells(),
        header.layout().reason());
  }
}
