package io.arraymorph.spark.procedure;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** How the arrays at a place are stored; a row for each, groups below groups included. */
final class DescribeProcedure implements SystemProcedure {
  @Override
  public String name() {
    return "describe";
  }

  @Override
  public String description() {
    return "describe(array): data types, shapes, chunks and codecs of an array or all of a group";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        SystemProcedures.required("array", "array or group: a URI, or a name of the catalog"));
  }

  @Override
  public StructType schema() {
    return new StructType()
        .add("name", DataTypes.StringType)
        .add("data_type", DataTypes.StringType)
        .add("dimensions", DataTypes.StringType)
        .add("shape", DataTypes.StringType)
        .add("chunks", DataTypes.StringType)
        .add("shards", DataTypes.StringType)
        .add("codecs", DataTypes.StringType)
        .add("chunk_objects", DataTypes.DoubleType)
        .add("uncompressed_bytes", DataTypes.DoubleType)
        .add("attributes", DataTypes.StringType)
        .add("uri", DataTypes.StringType);
  }

  @Override
  public List<Row> call(Arguments arguments) {
    List<Row> rows = new ArrayList<>();
    add("", ZarrNodes.open(arguments.place("array")), rows);
    return rows;
  }

  private static void add(String prefix, ZarrNode node, List<Row> rows) {
    if (node instanceof ZarrArray) {
      rows.add(row(prefix.isEmpty() ? node.name() : prefix, (ZarrArray) node));
      return;
    }
    for (ZarrNode child : ((ZarrGroup) node).children()) {
      add(prefix.isEmpty() ? child.name() : prefix + "/" + child.name(), child, rows);
    }
  }

  private static Row row(String name, ZarrArray array) {
    ArraySchema schema = array.schema();
    Shape stored =
        array.grid() instanceof RegularChunkGrid
            ? ((RegularChunkGrid) array.grid()).chunkShape()
            : array.readChunkShape();
    boolean sharded = !stored.equals(array.readChunkShape());
    return RowFactory.create(
        name,
        schema.dataType().zarrName(),
        String.join(",", schema.dimensionNames()),
        sizes(schema.shape()),
        sizes(array.readChunkShape()),
        sharded ? sizes(stored) : null,
        String.join(",", array.codecNames()),
        cells(array.grid().gridShape()),
        cells(schema.shape()) * schema.dataType().byteWidth(),
        array.attributes().toString(),
        array.path().toString());
  }

  /** As options take them: {@code 12,90,180}. */
  private static String sizes(Shape shape) {
    return Arrays.stream(shape.toArray()).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  /** As a double, for it may exceed a long. */
  private static double cells(Shape shape) {
    double cells = 1;
    for (long length : shape.toArray()) {
      cells *= length;
    }
    return cells;
  }
}
