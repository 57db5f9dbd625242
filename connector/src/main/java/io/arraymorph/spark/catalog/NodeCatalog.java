package io.arraymorph.spark.catalog;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.spark.delta.TensorTable;
import io.arraymorph.spark.read.ChunkFunction;
import io.arraymorph.spark.read.ChunkFunctions;
import io.arraymorph.store.StorePath;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NonEmptyNamespaceException;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.StagedTable;
import org.apache.spark.sql.connector.catalog.StagingTableCatalog;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog whose namespaces are prefixes of a warehouse and whose tables are the arrays, groups
 * and Delta tables of tensors found there by their metadata. Nothing is registered anywhere: what
 * is in the store is in the catalog. Thread-safe.
 */
public abstract class NodeCatalog
    implements StagingTableCatalog, SupportsNamespaces, FunctionCatalog {
  private String name;
  private CatalogOptions options;
  private CatalogNodes nodes;
  private TensorNames tensors;
  private Definitions definitions;

  @Override
  public void initialize(String catalog, CaseInsensitiveStringMap settings) {
    name = catalog;
    options = new CatalogOptions(catalog, settings);
    nodes = new CatalogNodes(options);
    tensors = new TensorNames(options, nodes);
    definitions = new Definitions(options, nodes);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    return children(namespace).tables().stream()
        .map(table -> Identifier.of(namespace, table))
        .toArray(Identifier[]::new);
  }

  private CatalogNodes.Namespace children(String[] namespace) throws NoSuchNamespaceException {
    Optional<CatalogNodes.Namespace> found = nodes.namespace(NodeName.of(Arrays.asList(namespace)));
    if (found.isEmpty()) {
      throw new NoSuchNamespaceException(namespace);
    }
    return found.get();
  }

  @Override
  public Table loadTable(Identifier identifier) throws NoSuchTableException {
    return load(identifier, Map.of());
  }

  private Table load(Identifier identifier, Map<String, String> version)
      throws NoSuchTableException {
    NodeName parsed = NodeName.of(identifier);
    Optional<CatalogNodes.Found> found = nodes.table(parsed);
    if (found.isEmpty()) {
      Optional<TensorTable> of = tensors.find(parsed, version);
      if (of.isPresent()) {
        return of.get();
      }
    }
    NodeTable table = opened(identifier, parsed, found);
    if (!version.isEmpty()) {
      throw noVersions(table, version.toString());
    }
    return table;
  }

  private NodeTable opened(
      Identifier identifier, NodeName parsed, Optional<CatalogNodes.Found> found)
      throws NoSuchTableException {
    if (found.isPresent()) {
      return new NodeTable(name + "." + parsed, found.get(), options.ofTables());
    }
    if (parsed.uri().isPresent()) {
      throw new ArrayMorphException(
          ErrorCode.NOT_AN_ARRAY,
          (parsed.endsInCells() ? parsed.parent() : parsed)
              + " holds no zarr.json, .zarray, .zgroup, .zmetadata or _delta_log",
          "Give the path of a Zarr array or group, or of a Delta table of tensors");
    }
    throw new NoSuchTableException(identifier);
  }

  /** Tensors have versions, plain arrays none. */
  @Override
  public Table loadTable(Identifier identifier, String version) throws NoSuchTableException {
    return load(identifier, Map.of("versionAsOf", version));
  }

  /**
   * Tensors have versions, plain arrays none.
   *
   * @param timestamp microseconds since 1970
   */
  @Override
  public Table loadTable(Identifier identifier, long timestamp) throws NoSuchTableException {
    Instant time = Instant.EPOCH.plus(timestamp, ChronoUnit.MICROS);
    return load(identifier, Map.of("timestampAsOf", time.toString()));
  }

  private static ArrayMorphException noVersions(NodeTable table, String what) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        table.name() + " is a plain array, of which there is only the newest state: " + what,
        "Leave VERSION AS OF or TIMESTAMP AS OF away");
  }

  @Override
  public boolean tableExists(Identifier identifier) {
    NodeName parsed = NodeName.of(identifier);
    return nodes.table(parsed).isPresent() || tensors.find(parsed, Map.of()).isPresent();
  }

  /** Creates an array or group without rows. */
  @Override
  @SuppressWarnings("deprecation") // abstract in Spark 3.5
  public Table createTable(
      Identifier identifier,
      StructType schema,
      Transform[] partitions,
      Map<String, String> properties)
      throws TableAlreadyExistsException {
    stageCreate(identifier, schema, partitions, properties).commitStagedChanges();
    try {
      return loadTable(identifier);
    } catch (NoSuchTableException gone) {
      throw new IllegalStateException(identifier + " was dropped while it was created", gone);
    }
  }

  @Override
  public Table createTable(
      Identifier identifier,
      Column[] columns,
      Transform[] partitions,
      Map<String, String> properties)
      throws TableAlreadyExistsException {
    return createTable(identifier, schema(columns), partitions, properties);
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Spark 3.5
  public StagedTable stageCreate(
      Identifier identifier,
      StructType schema,
      Transform[] partitions,
      Map<String, String> properties)
      throws TableAlreadyExistsException {
    if (tableExists(identifier)) {
      throw new TableAlreadyExistsException(identifier);
    }
    return staged(identifier, schema, partitions, properties, SaveMode.ErrorIfExists);
  }

  @Override
  public StagedTable stageCreate(
      Identifier identifier,
      Column[] columns,
      Transform[] partitions,
      Map<String, String> properties)
      throws TableAlreadyExistsException {
    return stageCreate(identifier, schema(columns), partitions, properties);
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Spark 3.5
  public StagedTable stageReplace(
      Identifier identifier,
      StructType schema,
      Transform[] partitions,
      Map<String, String> properties)
      throws NoSuchTableException {
    if (!tableExists(identifier)) {
      throw new NoSuchTableException(identifier);
    }
    return stageCreateOrReplace(identifier, schema, partitions, properties);
  }

  @Override
  public StagedTable stageReplace(
      Identifier identifier,
      Column[] columns,
      Transform[] partitions,
      Map<String, String> properties)
      throws NoSuchTableException {
    return stageReplace(identifier, schema(columns), partitions, properties);
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Spark 3.5
  public StagedTable stageCreateOrReplace(
      Identifier identifier,
      StructType schema,
      Transform[] partitions,
      Map<String, String> properties) {
    return staged(identifier, schema, partitions, properties, SaveMode.Overwrite);
  }

  @Override
  public StagedTable stageCreateOrReplace(
      Identifier identifier,
      Column[] columns,
      Transform[] partitions,
      Map<String, String> properties) {
    return stageCreateOrReplace(identifier, schema(columns), partitions, properties);
  }

  private StagedTable staged(
      Identifier identifier,
      StructType schema,
      Transform[] partitions,
      Map<String, String> properties,
      SaveMode mode) {
    NodeName parsed = NodeName.of(identifier);
    Map<String, String> all = new HashMap<>(options.ofTables());
    all.putAll(TableDefinition.options(parsed.toString(), partitions, properties));
    boolean replaces = mode == SaveMode.Overwrite;
    all.put("path", definitions.placeOf(parsed, replaces).toString());
    return new StagedNodeTable(name + "." + parsed, schema, all, mode);
  }

  private static StructType schema(Column[] columns) {
    StructType schema = new StructType();
    for (Column column : columns) {
      schema = schema.add(column.name(), column.dataType(), column.nullable());
    }
    return schema;
  }

  @Override
  public Table alterTable(Identifier identifier, TableChange... changes) {
    throw unsupported("ALTER TABLE " + identifier);
  }

  @Override
  public boolean dropTable(Identifier identifier) {
    return definitions.drop(NodeName.of(identifier));
  }

  /** Dropping deletes at once: there is no trash to purge. */
  @Override
  public boolean purgeTable(Identifier identifier) {
    return dropTable(identifier);
  }

  @Override
  public void renameTable(Identifier from, Identifier to) {
    throw unsupported("RENAME TABLE " + from + " TO " + to);
  }

  @Override
  public String[][] listNamespaces() throws NoSuchNamespaceException {
    return listNamespaces(new String[0]);
  }

  @Override
  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    return children(namespace).namespaces().stream()
        .map(
            child -> {
              List<String> full = new ArrayList<>(Arrays.asList(namespace));
              full.add(child);
              return full.toArray(String[]::new);
            })
        .toArray(String[][]::new);
  }

  @Override
  public boolean namespaceExists(String[] namespace) {
    return nodes.namespacePath(NodeName.of(Arrays.asList(namespace))).isPresent();
  }

  @Override
  public Map<String, String> loadNamespaceMetadata(String[] namespace)
      throws NoSuchNamespaceException {
    NodeName parsed = NodeName.of(Arrays.asList(namespace));
    return Map.of(
        SupportsNamespaces.PROP_LOCATION,
        nodes
            .namespacePath(parsed)
            .orElseThrow(() -> new NoSuchNamespaceException(namespace))
            .toString());
  }

  @Override
  public void createNamespace(String[] namespace, Map<String, String> metadata)
      throws NamespaceAlreadyExistsException {
    if (metadata.containsKey(SupportsNamespaces.PROP_LOCATION)) {
      throw unsupported("CREATE NAMESPACE .. LOCATION");
    }
    if (!definitions.createNamespace(NodeName.of(Arrays.asList(namespace)))) {
      throw new NamespaceAlreadyExistsException(namespace);
    }
  }

  @Override
  public void alterNamespace(String[] namespace, NamespaceChange... changes) {
    throw unsupported("ALTER NAMESPACE " + String.join(".", namespace));
  }

  @Override
  public boolean dropNamespace(String[] namespace, boolean cascade)
      throws NoSuchNamespaceException, NonEmptyNamespaceException {
    switch (definitions.dropNamespace(NodeName.of(Arrays.asList(namespace)), cascade)) {
      case UNKNOWN:
        throw new NoSuchNamespaceException(namespace);
      case NOT_EMPTY:
        throw new NonEmptyNamespaceException(namespace);
      default:
        return true;
    }
  }

  /**
   * The place that an argument of a procedure names: a URI or path, or the dotted name of a table,
   * or of one to be.
   */
  protected StorePath place(String text) {
    boolean quoted = text.contains("`");
    if (!quoted && (text.contains("/") || text.contains(":"))) {
      return options.open(text);
    }
    NodeName parsed = NodeName.of(NodeName.parts(text));
    return nodes
        .node(parsed)
        .map(ZarrNode::path)
        .or(() -> tensors.table(parsed))
        .orElseGet(() -> definitions.placeOf(parsed, false));
  }

  /** The functions that scans report their partitions by are found by name, and not listed. */
  @Override
  public Identifier[] listFunctions(String[] namespace) {
    return new Identifier[0];
  }

  @Override
  public UnboundFunction loadFunction(Identifier identifier) throws NoSuchFunctionException {
    Optional<ChunkFunction> function = ChunkFunctions.find(identifier.name());
    if (identifier.namespace().length > 0 || function.isEmpty()) {
      throw new NoSuchFunctionException(identifier);
    }
    return function.get();
  }

  private ArrayMorphException unsupported(String statement) {
    return new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "catalog " + name + " does not do " + statement,
        "Write a new array instead: CREATE TABLE .. AS SELECT");
  }
}
