package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.arraymorph.loopback.FaultProxy;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.loopback.SliceFunctionProcess;
import io.arraymorph.testing.SparkSessions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The slice function as a process of its own beside an S3 server, called by Spark's tasks. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class SliceFunctionThroughSparkTest {
  private static final String BUCKET = "sliced";
  private static final String TOKEN = "token-of-the-function";
  private static final int SIDE = 64;

  @TempDir static Path directory;
  private static S3TestServer server;
  private static FaultProxy proxy;
  private static SliceFunctionProcess function;

  private final SparkSession spark = SparkSessions.shared();

  @BeforeAll
  static void start() throws IOException {
    server = S3TestServer.start(directory, BUCKET);
    proxy = FaultProxy.before(server.endpoint());
    function = SliceFunctionProcess.start(TOKEN, server.settings(), "s3://" + BUCKET);
    SparkSession spark = SparkSessions.shared();
    Configuration hadoop = spark.sparkContext().hadoopConfiguration();
    S3TestServer.settings(proxy.endpoint(), BUCKET).forEach(hadoop::set);
    for (String compression : List.of("none", "zstd")) {
      double[] values = IntStream.range(0, SIDE * SIDE).asDoubleStream().toArray();
      int[] shape = {SIDE, SIDE};
      int[] chunk = {16, 16};
      Map<String, String> options = Map.of("chunks", "32,32", "compression", compression);
      new TestArray("v", shape, chunk, List.of("y", "x"), "float64", values, false, "")
          .save(spark, directory, uri(compression), options);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    function.close();
    proxy.close();
    server.close();
  }

  @BeforeEach
  void clear() {
    proxy.clear();
  }

  private static String uri(String compression) {
    return "s3a://" + BUCKET + "/" + compression + ".zarr";
  }

  private DataFrameReader cells(String url, String planner) {
    return spark
        .read()
        .format("arraymorph")
        .option("rows", "cells")
        .option("slice-function", url)
        .option("slice-function-token", TOKEN)
        .option("planner", planner);
  }

  private static Dataset<Row> columns(Dataset<Row> cells) {
    return cells.where("x = 7 OR x = 40").toDF("y", "x", "v");
  }

  /** Two columns of all rows, checked; gives the metrics of the scan. */
  private static SparkPlan assertColumns(Dataset<Row> columns) {
    List<Row> rows = columns.collectAsList();
    assertThat(rows).hasSize(2 * SIDE);
    for (Row row : rows) {
      assertThat(row.getDouble(2)).isEqualTo((double) (row.getLong(0) * SIDE + row.getLong(1)));
    }
    return columns.queryExecution().executedPlan().collectLeaves().head();
  }

  private static long metric(SparkPlan scan, String name) {
    return scan.metrics().get(name).get().value();
  }

  private static long chunkGets() {
    return proxy.exchanges().stream()
        .filter(e -> e.method().equals("GET") && e.target().contains(".zarr/c/"))
        .count();
  }

  @Test
  void forcedCallsReadNoChunkFromTheStore() {
    Dataset<Row> columns =
        columns(
            cells(function.endpoint().toString(), "lambda")
                .option("slice-function-failure", "error")
                .load(uri("none")));
    SparkPlan scan = assertColumns(columns);
    assertThat(chunkGets()).isZero();
    // Four chunks of 32 x 32, one column of each.
    assertThat(metric(scan, "slice-function requests")).isEqualTo(4);
    assertThat(metric(scan, "bytes read")).isEqualTo(2 * SIDE * 8);
    String explained = columns.queryExecution().executedPlan().toString();
    assertThat(explained).contains("4 function").doesNotContain(TOKEN);
    assertThat(columns.queryExecution().toString()).doesNotContain(TOKEN);
  }

  @Test
  void presignedUrlsReplaceCredentialsOfTheFunction() throws IOException {
    // Allowed to read nothing itself, only what is signed for the host it may ask.
    String host = proxy.endpoint().toString();
    try (SliceFunctionProcess bare = SliceFunctionProcess.start(TOKEN, Map.of(), host)) {
      SparkPlan scan =
          assertColumns(
              columns(
                  cells(bare.endpoint().toString(), "lambda")
                      .option("slice-function-credentials", "presigned")
                      .option("slice-function-failure", "error")
                      .load(uri("none"))));
      assertThat(metric(scan, "slice-function requests")).isEqualTo(4);
      assertThat(metric(scan, "requests")).isZero();
    }
  }

  @Test
  void theCheapestMethodIsChosenByTheProfile() {
    // In the region one request is cheap; over the internet a call moves so much less.
    String url = function.endpoint().toString();
    SparkPlan near =
        assertColumns(
            columns(cells(url, "auto").option("profile", "s3.in-region").load(uri("none"))));
    assertThat(metric(near, "slice-function requests")).isZero();
    SparkPlan cheap =
        assertColumns(
            columns(
                cells(url, "auto")
                    .option("profile", "s3.wan")
                    .option("phi", "infinity")
                    .load(uri("none"))));
    assertThat(metric(cheap, "slice-function requests") + metric(cheap, "requests")).isPositive();
  }

  @Test
  void aFunctionThatIsDownSlowOrLyingChangesNoValue() throws IOException {
    String down = "http://127.0.0.1:1/slice";
    SparkPlan scan = assertColumns(columns(cells(down, "lambda").load(uri("none"))));
    assertThat(chunkGets()).isEqualTo(4);
    assertThat(metric(scan, "requests")).isEqualTo(4);
    for (String lie : List.of("zeros", "short", "error", "slow")) {
      HttpServer liar =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      liar.createContext(
          "/slice",
          exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] body = new byte[lie.equals("short") ? 5 : 256];
            if (lie.equals("slow")) {
              try {
                Thread.sleep(10_000);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }
            exchange.getResponseHeaders().set("X-ArrayMorph-ETag", "\"x\"");
            exchange.getResponseHeaders().set("X-ArrayMorph-Object-Bytes", "8192");
            exchange.getResponseHeaders().set("X-ArrayMorph-Crc32c", "0");
            exchange.sendResponseHeaders(lie.equals("error") ? 500 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      liar.start();
      try {
        proxy.clear();
        String url = "http://127.0.0.1:" + liar.getAddress().getPort() + "/slice";
        assertColumns(columns(cells(url, "lambda").load(uri("none"))));
        assertThat(chunkGets()).as(lie).isEqualTo(4);
      } finally {
        liar.stop(0);
      }
    }
  }

  @Test
  void aRequiredFunctionFailsTheQueryByName() {
    Dataset<Row> columns =
        columns(
            cells("http://127.0.0.1:1/slice", "lambda")
                .option("slice-function-failure", "error")
                .load(uri("none")));
    assertThatThrownBy(columns::collectAsList)
        .hasStackTraceContaining("ARRAYMORPH_SLICE_FUNCTION_FAILED")
        .hasStackTraceContaining("127.0.0.1:1/slice")
        .satisfies(e -> assertThat(stackTrace(e)).doesNotContain(TOKEN));
    Dataset<Row> wrongToken =
        columns(
            cells(function.endpoint().toString(), "lambda")
                .option("slice-function-token", "wrong")
                .option("slice-function-failure", "error")
                .load(uri("none")));
    assertThatThrownBy(wrongToken::collectAsList).hasStackTraceContaining("UNAUTHORIZED");
  }

  @Test
  void aFunctionThatRefusesLongAnswersChangesNoValue() throws IOException {
    // A column of a chunk has 256 bytes.
    List<String> limits = List.of("--answer-bytes", "255");
    try (SliceFunctionProcess small =
        SliceFunctionProcess.limited(limits, TOKEN, server.settings(), "s3://" + BUCKET)) {
      String url = small.endpoint().toString();
      for (String compression : List.of("none", "zstd")) {
        proxy.clear();
        SparkPlan scan = assertColumns(columns(cells(url, "lambda").load(uri(compression))));
        assertThat(chunkGets()).isEqualTo(4);
        assertThat(metric(scan, "requests")).isEqualTo(4);
        Dataset<Row> required =
            columns(
                cells(url, "lambda")
                    .option("slice-function-failure", "error")
                    .load(uri(compression)));
        assertThatThrownBy(required::collectAsList)
            .hasStackTraceContaining("ARRAYMORPH_SLICE_FUNCTION_FAILED")
            .hasStackTraceContaining("TOO_LARGE")
            .satisfies(e -> assertThat(stackTrace(e)).doesNotContain(TOKEN));
      }
    }
  }

  private static String stackTrace(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void badOptionsAreRefusedWithoutShowingTheToken() {
    String url = function.endpoint().toString();
    String secret = "s3cr3t-token";
    List<DataFrameReader> bad =
        List.of(
            cells("http://example.com/slice", "auto").option("slice-function-token", secret),
            cells("ftp://127.0.0.1/slice", "auto").option("slice-function-token", secret),
            cells("https://user:pass@example.com/", "auto").option("slice-function-token", secret),
            cells(url, "auto").option("slice-function-token", "two words " + secret),
            cells(url, "auto").option("slice-function-failure", "explode"),
            spark.read().format("arraymorph").option("slice-function", url),
            spark.read().format("arraymorph").option("planner", "lambda"));
    for (DataFrameReader reader : bad) {
      assertThatThrownBy(() -> reader.load(uri("none")).schema())
          .hasStackTraceContaining("ARRAYMORPH_INVALID_OPTION")
          .satisfies(e -> assertThat(stackTrace(e)).doesNotContain(secret).doesNotContain("pass@"));
    }
  }

  @Test
  void theSessionDecidesWhichHostsMayBeCalled() {
    String url = function.endpoint().toString();
    spark.conf().set("spark.arraymorph.slice-function-hosts", "fn.example.com, *.internal");
    try {
      assertThatThrownBy(
              () ->
                  cells(url, "lambda")
                      .option("slice-function-hosts", "127.0.0.1")
                      .load(uri("none"))
                      .schema())
          .hasStackTraceContaining("ARRAYMORPH_INVALID_OPTION")
          .hasStackTraceContaining("slice-function-hosts");
      spark.conf().set("spark.arraymorph.slice-function-hosts", "127.0.0.1");
      assertColumns(columns(cells(url, "lambda").load(uri("none"))));
    } finally {
      spark.conf().unset("spark.arraymorph.slice-function-hosts");
    }
  }

  @Test
  void sessionDefaultsNameTheFunction() {
    spark.conf().set("spark.arraymorph.slice-function", function.endpoint().toString());
    spark.conf().set("spark.arraymorph.slice-function-token", TOKEN);
    try {
      Dataset<Row> columns =
          columns(
              spark
                  .read()
                  .format("arraymorph")
                  .option("rows", "cells")
                  .option("planner", "lambda")
                  .load(uri("none")));
      assertThat(metric(assertColumns(columns), "slice-function requests")).isEqualTo(4);
      String shown =
          spark.sql("SET").collectAsList().stream()
              .map(Row::toString)
              .collect(Collectors.joining());
      assertThat(shown).doesNotContain(TOKEN);
    } finally {
      spark.conf().unset("spark.arraymorph.slice-function");
      spark.conf().unset("spark.arraymorph.slice-function-token");
    }
  }

  @Test
  void compressedChunksAreRightToo() {
    String url = function.endpoint().toString();
    Dataset<Row> columns = columns(cells(url, "lambda").load(uri("zstd")));
    SparkPlan scan = assertColumns(columns);
    assertThat(chunkGets()).isZero();
    assertThat(metric(scan, "slice-function requests")).isEqualTo(4);
    assertThat(metric(scan, "bytes read")).isEqualTo(2 * SIDE * 8);
    assertThat(columns.queryExecution().executedPlan().toString()).contains("4 function");
  }
}
