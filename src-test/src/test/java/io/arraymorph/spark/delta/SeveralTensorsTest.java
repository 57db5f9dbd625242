package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A read that names no tensor has those of the whole table. */
class SeveralTensorsTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path directory;

  @BeforeEach
  void write() {
    save("SELECT 0 AS day, 1 AS place, 1.5D AS trips UNION ALL SELECT 3, 2, 2.5D", "bus", "4,5");
    save("SELECT 1 AS day, 4 AS place, 7D AS trips", "tram", "4,5");
    save("SELECT 2 AS user, 1 AS item, 9 AS kind, 5 AS rating", "films", "3,3,10");
  }

  private void save(String query, String tensor, String shape) {
    spark
        .sql(query)
        .write()
        .format("arraymorph")
        .option("storage", "coo")
        .option("tensor", tensor)
        .option("shape", shape)
        .mode(SaveMode.Append)
        .save(directory.toString());
  }

  private Dataset<Row> all() {
    return spark.read().format("arraymorph").load(directory.toString());
  }

  private List<String> where(String condition) {
    return all()
        .where(condition)
        .selectExpr("concat_ws(' ', tensor, day, place, user, item, kind, trips, rating)")
        .collectAsList()
        .stream()
        .map(row -> row.getString(0))
        .sorted()
        .toList();
  }

  @Test
  void rows_have_the_columns_of_all_tensors_and_null_in_those_of_others() {
    assertThat(all().schema().simpleString())
        .isEqualTo(
            "struct<tensor:string,day:bigint,place:bigint,user:bigint,item:bigint,kind:bigint,"
                + "trips:double,rating:int>");
    assertThat(where("true"))
        .containsExactly("bus 0 1 1.5", "bus 3 2 2.5", "films 2 1 9 5", "tram 1 4 7.0");
    assertThat(all().count()).isEqualTo(4);
    assertThat(all().groupBy("tensor").count().orderBy("tensor").collectAsList().toString())
        .isEqualTo("[[bus,2], [films,1], [tram,1]]");
  }

  @Test
  void predicates_mean_what_sql_says_also_where_columns_are_null() {
    assertThat(where("tensor = 'bus'")).containsExactly("bus 0 1 1.5", "bus 3 2 2.5");
    assertThat(where("tensor IN ('tram', 'films', 'none')"))
        .containsExactly("films 2 1 9 5", "tram 1 4 7.0");
    assertThat(where("tensor LIKE 'f%' OR tensor LIKE '%us' AND day > 0"))
        .containsExactly("bus 3 2 2.5", "films 2 1 9 5");
    assertThat(where("tensor > 'bus' AND tensor <> 'films'")).containsExactly("tram 1 4 7.0");
    assertThat(where("day >= 1")).containsExactly("bus 3 2 2.5", "tram 1 4 7.0");
    assertThat(where("NOT (day >= 1)")).containsExactly("bus 0 1 1.5");
    assertThat(where("day IS NULL")).containsExactly("films 2 1 9 5");
    assertThat(where("day <=> NULL OR place = 4")).containsExactly("films 2 1 9 5", "tram 1 4 7.0");
    assertThat(where("NOT (day <=> 3)"))
        .containsExactly("bus 0 1 1.5", "films 2 1 9 5", "tram 1 4 7.0");
    assertThat(where("rating > 4 OR trips < 2")).containsExactly("bus 0 1 1.5", "films 2 1 9 5");
    assertThat(where("(tensor = 'bus' AND day = 3) OR (tensor = 'tram' AND place = 4)"))
        .containsExactly("bus 3 2 2.5", "tram 1 4 7.0");
    assertThat(where("tensor = 'nothing'")).isEmpty();
  }

  @Test
  void a_tensor_that_is_left_out_is_not_read() {
    Dataset<Row> one = all().where("tensor = 'bus' AND day = 3");
    String plan = one.queryExecution().executedPlan().toString();
    assertThat(plan)
        .contains("bus coo region")
        .doesNotContain("tram coo")
        .doesNotContain("Filter (");
    assertThat(one.toJavaRDD().getNumPartitions()).isEqualTo(1);
    assertThat(all().where("tensor = 'x'").toJavaRDD().getNumPartitions()).isZero();
  }

  @Test
  void tensor_rows_of_several_tensors_are_dense_pieces() {
    Dataset<Row> rows =
        spark.read().format("arraymorph").option("rows", "tensors").load(directory.toString());
    assertThat(
            rows.where("tensor <> 'films' AND day >= 1 AND place >= 1")
                .select("tensor", "day", "place", "trips", "rating")
                .orderBy("tensor")
                .toJSON()
                .collectAsList())
        .containsExactly(
            "{\"tensor\":\"bus\",\"day\":1,\"place\":1,\"trips\":{\"data\":"
                + "[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,2.5,0.0,0.0],\"shape\":[3,4]}}",
            "{\"tensor\":\"tram\",\"day\":1,\"place\":1,\"trips\":{\"data\":"
                + "[0.0,0.0,0.0,7.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0],\"shape\":[3,4]}}");
    assertThatThrownBy(() -> rows.where("day + place > 3").collectAsList())
        .hasMessageContaining("[ARRAYMORPH_CANNOT_CLIP]");
  }

  @Test
  void what_cannot_be_one_table_is_refused_by_name() {
    save("SELECT 1 AS day, 'a' AS trips", "names", "4");
    assertThatThrownBy(this::all)
        .hasMessageContaining("[ARRAYMORPH_INVALID_OPTION]")
        .hasMessageContaining("option(\"tensor\", ");
    Dataset<Row> named =
        spark.read().format("arraymorph").option("tensor", "names").load(directory.toString());
    assertThat(named.collectAsList().toString()).isEqualTo("[[1,a]]");
    assertThatThrownBy(
            () -> spark.read().format("arraymorph").load(directory.resolve("nothing").toString()))
        .hasMessageContaining("[ARRAYMORPH_NOT_AN_ARRAY]");
  }

  @Test
  void metadata_columns_tell_where_a_row_lies() {
    assertThat(all().columns()).doesNotContain("_index", "_coords");
    assertThat(
            all()
                .where("_index.day >= 1 AND _index.place < 4")
                .select("tensor", "_index.place", "_index", "trips")
                .toJSON()
                .collectAsList())
        .containsExactly(
            "{\"tensor\":\"bus\",\"place\":2,\"_index\":{\"day\":3,\"place\":2},\"trips\":2.5}");
    assertThat(all().where("_index.day IS NULL").select("tensor").collectAsList().toString())
        .isEqualTo("[[films]]");
    assertThat(all().where("_index IS NULL").count()).isZero();
    Dataset<Row> days =
        spark
            .read()
            .format("arraymorph")
            .option("tensor", "bus")
            .option("rows", "day")
            .load(directory.toString());
    assertThat(
            days.where("place >= 1 AND _index.day = 3")
                .select("_index", "_coords", "trips.data")
                .toJSON()
                .collectAsList())
        .hasSize(1)
        .allSatisfy(
            row ->
                assertThat(row)
                    .isEqualTo(
                        "{\"_index\":{\"day\":3,\"place\":1},\"_coords\":{\"place\":[1,2,3,4]},"
                            + "\"data\":[0.0,2.5,0.0,0.0]}"));
    // Of a packed dimension a predicate clips or fails; it never picks pieces by first indices.
    assertThat(days.where("_index.place = 2 AND day = 3").select("trips.data").toJSON().head())
        .isEqualTo("{\"data\":[2.5]}");
    assertThatThrownBy(() -> days.where("_index.place + day > 3").collectAsList())
        .hasMessageContaining("[ARRAYMORPH_CANNOT_CLIP]");
  }
}
