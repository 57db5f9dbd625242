package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.layout.zarr.ExpectedValues;
import io.arraymorph.layout.zarr.Fixture;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.store.LocalObjectStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads every Zarr array of the fixtures through the front door, and keeps {@code
 * docs/conformance.md} true: {@code mvn -pl optimizer -am test -Dtest=ConformanceTest
 * -Dconformance.write=true} writes it.
 */
class ConformanceTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "conformance.md");
  private static final List<String> PLANNERS = List.of("get", "range", "merge", "auto");
  private static final LocalObjectStore STORE = new LocalObjectStore(Fixture.ROOT);

  @AfterAll
  static void close() {
    STORE.close();
  }

  static Stream<Fixture> arrays() {
    return Fixture.all().stream().filter(Fixture::isArray);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("arrays")
  void readsWhatTheIndexSaysWhateverThePlanner(Fixture fixture) {
    for (String planner : PLANNERS) {
      String outcome = outcome(fixture, planner);
      switch (fixture.expected()) {
        case "value":
          assertThat(outcome).as(planner).isEqualTo("ok");
          break;
        case "error":
          assertThat(outcome).as(planner).matches("[A-Z_]+");
          break;
        default:
          assertThat(outcome).as(planner).matches("ok|[A-Z_]+");
      }
    }
  }

  /** {@code ok}, the code of the error, or what differs. */
  private static String outcome(Fixture fixture, String planner) {
    ReadSettings settings = ReadSettings.DEFAULT.withPlanner(AccessPlanner.named(planner));
    try (HyperslabReader reader = new HyperslabReader(settings)) {
      ZarrArray array = ZarrNodes.openArray(fixture.location(STORE));
      Elements elements = reader.read(array, fixture.selection(array.schema().shape()));
      if (!fixture.entry().has("expected_file")) {
        return "read without an error";
      }
      String difference = ExpectedValues.difference(fixture, elements);
      return difference == null ? "ok" : difference;
    } catch (ArrayMorphException e) {
      return e.code().name();
    }
  }

  @Test
  void theDocumentSaysWhatIsSo() throws IOException {
    String document = document();
    if (Boolean.getBoolean("conformance.write")) {
      Files.writeString(DOCUMENT, document);
    }
    assertThat(Files.readString(DOCUMENT)).isEqualTo(document);
  }

  private static String document() {
    JsonNode readers = Fixture.json("readers.json");
    List<String> columns = new ArrayList<>();
    readers.fieldNames().forEachRemaining(columns::add);
    columns.removeIf(c -> !c.startsWith("zarr-python 3.4") && !c.startsWith("tensorstore"));
    Map<String, Map<String, Integer>> tally = new TreeMap<>();
    StringBuilder rows = new StringBuilder();
    arrays()
        .forEach(
            fixture -> {
              List<String> cells = new ArrayList<>();
              cells.add(outcome(fixture, "merge"));
              columns.forEach(c -> cells.add(brief(readers.get(c).path(fixture.name()).asText())));
              rows.append("| ").append(fixture.name()).append(" | ").append(fixture.expected());
              for (int i = 0; i < cells.size(); i++) {
                rows.append(" | ").append(cells.get(i));
                String reader = i == 0 ? "arraymorph" : columns.get(i - 1);
                tally
                    .computeIfAbsent(reader, r -> new TreeMap<>())
                    .merge(verdict(fixture.expected(), cells.get(i)), 1, Integer::sum);
              }
              rows.append(" |\n");
            });
    String names = String.join(" | ", columns);
    return introduction()
        + summary(tally)
        + "\n"
        + others()
        + zarrJava()
        + "## Every case\n\n| case | right | arraymorph | "
        + names
        + " |\n|---|---|---"
        + "|---".repeat(columns.size())
        + "|\n"
        + rows;
  }

  /** The cases of the index that are no Zarr arrays, so that none is forgotten. */
  private static String others() {
    List<String> groups =
        Fixture.all().stream().filter(f -> !f.isArray()).map(Fixture::name).toList();
    int all = Fixture.json("index.json").get("cases").size();
    int zarr = Fixture.all().size();
    return "Of the "
        + all
        + " cases of the index "
        + (zarr - groups.size())
        + " are Zarr arrays, all below. The others: "
        + (all - zarr)
        + " of HDF5 and NetCDF4, for which there is no reader yet, and "
        + groups.size()
        + " groups: "
        + String.join(", ", groups)
        + ".\n\n";
  }

  /** What is known of a reader that is not run. */
  private static String zarrJava() {
    try (InputStream text = ConformanceTest.class.getResourceAsStream("zarr-java.md")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The kind of an outcome in {@code readers.json}, without the text of the error. */
  private static String brief(String outcome) {
    if (outcome.isEmpty()) {
      return "not run";
    }
    if (outcome.startsWith("value")) {
      return "value";
    }
    return outcome.split("[: ]", 2)[0];
  }

  private static String verdict(String expected, String outcome) {
    boolean error = outcome.matches("[A-Z_]+|error|killed");
    if (outcome.equals("not run")) {
      return outcome;
    }
    if (expected.equals("error")) {
      return error ? "refused, rightly" : "accepted, wrongly";
    }
    if (outcome.equals("ok")) {
      return "read, bit by bit";
    }
    if (outcome.equals("nan-bits")) {
      return "read, but for NaN payloads";
    }
    if (error) {
      return expected.equals("value") ? "refused" : "refused, rightly";
    }
    return "other values or shape";
  }

  private static String introduction() {
    return "# Conformance\n\n"
        + "What we do with every Zarr array of [src-test/fixtures](../src-test/fixtures/README.md),"
        + " beside what two other readers do.\n"
        + "`right` is what the specification asks: `value` (these values bit by bit), `error` (a"
        + " clear error), `value_or_error` (either).\n"
        + "`ok` means equal in every bit; capitals are the code of our error; `nan-bits` means"
        + " equal but for NaN payloads.\n"
        + "The columns of others are those of `readers.json`, made with the same comparison.\n\n"
        + "A test reads all of them with four access planners and fails if this page is not true;"
        + " it is written by\n\n"
        + "    mvn -pl optimizer -am test -Dtest=ConformanceTest -Dconformance.write=true\n\n"
        + "Groups and hostile consolidated metadata are tested by `ZarrGroupsTest`. Where readers"
        + " disagree, [ADR 0010](adr/0010-zarr-disagreements.md) says what we do and why.\n\n";
  }

  private static String summary(Map<String, Map<String, Integer>> tally) {
    List<String> verdicts =
        List.of(
            "read, bit by bit",
            "read, but for NaN payloads",
            "refused, rightly",
            "refused",
            "accepted, wrongly",
            "other values or shape",
            "not run");
    StringBuilder text = new StringBuilder("## In numbers\n\n| reader | ");
    text.append(String.join(" | ", verdicts)).append(" |\n|---");
    text.append("|---".repeat(verdicts.size())).append("|\n");
    tally.forEach(
        (reader, counts) -> {
          text.append("| ").append(reader);
          verdicts.forEach(v -> text.append(" | ").append(counts.getOrDefault(v, 0)));
          text.append(" |\n");
        });
    return text.toString();
  }
}
