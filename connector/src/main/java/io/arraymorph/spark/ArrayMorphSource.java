package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.spark.delta.TensorSink;
import io.arraymorph.spark.delta.TensorTable;
import io.arraymorph.spark.write.ArraySave;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.sources.RelationProvider;
import org.apache.spark.sql.sources.StreamSinkProvider;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source {@code format("arraymorph")}: chunked n-d arrays in object stores as tables.
 *
 * <p>Spark makes one instance for each load or save and finds the class by {@link
 * java.util.ServiceLoader}.
 */
public final class ArrayMorphSource
    implements TableProvider,
        RelationProvider,
        CreatableRelationProvider,
        StreamSinkProvider,
        DataSourceRegister {
  /** The table opened for its schema, which Spark asks for right after. */
  private Table inferred;

  @Override
  public String shortName() {
    return "arraymorph";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    Map<String, String> properties = options.asCaseSensitiveMap();
    OptionNames.check(properties);
    if (TensorTable.matches(options)) {
      return tensors(properties);
    }
    ArrayMorphTable arrays = new ArrayMorphTable(properties, Optional.empty());
    inferred = arrays;
    try {
      return arrays.readSchema();
    } catch (ArrayMorphException e) {
      if (e.code() == ErrorCode.NOT_AN_ARRAY && TensorTable.exists(properties)) {
        return tensors(properties);
      }
      throw e;
    }
  }

  private StructType tensors(Map<String, String> properties) {
    TensorTable tensors = new TensorTable(properties);
    inferred = tensors;
    return tensors.readSchema();
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    if (inferred != null && inferred.properties().equals(properties)) {
      return inferred;
    }
    if (TensorTable.matches(properties)) {
      return new TensorTable(properties);
    }
    return new ArrayMorphTable(properties, Optional.ofNullable(schema));
  }

  /** Cells of a table in a session catalog that knows only Spark's first interface. */
  @Override
  public BaseRelation createRelation(
      SQLContext context, scala.collection.immutable.Map<String, String> parameters) {
    return CellsRelation.of(context, parameters);
  }

  /** Saves, in any mode: Spark calls this because the table has no ordinary batch write. */
  @Override
  public BaseRelation createRelation(
      SQLContext context,
      SaveMode mode,
      scala.collection.immutable.Map<String, String> parameters,
      Dataset<Row> data) {
    return ArraySave.createRelation(context, mode, parameters, data);
  }

  /** The end of a stream; this form is that of Scala 2.13. */
  @SuppressWarnings("MissingOverride") // In Scala 2.12 it is not one.
  public Sink createSink(
      SQLContext context,
      scala.collection.immutable.Map<String, String> parameters,
      scala.collection.immutable.Seq<String> partitionColumns,
      OutputMode mode) {
    return sink(parameters, partitionColumns.isEmpty(), mode);
  }

  /** As above; the form of Scala 2.12. */
  @SuppressWarnings("MissingOverride")
  public Sink createSink(
      SQLContext context,
      scala.collection.immutable.Map<String, String> parameters,
      scala.collection.Seq<String> partitionColumns,
      OutputMode mode) {
    return sink(parameters, partitionColumns.isEmpty(), mode);
  }

  private static Sink sink(
      scala.collection.immutable.Map<String, String> parameters,
      boolean unpartitioned,
      OutputMode mode) {
    if (!unpartitioned) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "partitionBy of a stream: tensors have no such partitions",
          "Leave it out; option block divides a tensor");
    }
    return new TensorSink(ArraySave.options(parameters), mode);
  }

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
