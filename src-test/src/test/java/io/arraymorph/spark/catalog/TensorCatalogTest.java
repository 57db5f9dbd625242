package io.arraymorph.spark.catalog;

import static io.arraymorph.spark.catalog.Catalogs.assertSqlFails;
import static io.arraymorph.spark.catalog.Catalogs.sql;
import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.spark.ArrayMorph;
import io.arraymorph.testing.SparkSessions;
import java.nio.file.Path;
import java.util.Map;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tensors in Delta tables by name in SQL. */
class TensorCatalogTest {
  private final SparkSession spark = SparkSessions.shared();

  @TempDir Path warehouse;

  private void save(String query, String tensor, String shape, SaveMode mode) {
    spark
        .sql(query)
        .write()
        .format("arraymorph")
        .option("storage", "coo")
        .option("tensor", tensor)
        .option("shape", shape)
        .mode(mode)
        .save(warehouse.resolve("lab/tensors").toString());
  }

  @Test
  void tensors_have_names_versions_and_can_be_deleted() {
    save("SELECT 0 AS day, 1.5D AS trips UNION ALL SELECT 3, 2.5D", "bus", "4", SaveMode.Append);
    save("SELECT 1 AS day, 7D AS trips", "tram", "4", SaveMode.Append);
    save("SELECT 1 AS day, 9D AS trips LIMIT 0", "none", "0", SaveMode.Append);
    save("SELECT 2 AS day, 8D AS trips", "bus", "4", SaveMode.Overwrite);
    String am = Catalogs.register(warehouse.toString(), Map.of());
    String table = am + ".lab.tensors";
    assertThat(sql("SELECT * FROM " + table + " ORDER BY tensor"))
        .containsExactly("bus 2 8.0", "tram 1 7.0");
    assertThat(sql("SELECT trips FROM " + table + ".bus")).containsExactly("8.0");
    assertThat(sql("SELECT trips FROM " + table + ".bus VERSION AS OF 1 ORDER BY day"))
        .containsExactly("1.5", "2.5");
    assertThat(sql("SELECT count(*) FROM " + table + " TIMESTAMP AS OF now()"))
        .containsExactly("2");
    String byPath = am + ".`" + warehouse.resolve("lab/tensors") + "`";
    assertThat(sql("SELECT sum(trips) FROM " + byPath + ".cells WHERE day > 1"))
        .containsExactly("8.0");
    assertThat(sql("SELECT trips FROM " + byPath + ".tram")).containsExactly("7.0");
    assertSqlFails("DELETE FROM " + table + " WHERE day = 2", "day = 2");
    assertThat(sql("SELECT count(*) FROM " + table)).containsExactly("2");
    sql("DELETE FROM " + table + " WHERE tensor LIKE 'b%'");
    assertThat(sql("SELECT * FROM " + table)).containsExactly("tram 1 7.0");
    assertThat(ArrayMorph.tensors(spark, warehouse.resolve("lab/tensors").toString()))
        .extracting(t -> t.select("tensor", "encoding", "stored_cells").collectAsList().toString())
        .isEqualTo("[[none,coo,0], [tram,coo,1]]");
    if (Catalogs.hasProcedures()) {
      assertThat(sql("CALL " + am + ".system.tensors('lab.tensors')"))
          .anySatisfy(
              row -> assertThat(row).startsWith("tram ").contains("(day)", "(4) float64 coo 1"));
      assertThat(sql("CALL " + am + ".system.delete_tensor('lab.tensors', 'tram')"))
          .containsExactly("5");
    } else {
      ArrayMorph.deleteTensor(spark, warehouse.resolve("lab/tensors").toString(), "tram");
    }
    assertThat(sql("SELECT * FROM " + table)).isEmpty();
    assertSqlFails("SELECT * FROM " + table + ".tram", "UNKNOWN_TENSOR");
  }
}
