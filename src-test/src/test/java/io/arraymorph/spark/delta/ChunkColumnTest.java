package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metadata column {@code _chunk} of tensors names the block of a row's first cell. */
class ChunkColumnTest {
  private static final long[] BLOCK = {2, 3, 4};

  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @BeforeEach
  void write() {
    String cells =
        "SELECT id div 77 AS t, id div 11 % 7 AS y, id % 11 AS x, id + 1D AS v"
            + " FROM range(5 * 77) WHERE id * 7919 % 5 < 2";
    for (String storage : List.of("bsgs", "ftsf", "coo")) {
      save(cells, storage, Map.of("shape", "5,7,11"));
    }
    // One more along t: chunks of ftsf then end between those of the grid.
    save(cells.replace("5 * 77", "5 * 77, 6 * 77"), "ftsf", Map.of("append-dim", "t"));
  }

  private void save(String query, String storage, Map<String, String> options) {
    spark
        .sql(query)
        .write()
        .format("arraymorph")
        .option("storage", storage)
        .option("tensor", storage)
        .option("block", storage.equals("coo") ? "" : "2,3,4")
        .options(options)
        .mode(SaveMode.Append)
        .save(directory.toString());
  }

  private Dataset<Row> read(String tensor, String... options) {
    var reader = spark.read().format("arraymorph").option("tensor", tensor);
    for (int i = 0; i < options.length; i += 2) {
      reader = reader.option(options[i], options[i + 1]);
    }
    return reader.load(directory.toString());
  }

  /** The names in the rows, each as the row's position says. */
  private static Set<String> names(Dataset<Row> rows) {
    Set<String> names = new TreeSet<>();
    for (Row row : rows.select("_chunk", "_index").collectAsList()) {
      Row index = row.getStruct(1);
      String expected =
          index.getLong(0) / BLOCK[0]
              + "/"
              + index.getLong(1) / BLOCK[1]
              + "/"
              + index.getLong(2) / BLOCK[2];
      assertThat(row.getString(0)).as("%s", row).isEqualTo(expected);
      names.add(expected);
    }
    return names;
  }

  @Test
  void every_row_names_the_block_of_its_first_cell() {
    assertThat(names(read("bsgs"))).hasSize(3 * 3 * 3);
    assertThat(names(read("bsgs", "cells", "all"))).hasSize(3 * 3 * 3);
    assertThat(names(read("bsgs", "rows", "tensors"))).hasSize(3 * 3 * 3);
    assertThat(names(read("bsgs", "rows", "tensors", "piece", "5,1,8"))).hasSize(3 * 2);
    assertThat(names(read("bsgs", "rows", "t"))).containsExactly("0/0/0", "1/0/0", "2/0/0");
    assertThat(names(read("ftsf"))).hasSize(3 * 3 * 3);
    assertThat(names(read("ftsf", "rows", "cells", "cells", "all"))).hasSize(3 * 3 * 3);
    assertThat(names(read("bsgs").where("y >= 4 AND x < 7"))).hasSize(3 * 2 * 2);
    assertThat(names(read("bsgs", "rows", "tensors").where("y >= 4 AND x < 7"))).hasSize(3 * 2 * 2);
  }

  @Test
  void rows_group_and_filter_by_it() {
    Dataset<Row> cells = read("bsgs");
    long total = 0;
    for (Row row : cells.groupBy("_chunk").count().collectAsList()) {
      assertThat(cells.where("_chunk = '" + row.getString(0) + "'").count())
          .isEqualTo(row.getLong(1));
      total += row.getLong(1);
    }
    assertThat(total).isEqualTo(cells.count());
    assertThat(cells.columns()).doesNotContain("_chunk");
  }

  @Test
  void without_blocks_it_is_null() {
    assertThat(read("coo").where("_chunk IS NOT NULL").count()).isZero();
    assertThat(read("coo", "rows", "tensors").where("_chunk IS NULL").count()).isPositive();
    Dataset<Row> all = spark.read().format("arraymorph").load(directory.toString());
    Set<String> with = new HashSet<>();
    all.where("_chunk IS NOT NULL")
        .select("tensor")
        .distinct()
        .collectAsList()
        .forEach(row -> with.add(row.getString(0)));
    assertThat(with).containsExactlyInAnyOrder("bsgs", "ftsf");
  }
}
