package io.arraymorph.layout.cf;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Decoded values of the conformance fixtures, made with cftime and numpy. */
class CfFixturesTest {
  private static final Path FIXTURES = Path.of("../src-test/fixtures");
  private static final DateTimeFormatter TEXT =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS").withZone(ZoneOffset.UTC);

  static Stream<Arguments> decodedCases() throws IOException {
    JsonNode index = new ObjectMapper().readTree(FIXTURES.resolve("index.json").toFile());
    List<Arguments> cases = new ArrayList<>();
    for (JsonNode c : index.get("cases")) {
      if (c.has("decoded_file") && c.get("name").asText().startsWith("groups/")) {
        cases.add(Arguments.of(c.get("name").asText(), c));
      }
    }
    return cases.stream();
  }

  @Test
  void thereAreDecodedCases() throws IOException {
    assertThat(decodedCases().count()).isGreaterThan(35);
  }

  private static DecodedColumn decode(String name, JsonNode c) throws IOException {
    FixedWidthElements raw = NpyFile.read(FIXTURES.resolve(c.get("expected_file").asText()));
    // xarray masks the fill value of v2 arrays; the attribute is not there.
    Optional<JsonNode> fill =
        name.equals("groups/xarray_v2:packed") ? Optional.of(new IntNode(-9999)) : Optional.empty();
    CfDecoding decoding = CfDecoding.of(raw.type(), c.get("attributes"), fill);
    assertThat(decoding.warnings()).isEmpty();
    DecodedColumn column = decoding.decode(raw);
    assertThat(column.count()).isEqualTo(raw.count());
    assertThat(column.type()).isEqualTo(decoding.type());
    assertThat(column.validity().hasNulls() && !decoding.isNullable()).isFalse();
    return column;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("decodedCases")
  void decodesAsExpected(String name, JsonNode c) throws IOException {
    DecodedColumn column = decode(name, c);
    Path expectedFile = FIXTURES.resolve(c.get("decoded_file").asText());
    if (expectedFile.toString().endsWith(".json")) {
      JsonNode expected = new ObjectMapper().readTree(expectedFile.toFile()).get("values");
      for (int i = 0; i < column.count(); i++) {
        String want = expected.get(i).isNull() ? null : expected.get(i).asText();
        Object value = column.valueAt(i);
        String got =
            value instanceof Long
                ? TEXT.format(Instant.EPOCH.plus(micros((Long) value)))
                : (String) value;
        assertThat(got).as("%s [%d]", name, i).isEqualTo(want);
      }
      return;
    }
    FixedWidthElements raw = NpyFile.read(expectedFile);
    DecodedColumn expected = CfDecoding.raw(raw.type()).decode(raw);
    for (int i = 0; i < column.count(); i++) {
      double want = expected.doubleAt(i);
      Object value = column.valueAt(i);
      // NULL where the fixtures have NaN; a NaN that no attribute names stays a value.
      double got = value == null ? Double.NaN : ((Number) value).doubleValue();
      assertThat(got).as("%s [%d]", name, i).isEqualTo(Double.valueOf(want));
    }
  }

  private static java.time.Duration micros(long micros) {
    return java.time.Duration.of(micros, java.time.temporal.ChronoUnit.MICROS);
  }

  @Test
  void namedTypesAreThoseOfTheSpecification() throws IOException {
    List<Arguments> cases = decodedCases().toList();
    for (Arguments arguments : cases) {
      String name = (String) arguments.get()[0];
      DecodedColumn column = decode(name, (JsonNode) arguments.get()[1]);
      if (name.endsWith(":noleap") || name.endsWith(":day_360") || name.endsWith(":julian")) {
        assertThat(column.type()).as(name).isEqualTo(Scalar.STRING);
      } else if (name.contains("calendars:standard") || name.endsWith(":proleptic")) {
        assertThat(column.type()).as(name).isEqualTo(Scalar.TIMESTAMP);
      } else if (name.endsWith(":int_number")) {
        assertThat(column.type()).as(name).isEqualTo(Scalar.INT);
      } else if (name.endsWith(":t2m") || name.endsWith(":cloud") || name.endsWith(":count")) {
        assertThat(column.type()).as(name).isEqualTo(Scalar.DOUBLE);
      } else if (name.endsWith(":precip")) {
        assertThat(column.type()).as(name).isEqualTo(Scalar.FLOAT);
      }
    }
  }
}
