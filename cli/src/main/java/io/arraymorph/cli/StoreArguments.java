package io.arraymorph.cli;

import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** How object stores are reached; the same settings as in a Spark session. */
final class StoreArguments {
  private static final String SPARK_PREFIX = "spark.hadoop.";

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description =
          "A setting of the store, as fs.s3a.endpoint=http://127.0.0.1:9000; may be repeated."
              + " Without credentials here the default chain of the cloud's SDK is asked.")
  private Map<String, String> settings = new TreeMap<>();

  /** Opens a URI or a path. */
  StorePath open(String uri) {
    Map<String, String> plain = new TreeMap<>();
    settings.forEach(
        (key, value) ->
            plain.put(
                key.startsWith(SPARK_PREFIX) ? key.substring(SPARK_PREFIX.length()) : key, value));
    return ObjectStores.open(uri, StoreConfig.of(plain));
  }
}
