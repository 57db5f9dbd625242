package io.arraymorph.layout.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Selection;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SliceTextTest {
  private static final long DAY = 86_400L;

  private static int[] along(Dataset dataset, String slice) {
    Selection selection = SliceText.parse(slice).toSelection(dataset.dimensions());
    List<Integer> found = new ArrayList<>();
    for (Hyperslab hyperslab : selection.hyperslabs()) {
      for (long i = 0; i < dataset.shape().length(0); i++) {
        if (hyperslab.contains(i)) {
          assertThat(found).doesNotContain((int) i);
          found.add((int) i);
        }
      }
    }
    return found.stream().mapToInt(i -> i).sorted().toArray();
  }

  private static Dataset days(String first, int count) {
    ObjectNode attributes = MemoryTables.attributes().put("units", "seconds since 1970-01-01");
    long start = LocalDate.parse(first).toEpochDay() * DAY + DAY / 2;
    long[] noons = IntStream.range(0, count).mapToLong(i -> start + i * DAY).toArray();
    return new MemoryTables().longs("time", attributes, noons).dataset();
  }

  @Test
  void includesBothEndsOfValues() {
    Dataset ascending = new MemoryTables().doubles("lat", -10, 0, 10, 20, 30).dataset();
    assertThat(along(ascending, "lat=0:20")).containsExactly(1, 2, 3);
    assertThat(along(ascending, "lat=0.5:19.5")).containsExactly(2);
    assertThat(along(ascending, "lat=:0")).containsExactly(0, 1);
    assertThat(along(ascending, "lat=20:")).containsExactly(3, 4);
    assertThat(along(ascending, "lat=:")).containsExactly(0, 1, 2, 3, 4);
    assertThat(along(ascending, "lat=10")).containsExactly(2);
    assertThat(along(ascending, "lat=1e1")).containsExactly(2);
    assertThat(along(ascending, " LAT = -10 : 0 ")).containsExactly(0, 1);
    assertThat(along(ascending, "lat=-inf:0")).containsExactly(0, 1);
    assertThat(along(ascending, "lat=11:19")).isEmpty();
    assertThat(along(ascending, "lat=20:0")).isEmpty();
  }

  @Test
  void takesTheEndsOfADescendingCoordinateInEitherOrder() {
    Dataset descending = new MemoryTables().doubles("lat", 90, 45, 0, -45, -90).dataset();
    assertThat(along(descending, "lat=45:-45")).containsExactly(1, 2, 3);
    assertThat(along(descending, "lat=-45:45")).containsExactly(1, 2, 3);
    // As xarray: in the order of the axis.
    assertThat(along(descending, "lat=:0")).containsExactly(0, 1, 2);
    assertThat(along(descending, "lat=0:")).containsExactly(2, 3, 4);
    assertThat(along(descending, "lat=50:40")).containsExactly(1);
    assertThat(along(descending, "lat=44:40")).isEmpty();
  }

  @Test
  void rangesOfDatesRunInTheOrderOfTime() {
    ObjectNode attributes = MemoryTables.attributes().put("units", "days since 2020-01-01");
    Dataset descending = new MemoryTables().longs("time", attributes, 60, 31, 0).dataset();
    assertThat(along(descending, "time=:2020-01")).containsExactly(2);
    assertThat(along(descending, "time=2020-02:")).containsExactly(0, 1);
    assertThat(along(descending, "time=2020-01:2020-02")).containsExactly(1, 2);
    assertThat(along(descending, "time=2020-02:2020-01")).containsExactly(1, 2);
  }

  @Test
  void numbersHaveTheTypeOfTheCoordinate() {
    Dataset tenths = new MemoryTables().floats("x", 0f, 0.1f, 0.2f, 0.3f).dataset();
    assertThat(along(tenths, "x=0.1")).containsExactly(1);
    assertThat(along(tenths, "x=0.1:0.3")).containsExactly(1, 2, 3);
    Dataset big = new MemoryTables().longs("n", 9007199254740992L, 9007199254740993L).dataset();
    assertThat(along(big, "n=9007199254740993")).containsExactly(1);
    assertThat(along(big, "n=9007199254740992.5:")).containsExactly(1);
  }

  @Test
  void aDimensionWithoutCoordinateHasItsIndexForValue() {
    Dataset plain = new MemoryTables().dimension("x", 5_000_000_000L).dataset();
    Selection selection =
        SliceText.parse("x=4999999990:4999999995").toSelection(plain.dimensions());
    assertThat(selection.hyperslabs()).singleElement().hasToString("[4999999990:4999999996]");
  }

  @ParameterizedTest
  @CsvSource({
    "2020-07, 31",
    "2020-07:2020-07, 31",
    "2020-06-15:2020-07, 47",
    "2020, 366",
    "2020-12-31:, 32",
    ":2020-01-31, 31",
    "2020-07-01:2020-07-02, 2",
    "2020-07-01T12:2020-07-02T12:00, 2",
    "2020-07-01T12:00:00:2020-07-02T12:00:00, 2",
    "2020-07-01T12:00:01:2020-07-02T11:59:59, 0",
    "2020-07-01 12:00:00, 1",
    "2020-07-01T14:00+02:00, 1",
    "2020-07-01T12:00:00.000000, 1",
    "'2020-07', 31",
    "2020:2021, 397"
  })
  void aDateThatStopsEarlyMeansItsWholePeriod(String range, int expected) {
    assertThat(along(days("2020-01-01", 397), "time=" + range)).hasSize(expected);
  }

  @Test
  void datesInOtherCalendarsCompareInTheirOwn() {
    ObjectNode attributes =
        MemoryTables.attributes().put("units", "days since 2000-01-01").put("calendar", "360_day");
    long[] days = IntStream.range(0, 720).mapToLong(i -> i).toArray();
    Dataset model = new MemoryTables().longs("time", attributes, days).dataset();
    assertThat(along(model, "time=2000-02-30")).containsExactly(59);
    assertThat(along(model, "time=2000-02:2000-03")).hasSize(60);
    assertThat(along(model, "time=2000-02-30T00:00:00:2000-03-01")).containsExactly(59, 60);
    assertThat(along(model, "time=2001")).hasSize(360);
  }

  @Test
  void textsCompareByTheirBytes() {
    Dataset places = new MemoryTables().texts("p", "b", "a:b", "a", "c,d", "it's").dataset();
    assertThat(along(places, "p=a:b")).containsExactly(0, 1, 2);
    assertThat(along(places, "p='a:b'")).containsExactly(1);
    assertThat(along(places, "p='c,d';p='it''s'")).containsExactly(3, 4);
    assertThatThrownBy(() -> along(places, "p=a:b:c")).hasMessageContaining("single quotes");
  }

  @Test
  void positionsExcludeTheEndAndCountFromTheBack() {
    Dataset x = new MemoryTables().dimension("x", 10).dataset();
    assertThat(along(x, "x=@2:5")).containsExactly(2, 3, 4);
    assertThat(along(x, "x=@:3")).containsExactly(0, 1, 2);
    assertThat(along(x, "x=@-3:")).containsExactly(7, 8, 9);
    assertThat(along(x, "x=@-3:-1")).containsExactly(7, 8);
    assertThat(along(x, "x=@::4")).containsExactly(0, 4, 8);
    assertThat(along(x, "x=@1:9:3")).containsExactly(1, 4, 7);
    assertThat(along(x, "x=@-1")).containsExactly(9);
    assertThat(along(x, "x=@5:2")).isEmpty();
    assertThat(along(x, "x=@-100:100")).hasSize(10);
    assertThat(along(x, "x=@9223372036854775807:")).isEmpty();
    assertThatThrownBy(() -> along(x, "x=@10")).hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS");
  }

  @Test
  void boxesAreUnitedWithoutDoubleCells() {
    Dataset grid = new MemoryTables().dimension("y", 6).dimension("x", 8).dataset();
    Selection cross = SliceText.parse("y=@2:4;x=@3:5").toSelection(grid.dimensions());
    assertThat(cross.elementCount()).isEqualTo(2 * 8 + 6 * 2 - 2 * 2);
    assertThat(
            SliceText.parse("y=@0:3,x=@0:3;y=@0:3,x=@0:3")
                .toSelection(grid.dimensions())
                .elementCount())
        .isEqualTo(9);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                 | INVALID_SLICE     | character 1",
        "lat                | INVALID_SLICE     | '=' is missing",
        "lat=               | INVALID_SLICE     | is missing",
        "=1                 | INVALID_SLICE     | a dimension is missing",
        "lat=1,             | INVALID_SLICE     | character 7",
        "lat=1;;lat=2       | INVALID_SLICE     | character 7",
        "lat=abc            | INVALID_SLICE     | 'abc' is no range of numbers",
        "lat=0:10:2         | INVALID_SLICE     | lat=@start:stop:step",
        "lat=1,lat=2        | INVALID_SLICE     | named twice",
        "lat=5              | INVALID_SLICE     | no value of 'lat' equals 5",
        "lat=@a             | INVALID_SLICE     | 'a' is no position",
        "lat=@1:2:0         | INVALID_SLICE     | step 0",
        "lat=@1:2:-1        | INVALID_SLICE     | step -1",
        "lat=@1:2:3:4       | INVALID_SLICE     | start, stop and step",
        "lat='0             | INVALID_SLICE     | not closed",
        "lat=1e9999999      | INVALID_SLICE     | no range of numbers",
        "lon=1              | UNKNOWN_DIMENSION | The dimensions are lat",
        "lat=@99999999999999999999 | INVALID_SLICE | no position"
      })
  void badTextsAreRefusedByPosition(String slice, String code, String says) {
    Dataset lat = new MemoryTables().doubles("lat", 0, 10).dataset();
    assertThatThrownBy(() -> along(lat, slice.equals("''") ? "" : slice))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_" + code)
        .hasMessageContaining(says);
  }

  @Test
  void badDatesAreRefused() {
    for (String range : List.of("2020-13", "2020-02-30", "yesterday", "20200101", "@")) {
      assertThatThrownBy(() -> along(days("2020-01-01", 3), "time=" + range))
          .as(range)
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_INVALID_SLICE");
    }
  }
}
