package io.arraymorph.spark;

import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The data source {@code format("arraymorph")}: chunked n-d arrays in object stores as tables.
 *
 * <p>Spark makes one instance for each load or save and finds the class by {@link
 * java.util.ServiceLoader}.
 */
public final class ArrayMorphSource implements TableProvider, DataSourceRegister {
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

  @Override
  public boolean supportsExternalMetadata() {
    return true;
  }
}
