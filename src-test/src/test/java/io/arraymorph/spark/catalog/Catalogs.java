package io.arraymorph.spark.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Catalogs of the shared session: Spark loads one when its name is first used. */
final class Catalogs {
  // Spark takes a name for a catalog's first, and two points in it for a fault.
  static final Path DATA =
      Path.of(System.getProperty("arraymorph.root"), "src-test", "data").normalize();

  private static final AtomicInteger COUNT = new AtomicInteger();

  private Catalogs() {}

  static boolean hasProcedures() {
    return !SparkSessions.version().startsWith("3.");
  }

  /** A new catalog over a warehouse: the one with procedures where Spark has them. */
  static String register(String warehouse, Map<String, String> settings) {
    SparkSession spark = SparkSessions.shared();
    String name = "am" + COUNT.incrementAndGet();
    String key = "spark.sql.catalog." + name;
    spark
        .conf()
        .set(key, "io.arraymorph.spark.ArrayMorph" + (hasProcedures() ? "" : "Base") + "Catalog");
    if (!warehouse.isEmpty()) {
      spark.conf().set(key + ".warehouse", warehouse);
    }
    settings.forEach((setting, value) -> spark.conf().set(key + "." + setting, value));
    return name;
  }

  /** The rows of a statement, their values joined by spaces. */
  static List<String> sql(String statement) {
    return rows(SparkSessions.shared().sql(statement));
  }

  static List<String> rows(Dataset<Row> rows) {
    return rows.collectAsList().stream().map(Catalogs::text).collect(Collectors.toList());
  }

  /** One column of a statement's rows. */
  static List<String> column(String statement, String column) {
    return SparkSessions.shared().sql(statement).select(column).collectAsList().stream()
        .map(row -> String.valueOf(row.get(0)))
        .collect(Collectors.toList());
  }

  private static String text(Row row) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      text.append(i == 0 ? "" : " ").append(row.get(i));
    }
    return text.toString();
  }

  /** Puts the files below a directory into a store, as a client would. */
  static void upload(Path directory, String uri, Map<String, String> settings) throws IOException {
    StorePath target = ObjectStores.open(uri, StoreConfig.of(settings));
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        target
            .store()
            .put(
                target.resolve(directory.relativize(file).toString()).key(),
                ByteBuffer.wrap(Files.readAllBytes(file)),
                WriteCondition.NONE)
            .join();
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    upload(from, to.toUri().toString(), Map.of());
  }

  /** Some statement fails, and says so with these texts. */
  static void assertFails(ThrowingCallable statement, String... texts) {
    Throwable failure = catchThrowable(statement);
    assertThat(failure).isNotNull();
    StringBuilder all = new StringBuilder();
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      all.append(cause).append('\n');
    }
    for (String text : texts) {
      assertThat(all.toString()).contains(text);
    }
  }

  static void assertSqlFails(String statement, String... texts) {
    assertFails(() -> sql(statement), texts);
  }
}
