import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.execute.ElementStream;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadRequest;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.function.RemoteSliceFunction;
import io.arraymorph.optimizer.function.SliceFunctionOptions;
import io.arraymorph.optimizer.measure.FunctionProbe;
import io.arraymorph.optimizer.measure.StoreProbe;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.optimizer.profile.ProfileJson;
import io.arraymorph.optimizer.profile.Refinement;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Our side of bin/bench dense: one command a line of standard input, one answer a line.
 *
 * <p>{@code profile} measures a store, {@code open} opens an array, {@code run} reads boxes of it
 * with a fresh reader, and afterwards compares every element with the known array.
 */
final class DenseRunner {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int SIDE = 8192;

  private final ByteBuffer known;
  private final Map<String, StoreProfile> profiles = new HashMap<>();
  private ChunkedArray array;
  private Optional<SliceFunction> function = Optional.empty();

  private DenseRunner(Path values) throws IOException {
    try (FileChannel file = FileChannel.open(values, StandardOpenOption.READ)) {
      this.known =
          file.map(FileChannel.MapMode.READ_ONLY, 0, file.size()).order(ByteOrder.LITTLE_ENDIAN);
    }
  }

  /** Arguments: the file of the known array. */
  public static void main(String[] arguments) throws IOException {
    DenseRunner runner = new DenseRunner(Path.of(arguments[0]));
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        runner.answer(JSON.readTree(line), answer);
      } catch (IOException | RuntimeException e) {
        e.printStackTrace();
        answer.removeAll();
        answer.put("error", e.toString());
      }
      System.out.println(answer);
    }
  }

  private void answer(JsonNode command, ObjectNode answer) throws IOException {
    switch (command.path("op").asText()) {
      case "profile":
        profile(command, answer);
        break;
      case "function":
        function = function(command.path("function").asText());
        break;
      case "open":
        array = ZarrNodes.openArray(ObjectStores.open(uri(command), config(command)));
        break;
      default:
        run(command, answer);
    }
  }

  private static String uri(JsonNode command) {
    return command.path("uri").asText();
  }

  private static StoreConfig config(JsonNode command) {
    Map<String, String> settings = new HashMap<>();
    command
        .path("settings")
        .properties()
        .forEach(e -> settings.put(e.getKey(), e.getValue().asText()));
    return StoreConfig.of(settings);
  }

  /** Measures a store; prices are those of the profile named base. */
  private void profile(JsonNode command, ObjectNode answer) throws IOException {
    StoreProfile base = StoreProfiles.of(command.path("base").asText());
    StoreProbe probe = new StoreProbe(Duration.ofSeconds(60), 200_000_000, 40_000);
    String name = command.path("name").asText();
    StoreProfile measured =
        probe.measure(ObjectStores.open(uri(command), config(command)), base, name);
    if (command.has("function")) {
      function = function(command.path("function").asText());
      measured =
          new FunctionProbe(probe)
              .measure(
                  ObjectStores.open(uri(command), config(command)),
                  measured,
                  function.orElseThrow());
    }
    profiles.put(name, measured);
    answer.set("profile", JSON.readTree(ProfileJson.write(measured)));
  }

  private static Optional<SliceFunction> function(String url) {
    return Optional.of(
        RemoteSliceFunction.of(
            new SliceFunctionOptions(
                URI.create(url), System.getenv("ARRAYMORPH_SLICE_TOKEN"), false, false)));
  }

  private void run(JsonNode command, ObjectNode answer) {
    List<Hyperslab> boxes = new ArrayList<>();
    for (JsonNode box : command.path("boxes")) {
      List<IndexRange> ranges = new ArrayList<>();
      for (JsonNode range : box) {
        ranges.add(
            new IndexRange(range.get(0).asLong(), range.get(1).asLong(), range.get(2).asLong()));
      }
      boxes.add(Hyperslab.of(ranges));
    }
    boolean calls = command.path("function").asBoolean();
    PlannerOptions planner =
        PlannerOptions.parse(
                command.path("planner").asText("auto"), Optional.empty(), Optional.empty())
            .withFunction(calls);
    StoreProfile profile = profiles.get(command.path("profile").asText());
    if (profile != null) {
      planner =
          new PlannerOptions(
              planner.method(),
              Optional.of(profile),
              planner.phi(),
              planner.hostShare(),
              calls,
              Refinement.OFF);
    }
    ReadSettings settings = ReadSettings.DEFAULT.withPlanner(planner.planner());
    if (command.has("concurrency")) {
      settings = settings.withConcurrency(command.path("concurrency").asInt());
    }
    List<Elements> found = new ArrayList<>();
    try (HyperslabReader reader =
        new HyperslabReader(settings, calls ? function : Optional.empty())) {
      long cpu = processCpuNanos();
      long compiled = ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
      long start = System.nanoTime();
      try (ElementStream stream =
          reader.stream(boxes.stream().map(box -> new ReadRequest(array, box)).iterator())) {
        while (stream.hasNext()) {
          found.add(stream.next());
        }
      }
      answer.put("seconds", (System.nanoTime() - start) / 1e9);
      answer.put("cpu", (processCpuNanos() - cpu) / 1e9);
      compiled = ManagementFactory.getCompilationMXBean().getTotalCompilationTime() - compiled;
      answer.put("compiling", compiled / 1e3);
      answer.put("estimate", reader.metrics().estimatedSeconds());
      answer.put("dollars", reader.metrics().estimatedDollars());
      answer.put("calls", reader.metrics().sliceFunctionRequests());
      answer.put("hedges", reader.metrics().hedges());
      answer.put("retries", reader.metrics().retries());
      answer.put("metrics", reader.metrics().toString());
    }
    boolean right = found.size() == boxes.size();
    for (int i = 0; right && i < boxes.size(); i++) {
      right = isRight(boxes.get(i), (FixedWidthElements) found.get(i));
    }
    answer.put("ok", right);
  }

  private static long processCpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private boolean isRight(Hyperslab box, FixedWidthElements elements) {
    ByteBuffer found = ByteBuffer.wrap(elements.bytes()).order(ByteOrder.LITTLE_ENDIAN);
    int at = elements.offset();
    IndexRange rows = box.range(0);
    IndexRange columns = box.range(1);
    for (long y = rows.start(); y < rows.stop(); y += rows.stride()) {
      int row = Math.toIntExact(y * SIDE * 4);
      for (long x = columns.start(); x < columns.stop(); x += columns.stride()) {
        if (found.getInt(at) != known.getInt(row + (int) x * 4)) {
          return false;
        }
        at += 4;
      }
    }
    return elements.shape().equals(box.counts());
  }
}
