package io.arraymorph.spark.catalog;

import static io.arraymorph.spark.catalog.Catalogs.column;
import static io.arraymorph.spark.catalog.Catalogs.sql;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.spark.CountedStoreProvider;
import io.arraymorph.spark.TestArray;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import io.arraymorph.testing.LocalS3;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests and seconds of listings and of opening groups, printed; requests are also asserted. */
class CatalogScaleTest {
  private static final int VARIABLES = 300;

  @TempDir static Path data;

  /** Arrays on the S3 server; the property asks for more than the default run has time for. */
  private static final int ON_S3 = Integer.getInteger("arraymorph.arrays", 1_000);

  @Test
  void showTablesAsksOnceForEachArrayAndNeverForChunks() throws IOException {
    int arrays = 10_000;
    Path root = data.resolve("many");
    for (int i = 0; i < arrays; i++) {
      Path array = root.resolve(String.format("big/a%05d.zarr", i));
      Files.createDirectories(array.resolve("c/0"));
      Files.writeString(array.resolve("zarr.json"), array());
      Files.writeString(array.resolve("c/0/0"), "");
    }
    RecordingObjectStore store = CountedStoreProvider.register("catalog-many", root);
    String am = Catalogs.register("counted://catalog-many", Map.of());
    store.clear();
    long start = System.nanoTime();
    List<String> tables = column("SHOW TABLES IN " + am + ".big", "tableName");
    report("SHOW TABLES, local", tables.size(), start, store.requests().size());
    assertThat(tables).hasSize(arrays).startsWith("a00000", "a00001");
    // One for each array; the rest are pages of names and looks at the namespace itself.
    assertThat(store.requests()).hasSize(arrays + 4);
    assertThat(store.count(StoreOperation.LIST)).isLessThanOrEqualTo(arrays / 1000 + 1);
    assertThat(store.requests()).noneMatch(request -> request.key().contains("/c/"));
    store.clear();
    start = System.nanoTime();
    sql("DESCRIBE " + am + ".big.a07777");
    report("DESCRIBE of one of them", 1, start, store.requests().size());
    assertThat(store.requests()).hasSizeLessThan(30);
  }

  @Test
  void showTablesAndWideGroupsOnS3() throws IOException {
    try (LocalS3 server = LocalS3.start(Files.createDirectories(data.resolve("s3")), "bucket")) {
      put(server, ON_S3, i -> String.format("wh/big/a%05d/zarr.json", i), i -> array());
      put(server, VARIABLES, i -> String.format("wh/wide/v%03d/zarr.json", i), i -> array());
      put(server, 1, i -> "wh/wide/zarr.json", i -> "{\"zarr_format\":3,\"node_type\":\"group\"}");
      put(server, 1, i -> "wh/consolidated/zarr.json", i -> consolidated());
      String am = Catalogs.register(server.uri("wh"), server.hadoopSettings());
      sql("SHOW NAMESPACES IN " + am); // connections are open, classes are loaded
      long start = System.nanoTime();
      assertThat(sql("SHOW TABLES IN " + am + ".big")).hasSize(ON_S3);
      report("SHOW TABLES, S3", ON_S3, start, -1);
      for (String group : List.of("wide", "consolidated")) {
        for (int run = 0; run < 2; run++) {
          start = System.nanoTime();
          assertThat(sql("DESCRIBE " + am + "." + group + ".cells").size())
              .isGreaterThanOrEqualTo(VARIABLES);
          report("open of a group, " + group + ", S3", VARIABLES, start, -1);
        }
      }
    }
  }

  @Test
  void aWideGroupIsOpenedWithARequestEachOrOneInAll() throws IOException {
    Path root = Files.createDirectories(data.resolve("groups"));
    TestArray.writeGroup(root.resolve("wide"));
    for (int i = 0; i < VARIABLES; i++) {
      Path array = Files.createDirectories(root.resolve(String.format("wide/v%03d", i)));
      Files.writeString(array.resolve("zarr.json"), array());
    }
    Files.createDirectories(root.resolve("consolidated"));
    Files.writeString(root.resolve("consolidated/zarr.json"), consolidated());
    RecordingObjectStore store = CountedStoreProvider.register("catalog-wide", root);
    String am = Catalogs.register("counted://catalog-wide", Map.of());
    sql("SHOW NAMESPACES IN " + am);
    store.clear();
    long start = System.nanoTime();
    sql("DESCRIBE " + am + ".wide.cells");
    report("open of a group, not consolidated", VARIABLES, start, store.requests().size());
    assertThat(store.requests()).hasSize(VARIABLES + 2);
    store.clear();
    start = System.nanoTime();
    sql("DESCRIBE " + am + ".consolidated.cells");
    report("open of a group, consolidated", VARIABLES, start, store.requests().size());
    assertThat(store.requests()).hasSize(1);
  }

  private static void report(String what, int count, long start, int requests) {
    double seconds = (System.nanoTime() - start) / 1e9;
    System.err.printf(
        "MEASURED %s: %d nodes, %.2f s, %s requests%n",
        what, count, seconds, requests < 0 ? "?" : String.valueOf(requests));
  }

  private static String array() {
    return "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4,4],\"data_type\":\"float32\","
        + "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2,2]}},"
        + "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":0,\"codecs\":["
        + "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}],"
        + "\"dimension_names\":[\"y\",\"x\"],\"attributes\":{\"units\":\"K\"}}";
  }

  private static String consolidated() {
    StringBuilder text =
        new StringBuilder(
            "{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"kind\":"
                + "\"inline\",\"must_understand\":false,\"metadata\":{");
    for (int i = 0; i < VARIABLES; i++) {
      text.append(i == 0 ? "" : ",").append(String.format("\"v%03d\":", i)).append(array());
    }
    return text.append("}}}").toString();
  }

  private static void put(
      LocalS3 server, int count, IntFunction<String> key, IntFunction<String> text) {
    Deque<CompletableFuture<String>> pending = new ArrayDeque<>();
    StorePath bucket = ObjectStores.open(server.uri(""), StoreConfig.of(server.hadoopSettings()));
    for (int i = 0; i < count; i++) {
      if (pending.size() == 32) {
        pending.remove().join();
      }
      byte[] bytes = text.apply(i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
      pending.add(bucket.store().put(key.apply(i), ByteBuffer.wrap(bytes), WriteCondition.NONE));
    }
    pending.forEach(CompletableFuture::join);
  }
}
