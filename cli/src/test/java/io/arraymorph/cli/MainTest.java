package io.arraymorph.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.array.DataType;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.npy.NpyReader;
import io.arraymorph.layout.npy.NpyWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  private static final DataType FLOAT32 = new DataType.Float(FloatFormat.FLOAT32);

  @TempDir Path directory;
  private String out;
  private String err;

  private int run(String... arguments) {
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    int code = Main.run(new PrintWriter(outText, true), new PrintWriter(errText, true), arguments);
    out = outText.toString();
    err = errText.toString();
    return code;
  }

  private void succeeds(String... arguments) {
    assertThat(run(arguments)).as(() -> err).isZero();
    assertThat(err).isEmpty();
  }

  private void fails(String message, String... arguments) {
    assertThat(run(arguments)).as(() -> out + err).isEqualTo(1);
    assertThat(err).startsWith("[ARRAYMORPH_").contains(message).hasLineCount(1);
  }

  private String path(String name) {
    return directory.resolve(name).toString();
  }

  /** Saves random numbers as {@code name.npy}. */
  private FixedWidthElements save(String name, long seed, long... lengths) {
    Shape shape = Shape.of(lengths);
    byte[] bytes = new byte[(int) shape.elementCount() * 4];
    new Random(seed).nextBytes(bytes);
    FixedWidthElements elements = new FixedWidthElements(FLOAT32, shape, bytes, 0);
    try (NpyWriter writer = NpyWriter.create(Path.of(path(name)), FLOAT32, shape)) {
      writer.append(elements);
      writer.publish();
    }
    return elements;
  }

  private void assertFile(String name, FixedWidthElements all, Hyperslab slab) {
    try (NpyReader reader = NpyReader.open(Path.of(path(name)))) {
      FixedWidthElements expected = (FixedWidthElements) HyperslabCopy.pack(all, slab);
      assertThat(reader.header().shape()).isEqualTo(expected.shape());
      assertThat(reader.read(Hyperslab.all(expected.shape())).bytes()).isEqualTo(expected.bytes());
    }
  }

  @Test
  void whatIsWrittenIsReadAndCopied() {
    FixedWidthElements all = save("in.npy", 1, 40, 30, 5);
    succeeds("write", path("in.npy"), path("a.zarr"), "--dims", "t,y,x", "--chunks", "16,8,5");
    assertThat(out).contains("float32 (40, 30, 5)");
    succeeds("info", path("a.zarr"));
    assertThat(out)
        .contains(
            "data_type: float32", "shape: (40, 30, 5)", "chunks: (16, 8, 5)", "[\"t\",\"y\",\"x\"]")
        .contains("compression: zstd", "objects: 12");
    succeeds("read", path("a.zarr"), "-o", path("all.npy"));
    assertFile("all.npy", all, Hyperslab.all(all.shape()));
    succeeds("read", path("a.zarr"), "--slice", "t=@3:39:7,x=@1:4", "-o", path("some.npy"));
    assertFile(
        "some.npy",
        all,
        Hyperslab.of(new IndexRange(3, 39, 7), IndexRange.of(0, 30), IndexRange.of(1, 4)));
    succeeds(
        "copy",
        path("a.zarr"),
        path("b.zarr"),
        "--slice",
        "y=@2:20",
        "--chunks",
        "7,7,2",
        "--shards",
        "14,14,4",
        "--compression",
        "gzip");
    succeeds("info", path("b.zarr"), "--json");
    assertThat(out).contains("\"shards\" : \"(14, 14, 4)\"", "\"shape\" : \"(40, 18, 5)\"");
    succeeds("read", path("b.zarr"), "-o", path("copied.npy"));
    assertFile(
        "copied.npy",
        all,
        Hyperslab.of(IndexRange.of(0, 40), IndexRange.of(2, 20), IndexRange.of(0, 5)));
  }

  @Test
  void anArrayGrows() {
    FixedWidthElements first = save("first.npy", 2, 10, 6);
    FixedWidthElements second = save("second.npy", 3, 7, 6);
    succeeds(
        "write", path("first.npy"), path("a.zarr"), "--chunks", "4,4", "--compression", "none");
    succeeds("write", path("second.npy"), path("a.zarr"), "--mode", "append");
    succeeds("read", path("a.zarr"), "--slice", "dim_0=@0:10", "-o", path("out1.npy"));
    assertFile("out1.npy", first, Hyperslab.all(first.shape()));
    succeeds("read", path("a.zarr"), "--slice", "dim_0=@10:", "-o", path("out2.npy"));
    assertFile("out2.npy", second, Hyperslab.all(second.shape()));
    save("third.npy", 4, 7, 5);
    fails("SHAPE_MISMATCH", "write", path("third.npy"), path("a.zarr"), "--mode", "append");
  }

  @Test
  void modesSayWhatHappensToWhatIsThere() {
    save("one.npy", 5, 8, 8);
    FixedWidthElements two = save("two.npy", 6, 3, 3);
    succeeds("write", path("one.npy"), path("a.zarr"));
    fails("ARRAY_EXISTS", "write", path("two.npy"), path("a.zarr"));
    succeeds("write", path("two.npy"), path("a.zarr"), "--mode", "ignore");
    assertThat(out).contains("exists, not written");
    succeeds("write", path("two.npy"), path("a.zarr"), "--mode", "overwrite");
    succeeds("read", path("a.zarr"), "-o", path("out.npy"));
    assertFile("out.npy", two, Hyperslab.all(two.shape()));
  }

  @Test
  void anArrayOfAnyRankTakesThePlaceOfAnother() {
    save("grid.npy", 5, 8, 8);
    save("line.npy", 6, 9);
    for (String next : new String[] {"line", "grid", "line"}) {
      succeeds("write", path(next + ".npy"), path("a.zarr"), "--mode", "overwrite");
      succeeds("read", path("a.zarr"), "-o", path("out.npy"));
      assertThat(directory.resolve("out.npy"))
          .hasSameBinaryContentAs(directory.resolve(next + ".npy"));
    }
  }

  @Test
  void plansShowRequestsAndBytes() {
    save("in.npy", 7, 64, 64);
    succeeds("write", path("in.npy"), path("a.zarr"), "--chunks", "32,32", "--compression", "none");
    succeeds("plan", path("a.zarr"), "--slice", "dim_0=@30:34,dim_1=@30:34");
    assertThat(out)
        .contains("a: 4 of 4 chunks, 4 requests (ranges 4)", "bytes to move for 64 needed");
    succeeds("plan", path("a.zarr"), "--planner", "get", "--json");
    assertThat(out).contains("\"requests\" : 4", "\"bytesToMove\" : 16384", "\"whole\" : 4");
  }

  @Test
  void twoBoxesInOneChunkArePlannedAsOneRequest() throws IOException {
    save("in.npy", 7, 64, 64);
    succeeds("write", path("in.npy"), path("a.zarr"), "--chunks", "32,32");
    String boxes = "dim_0=@1:3,dim_1=@1:3;dim_0=@5:9,dim_1=@5:9";
    succeeds("plan", path("a.zarr"), "--slice", boxes);
    assertThat(out).contains("a: 1 of 4 chunks, 1 requests (whole 1), at most 4096 bytes to move");
    succeeds("plan", path("a.zarr"), "--slice", boxes, "--json");
    JsonNode plan = new ObjectMapper().readTree(out).path("variables").get(0);
    assertThat(plan.path("requests").asInt()).isEqualTo(1);
    assertThat(plan.path("bytesToMove").asInt()).isEqualTo(32 * 32 * 4);
    assertThat(plan.path("touched")).hasSize(1);
    assertThat(plan.path("touched").get(0).path("requests").asInt()).isEqualTo(1);
  }

  private static void assertSpecified(JsonNode node, String specified) {
    node.fieldNames().forEachRemaining(name -> assertThat(specified).contains("`" + name + "`"));
  }

  @Test
  void plansNameEveryChunkAndAreDrawn() throws IOException {
    save("in.npy", 7, 64, 96);
    succeeds("write", path("in.npy"), path("a.zarr"), "--chunks", "16,32", "--compression", "none");
    String slice = "dim_0=@0:16,dim_1=@0:96;dim_0=@40:41,dim_1=@90:91";
    succeeds("plan", path("a.zarr"), "--slice", slice, "--json", "--plot", path("p.svg"));
    JsonNode root = new ObjectMapper().readTree(out);
    assertThat(root.path("arraymorph_plan").asInt()).isEqualTo(1);
    String specified = Files.readString(Path.of("../docs/spec/plan.md"));
    root.findParents("requests").forEach(node -> assertSpecified(node, specified));
    assertSpecified(root, specified);
    JsonNode plan = root.path("variables").get(0);
    assertThat(plan.path("grid").toString()).isEqualTo("[4,3]");
    assertThat(plan.path("shape").toString()).isEqualTo("[64,96]");
    assertThat(plan.path("chunkShape").toString()).isEqualTo("[16,32]");
    // Three chunks whole, side by side, and a cell of the last column.
    JsonNode touched = plan.path("touched");
    assertThat(touched).hasSize(2);
    assertThat(touched.get(0).path("from").toString()).isEqualTo("[0,0]");
    assertThat(touched.get(0).path("to").toString()).isEqualTo("[1,3]");
    assertThat(touched.get(0).path("method").asText()).isEqualTo("whole");
    assertThat(touched.get(0).path("bytes").asLong()).isEqualTo(16 * 32 * 4);
    assertThat(touched.get(1).path("from").toString()).isEqualTo("[2,2]");
    double seconds = 0;
    long requests = 0;
    for (JsonNode method : plan.path("methods")) {
      seconds += method.path("seconds").asDouble();
      requests += method.path("requests").asLong();
    }
    assertThat(requests).isEqualTo(plan.path("requests").asLong());
    assertThat(seconds).isGreaterThanOrEqualTo(plan.path("estimatedSeconds").asDouble() * 0.99);
    String svg = Files.readString(directory.resolve("p.svg"));
    assertThat(svg).startsWith("<svg").contains("#1f77b4", "4 of 12 chunks", "dim_1: 3 chunks");
    assertThat(svg.split("fill=\"#1f77b4\"", -1)).hasSize(3 + 1 + 1);
    succeeds("plan", path("a.zarr"), "--plot", path("p.png"));
    assertThat(ImageIO.read(directory.resolve("p.png").toFile()).getWidth()).isGreaterThan(300);
    fails("INVALID_OPTION", "plan", path("a.zarr"), "--plot", path("p.gif"));
    fails("INVALID_OPTION", "plan", path("a.zarr"), "--plot", path("nowhere/p.svg"));
    fails("INVALID_OPTION", "plan", path("a.zarr"), "--planner", "lambda");
    fails("INVALID_OPTION", "plan", path("a.zarr"), "--slice-function", "http://example.com/");
  }

  @Test
  void plansWhatIsHeldAfterAReadAsCached() throws IOException {
    save("in.npy", 7, 64, 96);
    succeeds("write", path("in.npy"), path("a.zarr"), "--chunks", "16,32", "--compression", "zstd");
    String before = "dim_0=@0:8,dim_1=@0:60";
    String slice = "dim_0=@4:12,dim_1=@0:96";
    succeeds(
        "plan",
        path("a.zarr"),
        "--slice",
        slice,
        "--after",
        before,
        "--json",
        "--plot",
        path("p.svg"));
    JsonNode plan = new ObjectMapper().readTree(out).path("variables").get(0);
    assertThat(plan.path("chunks").asLong()).isEqualTo(3);
    assertThat(plan.path("requests").asLong()).isEqualTo(1);
    assertThat(plan.path("cachedChunks").asLong()).isEqualTo(2);
    assertThat(plan.path("cachedBytes").asLong()).isEqualTo(2 * 16 * 32 * 4);
    JsonNode touched = plan.path("touched");
    assertThat(touched.get(0).path("method").asText()).isEqualTo("cached");
    assertThat(touched.get(0).path("to").toString()).isEqualTo("[1,2]");
    assertThat(touched.get(1).path("method").asText()).isEqualTo("whole");
    assertThat(Files.readString(directory.resolve("p.svg"))).contains("#9467bd", "cached");
    succeeds("plan", path("a.zarr"), "--slice", slice, "--after", before);
    assertThat(out).contains("1 requests (whole 1), 2 cached");
    fails("UNKNOWN_DIMENSION", "plan", path("a.zarr"), "--after", "nonsense=1");
  }

  @Test
  void plansByAMeasuredProfile() {
    save("in.npy", 7, 256, 256);
    succeeds("write", path("in.npy"), path("a.zarr"), "--chunks", "256,256");
    succeeds("profile", path("a.zarr"), "--seconds", "9", "--megabytes", "5", "-o", path("p.json"));
    assertThat(out).contains("p.json: Measured on file://", "first bytes");
    succeeds("plan", path("a.zarr"), "--profile", path("p.json"), "--phi", "105", "--json");
    assertThat(out).contains("\"profile\" : \"p.json\"", "\"estimatedSeconds\" : ");
    fails("PROFILE_INVALID", "plan", path("a.zarr"), "--profile", path("in.npy"));
    fails("'s3.moon'", "plan", path("a.zarr"), "--profile", "s3.moon");
    fails("phi: '-1'", "plan", path("a.zarr"), "--phi=-1");
    fails("OBJECT_NOT_FOUND", "profile", path("nothing"));
  }

  @Test
  void failuresAreCodedAndLeaveNothing() throws IOException {
    save("in.npy", 8, 4, 4);
    fails("NOT_AN_ARRAY", "info", path("nothing.zarr"));
    fails("NOT_AN_ARRAY", "read", path("nothing.zarr"), "-o", path("o.npy"));
    succeeds("write", path("in.npy"), path("a.zarr"));
    fails("UNKNOWN_DIMENSION", "read", path("a.zarr"), "--slice", "lat=1:2", "-o", path("o.npy"));
    fails("INVALID_SLICE", "read", path("a.zarr"), "--slice", "dim_0=", "-o", path("o.npy"));
    fails(
        "do not make one array",
        "read",
        path("a.zarr"),
        "--slice",
        "dim_0=@0:1,dim_1=@0:1;dim_0=@2:3,dim_1=@2:3",
        "-o",
        path("o.npy"));
    fails("INVALID_OPTION", "read", path("a.zarr"), "--planner", "magic", "-o", path("o.npy"));
    fails("INVALID_OPTION", "write", path("in.npy"), path("b.zarr"), "--chunks", "4");
    fails("INVALID_OPTION", "write", path("in.npy"), path("b.zarr"), "--compression", "zip");
    fails("OBJECT_NOT_FOUND", "write", path("none.npy"), path("b.zarr"));
    assertThat(run("read", path("a.zarr"))).isEqualTo(2);
    assertThat(err).contains("--output");
    try (var files = Files.list(directory)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("in.npy", "a.zarr");
    }
  }

  @Test
  void bandsCoverAnArrayInOrder() {
    for (long seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 4, 6);
      long[] chunk = new long[shape.rank()];
      for (int d = 0; d < chunk.length; d++) {
        chunk[d] = 1L + random.nextInt(4);
      }
      Bands bands = new Bands(shape, Shape.of(chunk), 1 + random.nextInt(100));
      long next = 0;
      while (bands.hasNext()) {
        Hyperslab band = bands.next();
        ElementRuns runs = ElementRuns.of(band, shape);
        assertThat(runs.first()).as("seed " + seed).isEqualTo(next);
        assertThat(runs.runCount()).as("seed " + seed).isEqualTo(1);
        next = runs.end();
      }
      assertThat(next).as("seed " + seed).isEqualTo(shape.elementCount());
    }
  }
}
