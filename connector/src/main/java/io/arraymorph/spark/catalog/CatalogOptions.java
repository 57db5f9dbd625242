package io.arraymorph.spark.catalog;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The settings of a catalog, {@code spark.sql.catalog.<name>.*}: the warehouse, what reaches its
 * store ({@code fs.*}, {@code arraymorph.*}), and defaults for reading its tables.
 *
 * <p>Values may be credentials: never printed.
 */
final class CatalogOptions {
  static final String WAREHOUSE = "warehouse";
  private static final Set<String> OF_READS =
      Set.of(
          "decode", "v2-fill", "missing", "planner", "profile", "phi", "piece", "partition-bytes");

  private final String catalog;
  private final Optional<String> warehouse;
  private final Map<String, String> ofTables = new HashMap<>();

  /**
   * @throws ArrayMorphException INVALID_OPTION for a setting that there is not
   */
  CatalogOptions(String catalog, CaseInsensitiveStringMap options) {
    this.catalog = catalog;
    this.warehouse =
        Optional.ofNullable(options.get(WAREHOUSE)).map(String::trim).filter(w -> !w.isEmpty());
    options
        .asCaseSensitiveMap()
        .forEach(
            (key, value) -> {
              if (key.startsWith("fs.")
                  || key.startsWith("arraymorph.")
                  || OF_READS.contains(key)) {
                ofTables.put(key, value);
              } else if (!key.equalsIgnoreCase(WAREHOUSE)) {
                throw new ArrayMorphException(
                    ErrorCode.INVALID_OPTION,
                    "spark.sql.catalog." + catalog + "." + key + " is no setting of this catalog",
                    "Use warehouse, fs.*, arraymorph.*, or one of " + OF_READS);
              }
            });
  }

  /** The name of the catalog. */
  String catalog() {
    return catalog;
  }

  /** Options of every read and write of this catalog's tables. */
  Map<String, String> ofTables() {
    return Map.copyOf(ofTables);
  }

  /** A URI with the session's settings for its store, and this catalog's. */
  StorePath open(String uri) {
    return ObjectStores.open(uri, config(uri));
  }

  private StoreConfig config(String uri) {
    return SessionSettings.storeConfig(uri, ofTables);
  }

  /**
   * Where named tables are.
   *
   * @throws ArrayMorphException INVALID_OPTION if it is not set
   */
  StorePath warehouse() {
    return open(
        warehouse.orElseThrow(
            () ->
                new ArrayMorphException(
                    ErrorCode.INVALID_OPTION,
                    "catalog " + catalog + " has no warehouse",
                    "Set spark.sql.catalog."
                        + catalog
                        + ".warehouse to a URI, as s3a://bucket/arrays, or name tables by URI, as "
                        + catalog
                        + ".`s3a://bucket/x.zarr`")));
  }
}
