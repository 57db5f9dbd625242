package io.arraymorph.delta.tensor;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.array.VariableWidthElements;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/** Random tensors, slices and element values, the same for the same seed. */
public final class RandomTensors {
  private static final String[] WORDS = {"", "a", "zwei", "\u00e9\u00e8", "long long text"};

  private RandomTensors() {}

  /** One of each kind of element. */
  public static List<DataType> allTypes() {
    List<DataType> types = new ArrayList<>();
    types.add(new DataType.Bool());
    for (int bits : new int[] {2, 4, 8, 16, 32, 64}) {
      types.add(new DataType.Int(bits, true));
      types.add(new DataType.Int(bits, false));
    }
    for (FloatFormat format : FloatFormat.values()) {
      types.add(new DataType.Float(format));
    }
    types.add(new DataType.Complex(FloatFormat.FLOAT32));
    types.add(new DataType.Complex(FloatFormat.FLOAT64));
    types.add(new DataType.RawBytes(3));
    types.add(new DataType.NullTerminatedBytes(5));
    types.add(new DataType.FixedLengthUtf32(2));
    types.add(new DataType.DateTime64(TimeUnit64.SECOND, 1));
    types.add(new DataType.TimeDelta64(TimeUnit64.NANOSECOND, 25));
    types.add(new DataType.VariableString());
    types.add(new DataType.VariableBytes());
    types.add(
        new DataType.Struct(
            List.of(
                new DataType.Struct.Field("a", new DataType.Int(16, true)),
                new DataType.Struct.Field("b", new DataType.Float(FloatFormat.FLOAT32)))));
    return types;
  }

  /** A schema with dimensions {@code dim_0 ..} and a fill of zero bytes or a random one. */
  public static ArraySchema schema(DataType type, Random random, long... shape) {
    List<String> names = IntStream.range(0, shape.length).mapToObj(d -> "dim_" + d).toList();
    Elements fill = values(type, 1, random.nextBoolean() ? random : new ZeroRandom());
    return new ArraySchema(type, Shape.of(shape), names, scalar(fill));
  }

  private static Elements scalar(Elements one) {
    return one instanceof FixedWidthElements
        ? new FixedWidthElements(one.type(), Shape.of(), ((FixedWidthElements) one).bytes(), 0)
        : new VariableWidthElements(
            one.type(),
            Shape.of(),
            ((VariableWidthElements) one).offsets(),
            ((VariableWidthElements) one).bytes());
  }

  private static final class ZeroRandom extends Random {
    private static final long serialVersionUID = 1L;

    @Override
    protected int next(int bits) {
      return 0;
    }
  }

  /** {@code n} values: small numbers, wide ones, all equal, or noise. */
  public static Elements values(DataType type, int n, Random random) {
    if (!type.isFixedWidth()) {
      ElementBuffer buffer = new ElementBuffer(type);
      for (int i = 0; i < n; i++) {
        byte[] word = WORDS[random.nextInt(WORDS.length)].getBytes(StandardCharsets.UTF_8);
        buffer.appendBytes(word, 0, word.length);
      }
      return buffer.toElements();
    }
    int width = type.byteWidth();
    byte[] bytes = new byte[n * width];
    int style = random.nextInt(4);
    random.nextBytes(bytes);
    for (int i = 0; i < n; i++) {
      for (int b = 0; b < width; b++) {
        if (style == 0 || type instanceof DataType.Bool) {
          bytes[i * width + b] &= (byte) (b == 0 ? 1 : 0);
        } else if (style == 1) {
          bytes[i * width + b] = (byte) (b == 0 ? bytes[i * width] >> 4 : bytes[i * width] >> 7);
        } else if (style == 2) {
          bytes[i * width + b] = bytes[b];
        }
      }
      if (style < 2 && type instanceof DataType.Float && width == 8) {
        IntegerElements.write(bytes, i * 8, 8, Double.doubleToLongBits(random.nextInt(50) - 9));
      }
    }
    if (type instanceof DataType.Int && ((DataType.Int) type).bits() < 8) {
      DataType.Int small = (DataType.Int) type;
      for (int i = 0; i < n; i++) {
        int value = bytes[i] & ((1 << small.bits()) - 1);
        boolean negative = small.signed() && value >> (small.bits() - 1) == 1;
        bytes[i] = (byte) (negative ? value - (1 << small.bits()) : value);
      }
    }
    return new FixedWidthElements(type, Shape.of(n), bytes, 0);
  }

  /** About {@code n} unique cells in random order. */
  public static CellBuffer cells(ArraySchema schema, int n, Random random) {
    int rank = schema.shape().rank();
    Map<List<Long>, Boolean> seen = new LinkedHashMap<>();
    long[] center = random.longs(rank).toArray();
    for (int i = 0; i < n && !schema.shape().isEmpty(); i++) {
      List<Long> cell = new ArrayList<>();
      boolean near = random.nextInt(3) > 0;
      for (int d = 0; d < rank; d++) {
        long length = schema.shape().length(d);
        long offset = near ? random.nextInt(9) : random.nextLong();
        cell.add(Math.floorMod(center[d] + offset, length));
      }
      seen.put(cell, true);
    }
    CellBuffer cells = new CellBuffer(rank, schema.dataType());
    Elements values = values(schema.dataType(), seen.size(), random);
    int i = 0;
    for (List<Long> cell : seen.keySet()) {
      cells.append(cell.stream().mapToLong(Long::longValue).toArray());
      boolean fill = random.nextInt(10) == 0;
      cells.values().append(fill ? schema.fill() : values, fill ? 0 : i);
      i++;
    }
    return cells;
  }

  /** A slice text for a shape: steps, negative steps and ends, empty, lists, single indices. */
  public static String slice(Shape shape, Random random) {
    List<String> parts = new ArrayList<>();
    int rank = shape.rank();
    int given = random.nextInt(4) == 0 ? random.nextInt(rank + 1) : rank;
    for (int d = 0; d < given; d++) {
      parts.add(axis(shape.length(d), random));
    }
    if (given < rank && random.nextBoolean()) {
      parts.add("...");
    }
    return String.join(", ", parts);
  }

  private static String axis(long length, Random random) {
    int kind = random.nextInt(8);
    if (kind == 0) {
      return ":";
    }
    if (kind == 1 && length > 0) {
      return String.valueOf(within(length, random));
    }
    if (kind == 2 && length > 0) {
      List<String> list = new ArrayList<>();
      for (int i = random.nextInt(6); i > 0; i--) {
        list.add(String.valueOf(within(length, random)));
      }
      return "[" + String.join(",", list) + "]";
    }
    long step = kind < 5 ? 1 : kind == 5 ? -1 - random.nextInt(3) : 1 + random.nextInt(4);
    String from = random.nextInt(4) == 0 ? "" : String.valueOf(edge(length, random));
    String to = random.nextInt(4) == 0 ? "" : String.valueOf(edge(length, random));
    return from + ":" + to + (step == 1 ? "" : ":" + step);
  }

  private static long within(long length, Random random) {
    return random.nextBoolean() ? random.nextLong(length) : -1 - random.nextLong(length);
  }

  private static long edge(long length, Random random) {
    return random.nextLong(-length - 2, length + 3);
  }
}
