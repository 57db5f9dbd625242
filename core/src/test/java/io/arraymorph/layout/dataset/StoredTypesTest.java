package io.arraymorph.layout.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every stored type as a column, against the values that the fixtures' numpy files hold. */
class StoredTypesTest {
  private static final Path FIXTURES = Path.of("../src-test/fixtures").toAbsolutePath().normalize();
  private static final Pattern DESCR = Pattern.compile("'descr': (.*?), 'fortran_order'");
  private static final Pattern FIELD =
      Pattern.compile("\\('(\\w+)', (?:'([<|][^']+)'|\\[((?:\\([^)]*\\)(?:, )?)+)\\])\\)");
  private static final Map<String, Long> NANOS =
      Map.of(
          "D",
          86_400_000_000_000L,
          "h",
          3_600_000_000_000L,
          "s",
          1_000_000_000L,
          "10s",
          10_000_000_000L,
          "ms",
          1_000_000L,
          "us",
          1_000L,
          "ns",
          1L);

  static Stream<Arguments> arrays() throws IOException {
    JsonNode index = new ObjectMapper().readTree(FIXTURES.resolve("index.json").toFile());
    List<Arguments> cases = new ArrayList<>();
    for (JsonNode c : index.get("cases")) {
      String name = c.get("name").asText();
      if (name.matches("v3/dtype/.*|v2/(dtype|string|struct|time)/.*")
          && c.get("expected").asText().equals("value")
          && c.get("node").asText().equals("array")) {
        cases.add(Arguments.of(name, c));
      }
    }
    assertThat(cases).hasSizeGreaterThan(80);
    return cases.stream();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("arrays")
  void everyStoredTypeBecomesAColumn(String name, JsonNode c) throws IOException {
    ZarrArray array;
    try {
      array =
          ZarrNodes.openArray(
              new StorePath(new LocalObjectStore(FIXTURES), c.get("path").asText()));
    } catch (ArrayMorphException e) {
      // What the layout refuses by name is its own tests' matter.
      assumeThat(e.code()).isNotIn(ErrorCode.UNSUPPORTED_CODEC, ErrorCode.UNSUPPORTED_TYPE);
      throw e;
    }
    CfDecoding decoding = CfDecoding.raw(array.schema().dataType());
    assertThat(decoding.type()).isEqualTo(ColumnType.of(array.schema().dataType()));
    List<Object> expected = expected(FIXTURES.resolve(c.get("expected_file").asText()));
    Object[] cells = cells(array, decoding);
    assertThat(cells).hasSameSizeAs(expected);
    for (int i = 0; i < cells.length; i++) {
      assertThat(comparable(cells[i])).as("%s [%d]", name, i).isEqualTo(expected.get(i));
    }
  }

  /** Numbers by value, bytes as text, so that they compare whatever their class. */
  private static Object comparable(Object value) {
    if (value instanceof List) {
      return ((List<?>) value).stream().map(StoredTypesTest::comparable).toList();
    }
    if (value instanceof byte[]) {
      return Arrays.toString((byte[]) value);
    }
    if (value instanceof Float || value instanceof Double) {
      return Double.doubleToLongBits(((Number) value).doubleValue());
    }
    return value instanceof Number ? new BigDecimal(value.toString()) : value;
  }

  private static Object[] cells(ZarrArray array, CfDecoding decoding) {
    Shape shape = array.schema().shape();
    Object[] cells = new Object[(int) shape.elementCount()];
    long[] grid = array.grid().gridShape().toArray();
    for (long n = 0; n < array.grid().gridShape().elementCount(); n++) {
      long[] at = unravel(n, grid);
      ChunkCoordinates chunk = ChunkCoordinates.of(at);
      Elements elements = PlainArrayReader.chunk(array, chunk);
      DecodedColumn column = decoding.decode(elements);
      Hyperslab box = array.grid().chunkBox(chunk);
      long[] stored = array.grid().chunkShape(chunk).toArray();
      for (int e = 0; e < column.count(); e++) {
        long[] within = unravel(e, stored);
        long cell = 0;
        boolean inside = true;
        for (int d = 0; d < within.length; d++) {
          long i = box.range(d).start() + within[d];
          inside &= i < shape.length(d);
          cell = cell * shape.length(d) + i;
        }
        if (inside) {
          cells[(int) cell] = column.valueAt(e);
        }
      }
    }
    return cells;
  }

  private static long[] unravel(long n, long[] lengths) {
    long[] index = new long[lengths.length];
    for (int d = lengths.length - 1; d >= 0; d--) {
      index[d] = n % lengths[d];
      n /= lengths[d];
    }
    return index;
  }

  private static List<Object> expected(Path file) throws IOException {
    List<Object> values = new ArrayList<>();
    if (file.toString().endsWith(".json")) {
      JsonNode json = new ObjectMapper().readTree(file.toFile());
      boolean isText = json.get("kind").asText().equals("string");
      for (JsonNode value : json.get("values")) {
        values.add(isText ? value.asText() : Arrays.toString(value.binaryValue()));
      }
      return values;
    }
    byte[] bytes = Files.readAllBytes(file);
    int header = (bytes[8] & 0xFF) | (bytes[9] & 0xFF) << 8;
    Matcher descr = DESCR.matcher(new String(bytes, 10, header, StandardCharsets.ISO_8859_1));
    assertThat(descr.find()).isTrue();
    ByteBuffer data =
        ByteBuffer.wrap(bytes, 10 + header, bytes.length - 10 - header)
            .order(ByteOrder.LITTLE_ENDIAN);
    while (data.hasRemaining()) {
      values.add(value(descr.group(1), data));
    }
    return values;
  }

  private static Object value(String descr, ByteBuffer data) {
    if (descr.startsWith("[")) {
      List<Object> fields = new ArrayList<>();
      Matcher field = FIELD.matcher(descr);
      while (field.find()) {
        fields.add(
            value(
                field.group(2) != null ? "'" + field.group(2) + "'" : "[" + field.group(3) + "]",
                data));
      }
      return fields;
    }
    String type = descr.replaceAll("['<|]", "");
    Matcher digits = Pattern.compile("^\\D(\\d+)").matcher(type);
    int size = digits.find() ? Integer.parseInt(digits.group(1)) : 0;
    switch (type.charAt(0)) {
      case 'b':
        return data.get() != 0;
      case 'i':
        return integer(data, size, true);
      case 'u':
        return integer(data, size, false);
      case 'f':
        return floating(data, size);
      case 'c':
        return List.of(floating(data, size / 2), floating(data, size / 2));
      case 'V':
        return Arrays.toString(take(data, size));
      case 'S':
        byte[] padded = take(data, size);
        int length = size;
        while (length > 0 && padded[length - 1] == 0) {
          length--;
        }
        return Arrays.toString(Arrays.copyOf(padded, length));
      case 'U':
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < size; i++) {
          text.appendCodePoint(data.getInt());
        }
        return text.toString().replaceAll("\0+$", "");
      default:
        return time(data.getLong(), type.substring(type.indexOf('[') + 1, type.length() - 1));
    }
  }

  private static byte[] take(ByteBuffer data, int size) {
    byte[] bytes = new byte[size];
    data.get(bytes);
    return bytes;
  }

  private static BigDecimal integer(ByteBuffer data, int size, boolean signed) {
    byte[] bytes = take(data, size);
    byte[] big = new byte[size + 1];
    for (int i = 0; i < size; i++) {
      big[size - i] = bytes[i];
    }
    big[0] = (byte) (signed && big[1] < 0 ? -1 : 0);
    return new BigDecimal(new BigInteger(big));
  }

  private static Long floating(ByteBuffer data, int size) {
    double value;
    if (size == 8) {
      value = data.getDouble();
    } else if (size == 4) {
      value = data.getFloat();
    } else {
      int bits = data.getShort() & 0xFFFF;
      int exponent = bits >> 10 & 31;
      int mantissa = bits & 1023;
      double magnitude =
          exponent == 31
              ? mantissa == 0 ? Double.POSITIVE_INFINITY : Double.NaN
              : exponent == 0
                  ? mantissa * Math.pow(2, -24)
                  : (1024 + mantissa) * Math.pow(2, exponent - 25);
      value = bits >> 15 == 0 ? magnitude : -magnitude;
    }
    return Double.doubleToLongBits(value);
  }

  private static Object time(long count, String unit) {
    if (count == Long.MIN_VALUE) {
      return null;
    }
    if (unit.equals("M") || unit.equals("Y")) {
      long days = LocalDate.EPOCH.plusMonths(unit.equals("M") ? count : 12 * count).toEpochDay();
      return BigDecimal.valueOf(days).multiply(BigDecimal.valueOf(86_400_000_000L));
    }
    BigInteger[] micros =
        BigInteger.valueOf(count)
            .multiply(BigInteger.valueOf(NANOS.get(unit)))
            .divideAndRemainder(BigInteger.valueOf(1000));
    return new BigDecimal(micros[1].signum() < 0 ? micros[0].subtract(BigInteger.ONE) : micros[0]);
  }
}
