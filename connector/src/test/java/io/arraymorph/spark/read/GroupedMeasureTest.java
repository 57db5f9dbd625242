package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.Validity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

class GroupedMeasureTest {
  private static final List<Scalar> TYPES =
      List.of(
          Scalar.BYTE,
          Scalar.SHORT,
          Scalar.INT,
          Scalar.LONG,
          Scalar.FLOAT,
          Scalar.DOUBLE,
          Scalar.TIMESTAMP);

  @RepeatedTest(200)
  void equalsTheAggregateOfValuesTakenOneByOne(RepetitionInfo info) {
    long seed = 900L + info.getCurrentRepetition();
    Random random = new Random(seed);
    Scalar type = TYPES.get(random.nextInt(TYPES.size()));
    List<Measure.Kind> kinds = new ArrayList<>();
    for (Measure.Kind kind : Measure.Kind.values()) {
      if (Measure.isPossible(kind, type)) {
        kinds.add(kind);
      }
    }
    Measure measure = new Measure(kinds.get(random.nextInt(kinds.size())), 0, type);
    int groups = 1 + random.nextInt(3000);
    GroupedMeasure grouped = new GroupedMeasure(measure, groups);
    List<List<Object>> taken = new ArrayList<>();
    for (int g = 0; g < groups; g++) {
      taken.add(new ArrayList<>());
    }
    for (int run = 0; run < 4; run++) {
      boolean each = random.nextBoolean();
      int count = 1 + random.nextInt(each ? groups : 5000);
      int group = random.nextInt(each ? groups - count + 1 : groups);
      int from = random.nextInt(5);
      DecodedColumn column = column(random, type, from + count);
      if (measure.kind() == Measure.Kind.COUNT_ALL) {
        grouped.addCells(count, group, each ? 1 : 0, count);
      } else {
        grouped.add(column, from, count, group, each ? 1 : 0);
      }
      for (int i = 0; i < count; i++) {
        taken.get(each ? group + i : group).add(column.valueAt(from + i));
      }
    }
    AggregateRows rows = new AggregateRows(List.of(grouped), IntStream.range(0, groups).toArray());
    assertThat(rows.count()).isEqualTo(groups);
    ColumnVector results = rows.results(0);
    for (int g = 0; g < groups; g++) {
      assertThat(result(results, g, measure))
          .as("seed " + seed + " " + measure + " group " + g)
          .isEqualTo(expected(measure, taken.get(g)));
    }
  }

  @RepeatedTest(50)
  void partsOfASumThatOverflowsAddUpToIt(RepetitionInfo info) {
    Random random = new Random(info.getCurrentRepetition());
    Scalar type = random.nextBoolean() ? Scalar.LONG : Scalar.DECIMAL20;
    int groups = 1 + random.nextInt(4);
    int count = 3000;
    byte[] bytes = new byte[8 * count];
    random.nextBytes(bytes);
    DecodedColumn column = DecodedColumn.fixed(type, count, bytes, 0, Validity.ALL);
    GroupedMeasure grouped = new GroupedMeasure(new Measure(Measure.Kind.SUM, 0, type), groups);
    BigDecimal[] expected = new BigDecimal[groups];
    for (int g = 0; g < groups; g++) {
      expected[g] = BigDecimal.ZERO;
      grouped.add(column, g * 700, 700, g, 0);
      for (int i = g * 700; i < g * 700 + 700; i++) {
        expected[g] = expected[g].add(new BigDecimal(column.valueAt(i).toString()));
      }
    }
    AggregateRows rows = new AggregateRows(List.of(grouped), IntStream.range(0, groups).toArray());
    assertThat(rows.count()).isGreaterThan(groups);
    BigDecimal[] sums = new BigDecimal[groups];
    java.util.Arrays.fill(sums, BigDecimal.ZERO);
    ColumnVector results = rows.results(0);
    for (int row = 0; row < rows.count(); row++) {
      BigDecimal part =
          type == Scalar.LONG
              ? BigDecimal.valueOf(results.getLong(row))
              : results.getDecimal(row, 20, 0).toJavaBigDecimal();
      sums[rows.group(row)] = sums[rows.group(row)].add(part);
    }
    assertThat(sums).as("seed " + info.getCurrentRepetition()).isEqualTo(expected);
  }

  private static DecodedColumn column(Random random, Scalar type, int count) {
    byte[] bytes = new byte[3 + count * type.byteWidth()];
    for (int i = 0; i < count; i++) {
      int at = 3 + i * type.byteWidth();
      // Sums of such numbers are exact in every type, whatever the order.
      long number = random.nextInt(201) - 100L;
      double special = random.nextInt(40) == 0 ? Double.NaN : number;
      long bits =
          type == Scalar.DOUBLE
              ? Double.doubleToRawLongBits(special)
              : type == Scalar.FLOAT ? Float.floatToRawIntBits((float) special) : number;
      for (int b = 0; b < type.byteWidth(); b++) {
        bytes[at + b] = (byte) (bits >> (8 * b));
      }
    }
    Validity validity = Validity.ALL;
    if (random.nextBoolean()) {
      byte[] valid = Validity.allSet(count);
      for (int i = 0; i < count; i++) {
        if (random.nextInt(3) == 0) {
          valid[i >> 3] &= (byte) ~(1 << (i & 7));
        }
      }
      validity = Validity.of(valid, count);
    }
    return DecodedColumn.fixed(type, count, bytes, 3, validity);
  }

  private static Object expected(Measure measure, List<Object> values) {
    if (measure.kind() == Measure.Kind.COUNT_ALL) {
      return (double) values.size();
    }
    List<Double> present =
        values.stream().filter(v -> v != null).map(v -> ((Number) v).doubleValue()).toList();
    if (measure.kind() == Measure.Kind.COUNT) {
      return (double) present.size();
    }
    if (present.isEmpty()) {
      return "null";
    }
    switch (measure.kind()) {
      case SUM:
        return present.stream().mapToDouble(Double::doubleValue).sum();
      case MIN:
        return present.stream().sorted().findFirst().get();
      default:
        return present.stream().sorted().skip(present.size() - 1L).findFirst().get();
    }
  }

  private static Object result(ColumnVector results, int row, Measure measure) {
    if (results.isNullAt(row)) {
      return "null";
    }
    switch (results.dataType().catalogString()) {
      case "tinyint":
        return (double) results.getByte(row);
      case "smallint":
        return (double) results.getShort(row);
      case "int":
        return (double) results.getInt(row);
      case "float":
        return (double) results.getFloat(row);
      case "double":
        return results.getDouble(row);
      default:
        assertThat(measure.isFloating() && !measure.isCount()).isFalse();
        return (double) results.getLong(row);
    }
  }
}
