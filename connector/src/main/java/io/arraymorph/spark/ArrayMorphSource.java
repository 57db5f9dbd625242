package io.arraymorph.spark;

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
import org.apache.spark.sql.sources.BaseRelation;
import org.apache.spark.sql.sources.CreatableRelationProvider;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source {@code format("arraymorph")}: chunked n-d arrays in object stores as tables.
 *
 * <p>Spark makes one instance for each load or save and finds the class by {@link
 * java.util.ServiceLoader}.
 */
public final class ArrayMorphSource
    implements TableProvider, CreatableRelationProvider, DataSourceRegister {
  /** The table opened for its schema, which Spark asks for right after. */
  private ArrayMorphTable inferred;

  @Override
  public String shortName() {
    return "arraymorph";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    inferred = new ArrayMorphTable(options.asCaseSensitiveMap(), Optional.empty());
    return inferred.readSchema();
  }

  @Override
  public Table getTable(
      StructType schema, Transform[] partitioning, Map<String, String> properties) {
    if (inferred != null && inferred.properties().equals(properties)) {
      return inferred;
    }
    return new ArrayMorphTable(properties, Optional.ofNullable(schema));
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

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
