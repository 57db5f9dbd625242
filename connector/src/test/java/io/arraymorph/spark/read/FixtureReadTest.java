package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.spark.RowMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every array of the conformance fixtures in every row mode, whole and clipped, gives the elements
 * that {@link HyperslabReader} gives, which other tests hold against the expected files.
 */
class FixtureReadTest {
  private static final Path ROOT = Path.of("..", "src-test", "fixtures").toAbsolutePath();

  @BeforeAll
  static void startSession() {
    ScanRows.startSession();
  }

  @AfterAll
  static void noArrowMemoryIsLeft() {
    assertThat(ArrowMemory.allocatedBytes()).isZero();
  }

  private static List<JsonNode> cases() throws IOException {
    JsonNode index = new ObjectMapper().readTree(Files.readString(ROOT.resolve("index.json")));
    List<JsonNode> cases = new ArrayList<>();
    for (JsonNode entry : index.get("cases")) {
      if (entry.has("zarr_format") && entry.get("expected").asText().equals("value")) {
        cases.add(entry);
      }
    }
    return cases;
  }

  @Test
  void everyFixtureReadsTheSameInEveryRowMode() throws IOException {
    Map<String, String> refused = new TreeMap<>();
    int compared = 0;
    for (JsonNode entry : cases()) {
      String name = entry.get("name").asText();
      Path path = ROOT.resolve(entry.get("path").asText());
      if (entry.hasNonNull("array")) {
        path = path.resolve(entry.get("array").asText());
      }
      try {
        Random random = new Random(name.hashCode());
        for (String decode : List.of("false", "true")) {
          compare(path.normalize(), name, "cells", decode, random);
          compare(path.normalize(), name, "tensors", decode, random);
        }
        compare(path.normalize(), name, "named", "false", random);
        compared++;
      } catch (ArrayMorphException e) {
        refused.put(name, e.getMessage());
      }
    }
    assertThat(refused).isEmpty();
    assertThat(compared).isGreaterThan(500);
  }

  private static void compare(Path path, String name, String rows, String decode, Random random) {
    Map<String, String> options = new HashMap<>();
    options.put("path", path.toString());
    options.put("decode", decode);
    options.put("partition-bytes", Integer.toString(1 + random.nextInt(5000)));
    options.put("piece", random.nextBoolean() ? "chunk" : "shard");
    if (name.contains("huge")) {
      options.put("slice", "dim_0=@0:4,dim_1=@0:4");
    }
    options.put("rows", "cells");
    ArrayTable probe = ScanRows.open(options);
    int rank = probe.shape().rank();
    if (rows.equals("named") && rank == 0) {
      return;
    }
    options.put("rows", rows.equals("named") ? dimension(probe, random.nextInt(rank)) : rows);
    ArrayTable table = ScanRows.open(options);
    Map<List<Long>, List<String>> whole = expected(table);
    assertThat(read(table, new Predicate[0], new Without(-1, -1)))
        .as(name + " " + options)
        .isEqualTo(whole);
    if (rank > 0 && !whole.isEmpty()) {
      int d = random.nextInt(rank);
      long cut = random.nextInt((int) Math.min(9, table.shape().length(d)));
      Map<List<Long>, List<String>> part = new HashMap<>(whole);
      part.keySet().removeIf(index -> index.get(d) < cut || index.get(d) == cut + 1);
      Predicate[] predicates = {
        predicate(">=", table, d, cut), new Not(predicate("=", table, d, cut + 1))
      };
      assertThat(read(table, predicates, new Without(d, cut + 1)))
          .as(name + " clipped " + options)
          .isEqualTo(part);
    }
  }

  /** The one index that a clipped scan leaves out along a dimension. */
  private record Without(int dimension, long excluded) {
    long at(int d, long first, int position) {
      boolean beyond = d == dimension && first < excluded && first + position >= excluded;
      return first + position + (beyond ? 1 : 0);
    }
  }

  private static String dimension(ArrayTable table, int position) {
    return table.dataset().dimensions().get(position).name();
  }

  private static Predicate predicate(String operator, ArrayTable table, int d, long value) {
    String name = "`" + dimension(table, d).replace("`", "``") + "`";
    Expression column = Expressions.column(TableColumns.INDEX + "." + name);
    return new Predicate(
        operator, new Expression[] {column, new LiteralValue<>(value, DataTypes.LongType)});
  }

  /** The values of all variables by index, read without Spark. */
  private static Map<List<Long>, List<String>> expected(ArrayTable table) {
    Map<List<Long>, List<String>> cells = new HashMap<>();
    for (Variable variable : table.variables()) {
      try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
        for (Hyperslab part : table.base().hyperslabs()) {
          Elements elements = reader.read(variable.array(), part);
          DecodedColumn column = variable.decoding().decode(elements);
          for (int i = 0; i < column.count(); i++) {
            cells
                .computeIfAbsent(index(i, part), k -> new ArrayList<>())
                .add(text(column.valueAt(i)));
          }
        }
      }
    }
    return cells;
  }

  private static List<Long> index(int flat, Hyperslab part) {
    Long[] index = new Long[part.rank()];
    long rest = flat;
    for (int d = part.rank() - 1; d >= 0; d--) {
      index[d] = part.range(d).start() + rest % part.range(d).count();
      rest /= part.range(d).count();
    }
    return Arrays.asList(index);
  }

  /** The values of all variables by index, through a scan. */
  private static Map<List<Long>, List<String>> read(
      ArrayTable table, Predicate[] predicates, Without without) {
    int rank = table.shape().rank();
    List<StructField> fields = new ArrayList<>();
    for (Variable variable : table.variables()) {
      fields.add(table.columns().schema().apply(variable.name()));
    }
    for (var column : table.columns().metadataColumns()) {
      if (!column.name().equals(TableColumns.COORDINATES)) {
        fields.add(DataTypes.createStructField(column.name(), column.dataType(), false));
      }
    }
    StructType schema = DataTypes.createStructType(fields);
    int variables = table.variables().size();
    Map<List<Long>, List<String>> cells = new HashMap<>();
    ScanRows.forEach(
        table,
        schema,
        predicates,
        row -> {
          Long[] first = new Long[rank];
          for (int d = 0; d < rank; d++) {
            first[d] = row.getStruct(variables, rank).getLong(d);
          }
          for (int v = 0; v < variables; v++) {
            DataType type = schema.fields()[v].dataType();
            if (!(table.options().rows() instanceof RowMode.Cells)) {
              addTensor(row.getStruct(v, 2), (StructType) type, first, table, without, cells);
            } else {
              Object value = row.isNullAt(v) ? null : row.get(v, type);
              cells
                  .computeIfAbsent(Arrays.asList(first.clone()), k -> new ArrayList<>())
                  .add(text(value, type));
            }
          }
        });
    return cells;
  }

  private static void addTensor(
      InternalRow tensor,
      StructType type,
      Long[] first,
      ArrayTable table,
      Without without,
      Map<List<Long>, List<String>> cells) {
    ArrayData data = tensor.getArray(0);
    int[] shape = tensor.getArray(1).toIntArray();
    DataType element = ((ArrayType) type.fields()[0].dataType()).elementType();
    for (int i = 0; i < data.numElements(); i++) {
      Long[] index = first.clone();
      int rest = i;
      int packed = shape.length - 1;
      for (int d = index.length - 1; d >= 0; d--) {
        if (table.packed().get(d)) {
          index[d] = without.at(d, first[d], rest % shape[packed]);
          rest /= shape[packed--];
        }
      }
      Object value = data.isNullAt(i) ? null : data.get(i, element);
      cells.computeIfAbsent(Arrays.asList(index), k -> new ArrayList<>()).add(text(value, element));
    }
  }

  private static String text(Object value, DataType type) {
    if (value instanceof UTF8String) {
      return value.toString();
    }
    if (value instanceof Decimal) {
      return text(((Decimal) value).toJavaBigDecimal());
    }
    if (value instanceof InternalRow) {
      List<String> fields = new ArrayList<>();
      StructField[] types = ((StructType) type).fields();
      for (int i = 0; i < types.length; i++) {
        InternalRow row = (InternalRow) value;
        fields.add(
            row.isNullAt(i)
                ? text(null)
                : text(row.get(i, types[i].dataType()), types[i].dataType()));
      }
      return fields.toString();
    }
    return text(value);
  }

  private static String text(Object value) {
    if (value instanceof Double) {
      return "double " + Long.toHexString(Double.doubleToRawLongBits((Double) value));
    }
    if (value instanceof Float) {
      return "float " + Integer.toHexString(Float.floatToRawIntBits((Float) value));
    }
    if (value instanceof byte[]) {
      return HexFormat.of().formatHex((byte[]) value);
    }
    if (value instanceof List) {
      return ((List<?>) value).stream().map(FixtureReadTest::text).toList().toString();
    }
    return String.valueOf(value);
  }
}
