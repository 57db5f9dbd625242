package io.arraymorph.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which requests a query makes: no more objects and bytes than its cells need. */
class RequestCountTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  private static TestArray array(String name, boolean gzip) {
    double[] values = new double[20 * 30];
    Arrays.setAll(values, i -> i);
    return new TestArray(
        name,
        new int[] {20, 30},
        new int[] {10, 10},
        List.of("y", "x"),
        "float64",
        values,
        gzip,
        "");
  }

  private Dataset<Row> load(String store, String path, String rows) {
    return spark
        .read()
        .format("arraymorph")
        .option("rows", rows)
        .load("counted://" + store + "/" + path);
  }

  @Test
  void anArrayTakesOneMetadataRequestAndOnlyTouchedChunks() {
    RecordingObjectStore store = CountedStoreProvider.register("touched", directory);
    array("a", true).write(directory.resolve("a"));
    Dataset<Row> some = load("touched", "a", "cells").where("y < 10 AND x >= 15");
    // Its own metadata, and those of the group around it, for coordinates.
    assertThat(store.requests()).hasSizeLessThanOrEqualTo(3);
    store.clear();
    some.explain();
    assertThat(some.queryExecution().toString())
        .contains("chunks 2 of 6")
        .contains("hyperslab [y=0:10, x=15:30]")
        .contains("not pushed []");
    assertThat(store.requests()).isEmpty();
    double sum = some.selectExpr("sum(a)").first().getDouble(0);
    assertThat(sum).isEqualTo(sum(0, 10, 15, 30));
    assertThat(store.requests()).allMatch(r -> r.operation() == StoreOperation.GET);
    assertThat(store.requests().stream().map(RecordingObjectStore.Request::key).sorted())
        .containsExactly("a/c/0/1", "a/c/0/2");
  }

  private static double sum(int y0, int y1, int x0, int x1) {
    double sum = 0;
    for (int y = y0; y < y1; y++) {
      for (int x = x0; x < x1; x++) {
        sum += y * 30 + x;
      }
    }
    return sum;
  }

  @Test
  void shapesPositionsAndCountsNeedNoChunk() {
    RecordingObjectStore store = CountedStoreProvider.register("none", directory);
    array("a", true).write(directory.resolve("a"));
    Dataset<Row> tensors = load("none", "a", "tensors");
    Dataset<Row> cells = load("none", "a", "cells");
    store.clear();
    assertThat(tensors.where("x >= 15").selectExpr("a.shape", "_index.x").collectAsList())
        .hasSize(4);
    assertThat(cells.where("x >= 15").count()).isEqualTo(300);
    assertThat(cells.selectExpr("max(y)").first().getLong(0)).isEqualTo(19);
    assertThat(cells.selectExpr("_chunk").distinct().count()).isEqualTo(6);
    assertThat(store.requests()).isEmpty();
  }

  @Test
  void aLimitStopsReading() {
    RecordingObjectStore store = CountedStoreProvider.register("limit", directory);
    array("a", true).write(directory.resolve("a"));
    Dataset<Row> tensors = load("limit", "a", "tensors");
    store.clear();
    assertThat(tensors.limit(1).collectAsList()).hasSize(1);
    assertThat(store.requests()).hasSize(1);
    store.clear();
    assertThat(load("limit", "a", "cells").limit(150).count()).isEqualTo(150);
    assertThat(store.count(StoreOperation.GET)).isLessThanOrEqualTo(3);
  }

  @Test
  void theFirstRowsInOrderOfDimensionsReadOnlyTheirChunks() {
    RecordingObjectStore store = CountedStoreProvider.register("top", directory);
    array("a", true).write(directory.resolve("a"));
    Dataset<Row> cells = load("top", "a", "cells");
    store.clear();
    List<Row> last =
        cells.orderBy(col("y").desc(), col("x").asc()).limit(5).selectExpr("a").collectAsList();
    assertThat(last.stream().map(row -> row.getDouble(0)))
        .containsExactly(570.0, 571.0, 572.0, 573.0, 574.0);
    assertThat(store.requests().stream().map(RecordingObjectStore.Request::key))
        .containsExactly("a/c/1/0");
    store.clear();
    Dataset<Row> rows = load("top", "a", "y");
    store.clear();
    List<Row> first = rows.orderBy("y").limit(1).selectExpr("y", "a.shape").collectAsList();
    assertThat(first.get(0).getLong(0)).isZero();
    assertThat(rows.orderBy(col("y").desc()).limit(2).selectExpr("a.data").collectAsList())
        .hasSize(2);
    assertThat(store.requests()).hasSize(3).allMatch(r -> r.key().startsWith("a/c/1/"));
    store.clear();
    assertThat(cells.where("a > 100").orderBy("y").limit(1).collectAsList()).hasSize(1);
    assertThat(cells.orderBy("a").limit(2).selectExpr("a").collectAsList().toString())
        .isEqualTo("[[0.0], [1.0]]");
  }

  @Test
  void aSmallBoxOfALargeImageMovesLittle() throws IOException {
    RecordingObjectStore store = CountedStoreProvider.register("box", directory);
    Path image = directory.resolve("image");
    int[] none = {0};
    new TestArray("image", none, new int[] {1}, List.of(), "int32", new double[0], false, "")
        .write(image);
    Files.writeString(
        image.resolve("zarr.json"),
        Files.readString(image.resolve("zarr.json"))
            .replace("\"shape\":[0]", "\"shape\":[8192, 8192]")
            .replace("\"chunk_shape\":[1]", "\"chunk_shape\":[512, 512]"));
    byte[] chunk = new byte[512 * 512 * 4];
    Arrays.fill(chunk, (byte) 1);
    for (String key : List.of("c/3/5", "c/3/6", "c/4/5", "c/4/6")) {
      Files.createDirectories(image.resolve(key).getParent());
      Files.write(image.resolve(key), chunk);
    }
    Dataset<Row> box =
        load("box", "image", "tensors")
            .where("dim_0 >= 2040 AND dim_0 < 2061 AND dim_1 BETWEEN 3061 AND 3081");
    store.clear();
    List<Row> rows = box.selectExpr("image.data").collectAsList();
    assertThat(rows).hasSize(4);
    assertThat(rows.stream().mapToInt(r -> r.getList(0).size()).sum()).isEqualTo(21 * 21);
    assertThat(rows).allMatch(r -> r.getList(0).stream().allMatch(v -> v.equals(0x01010101)));
    assertThat(store.requests()).hasSizeLessThanOrEqualTo(4);
    assertThat(store.bytesRead()).isLessThanOrEqualTo(200_000);
  }

  @Test
  void severalVariablesReadOnlyTheirOwnChunks() {
    RecordingObjectStore store = CountedStoreProvider.register("variables", directory);
    double[] values = new double[20 * 30];
    Arrays.setAll(values, i -> -i);
    TestArray.writeGroup(
        directory.resolve("g"),
        array("a", true),
        new TestArray(
            "b",
            new int[] {20, 30},
            new int[] {20, 5},
            List.of("y", "x"),
            "float64",
            values,
            true,
            ""));
    Dataset<Row> cells = load("variables", "g", "cells").where("x IN (3, 22) AND y = 4");
    store.clear();
    assertThat(cells.selectExpr("sum(a + b)").first().getDouble(0)).isEqualTo(0);
    assertThat(store.requests().stream().map(RecordingObjectStore.Request::key).sorted())
        .containsExactly("g/a/c/0/0", "g/a/c/0/2", "g/b/c/0/0", "g/b/c/0/4");
    store.clear();
    assertThat(cells.selectExpr("min(a)").first().getDouble(0)).isEqualTo(123);
    assertThat(store.requests()).hasSize(2);
  }

  @Test
  void coordinatesAreReadOnceATableAndAnewByTheNext() throws IOException {
    RecordingObjectStore store = CountedStoreProvider.register("coordinates", directory);
    String path = directory.resolve("c.zarr").toString();
    writeByLatitude(path, "id * 2.5D");
    Dataset<Row> opened = load("coordinates", "c.zarr", "cells");
    assertThat(sumNorthOf(20, opened)).isEqualTo(9 + 10 + 11);
    assertThat(store.requests()).anyMatch(r -> r.key().startsWith("c.zarr/lat/c"));
    store.clear();
    assertThat(sumNorthOf(25, opened)).isEqualTo(11);
    assertThat(store.requests()).noneMatch(r -> r.key().startsWith("c.zarr/lat/c"));
    // What zarr-python does to a[:]: the chunk is another, the metadata are the same.
    Path chunk = directory.resolve("c.zarr/lat/c/0");
    Files.write(chunk, doubles(12, 5));
    assertThat(sumNorthOf(50, load("coordinates", "c.zarr", "cells"))).isEqualTo(11);
  }

  private static byte[] doubles(int count, double step) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * count).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i++) {
      bytes.putDouble(i * step);
    }
    return bytes.array();
  }

  /** Values 0 to 11 at latitudes that follow from them. */
  private void writeByLatitude(String path, String latitude) {
    spark
        .range(12)
        .selectExpr(latitude + " AS lat", "cast(id AS double) AS v")
        .write()
        .format("arraymorph")
        .option("dims", "lat")
        .option("group", "true")
        .option("compression", "none")
        .mode("overwrite")
        .save(path);
  }

  private static double sumNorthOf(double latitude, Dataset<Row> opened) {
    return opened.where("lat > " + latitude).selectExpr("sum(v)").first().getDouble(0);
  }

  private Dataset<Row> tensors(String store, String piece) {
    return spark
        .read()
        .format("arraymorph")
        .option("piece", piece)
        .option("partition-bytes", "960")
        .load("counted://" + store + "/a");
  }

  @Test
  void objectsThatSeveralTasksReadArePinnedByOneHeadEach() {
    RecordingObjectStore store = CountedStoreProvider.register("pinned", directory);
    array("a", true).write(directory.resolve("a"));
    // Pieces of 4 rows cut the chunks of 10 rows: each chunk is read by three tasks.
    Dataset<Row> shared = tensors("pinned", "4,30");
    store.clear();
    assertThat(shared.queryExecution().toString()).contains("that share 6 objects");
    assertThat(store.requests()).isEmpty();
    assertThat(shared.collectAsList()).hasSize(5);
    assertThat(
            store.requests(StoreOperation.HEAD).stream()
                .map(RecordingObjectStore.Request::key)
                .sorted())
        .containsExactly("a/c/0/0", "a/c/0/1", "a/c/0/2", "a/c/1/0", "a/c/1/1", "a/c/1/2");

    // Pieces that divide the chunks: a chunk belongs to one task, whatever the partitions.
    Dataset<Row> own = tensors("pinned", "5,5");
    store.clear();
    assertThat(own.queryExecution().toString()).doesNotContain("that share");
    assertThat(own.collectAsList()).hasSize(24);
    assertThat(store.requests(StoreOperation.HEAD)).isEmpty();
    assertThat(store.requests().stream().map(RecordingObjectStore.Request::key).sorted())
        .containsExactly("a/c/0/0", "a/c/0/1", "a/c/0/2", "a/c/1/0", "a/c/1/1", "a/c/1/2");
  }

  @Test
  void anObjectThatChangesBetweenTwoTasksFailsTheQueryByName() throws IOException {
    CountedStoreProvider.register("changed", directory);
    TestArray array = array("a", true);
    array.write(directory.resolve("a"));
    // One job for each partition, the second after the first has ended.
    Iterator<Row> rows = tensors("changed", "4,30").toLocalIterator();
    assertThat(rows.next()).isNotNull();
    replaceAChunk();
    assertThatThrownBy(
            () -> {
              while (rows.hasNext()) {
                rows.next();
              }
            })
        .hasStackTraceContaining("[ARRAYMORPH_OBJECT_CHANGED]")
        .hasStackTraceContaining("a/c/0/1");
    // A new query reads what is there now.
    assertThat(tensors("changed", "4,30").collectAsList()).hasSize(5);
  }

  /** The same bytes as another version. */
  private void replaceAChunk() throws IOException {
    Path chunk = directory.resolve("a/c/0/1");
    Path staged = Files.write(directory.resolve("staged"), Files.readAllBytes(chunk));
    Files.setLastModifiedTime(staged, FileTime.fromMillis(1_000_000_000_000L));
    Files.move(staged, chunk, StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void aDataFrameThatRunsAgainReadsTheVersionsOfItsFirstRunOrFails() throws IOException {
    CountedStoreProvider.register("again", directory);
    array("a", true).write(directory.resolve("a"));
    Dataset<Row> rows = tensors("again", "4,30");
    List<Row> first = rows.collectAsList();
    assertThat(rows.collectAsList()).isEqualTo(first);
    replaceAChunk();
    assertThatThrownBy(rows::collectAsList)
        .hasStackTraceContaining("[ARRAYMORPH_OBJECT_CHANGED]")
        .hasStackTraceContaining("Open the array again");
    // A query made of it is planned anew, as is one on an array opened anew.
    assertThat(rows.where("true").select("*").collectAsList()).isEqualTo(first);
    assertThat(tensors("again", "4,30").collectAsList()).isEqualTo(first);
  }

  @Test
  void chunksThatATaskHoldsArePlannedAndCountedAsCached() {
    RecordingObjectStore store = CountedStoreProvider.register("cached", directory);
    new TestArray(
            "a",
            new int[] {5000},
            new int[] {5000},
            List.of("x"),
            "float64",
            new double[5000],
            true,
            "")
        .write(directory.resolve("a"));
    // More rows than one batch has, all of one chunk.
    Dataset<Row> rows =
        spark.read().format("arraymorph").option("piece", "1").load("counted://cached/a");
    store.clear();
    spark.conf().set("spark.sql.adaptive.enabled", "false");
    try {
      assertThat(rows.collectAsList()).hasSize(5000);
      assertThat(store.requests(StoreOperation.GET)).hasSize(1);
      assertThat(ScanMetrics.of(rows, "chunks planned cached", "requests"))
          .containsEntry("requests", 1L)
          .hasEntrySatisfying("chunks planned cached", count -> assertThat(count).isPositive());
    } finally {
      spark.conf().unset("spark.sql.adaptive.enabled");
    }
  }
}
