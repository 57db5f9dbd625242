package io.arraymorph.delta.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.delta.tensor.IntegerElements;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ValueCodecTest {
  private static final DataType DOUBLE = new DataType.Float(FloatFormat.FLOAT64);
  private static final List<DataType> TYPES =
      List.of(
          DOUBLE,
          new DataType.Float(FloatFormat.FLOAT32),
          new DataType.Int(64, true),
          new DataType.Int(64, false),
          new DataType.Int(32, true),
          new DataType.Int(16, false));

  private static byte[] write(byte[] bytes, DataType type) {
    PayloadWriter out = new PayloadWriter();
    Shape shape = Shape.of(bytes.length / type.byteWidth());
    ValueCodec.write(new FixedWidthElements(type, shape, bytes, 0), out);
    return out.finish();
  }

  private static byte[] read(byte[] payload, int n, DataType type) {
    ElementBuffer out = new ElementBuffer(type);
    PayloadReader in = PayloadReader.of(payload);
    ValueCodec.read(in, n, out);
    in.expectEnd();
    return Arrays.copyOf(out.bytes(), out.count() * type.byteWidth());
  }

  private static void put(byte[] bytes, int i, DataType type, long value) {
    int width = type.byteWidth();
    long bits = value;
    if (type instanceof DataType.Float) {
      bits =
          width == 4
              ? Float.floatToIntBits((float) value)
              : Double.doubleToLongBits((double) value);
    }
    IntegerElements.write(bytes, i * width, width, bits);
  }

  @Test
  void values_of_which_most_are_the_same_come_back_bit_for_bit() {
    int majorities = 0;
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      DataType type = TYPES.get(seed % TYPES.size());
      int n = 1 + random.nextInt(600);
      double others = random.nextInt(3) * 0.2;
      long common = random.nextInt(5) == 0 ? random.nextInt() >>> 12 : random.nextInt(3);
      byte[] bytes = new byte[n * type.byteWidth()];
      for (int i = 0; i < n; i++) {
        long other = random.nextInt(8) == 0 ? random.nextInt(1 << 15) : random.nextInt(6);
        put(bytes, i, type, random.nextDouble() < others ? other : common);
      }
      byte[] payload = write(bytes, type);
      majorities += payload[0] >= ValueCodec.MAJORITY ? 1 : 0;
      assertThat(read(payload, n, type)).as("seed %d", seed).isEqualTo(bytes);
    }
    assertThat(majorities).isGreaterThan(100);
  }

  @Test
  void the_greatest_and_least_integers_may_be_among_others() {
    for (DataType type : List.of(new DataType.Int(64, true), new DataType.Int(64, false))) {
      byte[] bytes = new byte[100 * 8];
      put(bytes, 3, type, Long.MIN_VALUE);
      put(bytes, 90, type, Long.MAX_VALUE);
      put(bytes, 99, type, -1);
      byte[] payload = write(bytes, type);
      assertThat(payload[0]).isEqualTo((byte) ValueCodec.MAJORITY);
      assertThat(read(payload, 100, type)).isEqualTo(bytes);
    }
  }

  @Test
  void damaged_values_of_which_most_are_the_same_are_refused() {
    byte[] bytes = new byte[200 * 8];
    put(bytes, 150, DOUBLE, 7);
    byte[] payload = write(bytes, DOUBLE);
    assertThat(payload[0]).isEqualTo((byte) ValueCodec.INTEGRAL_MAJORITY);
    assertThatThrownBy(() -> read(payload, 100, DOUBLE)).isInstanceOf(PayloadException.class);
    for (int at = 0; at < payload.length - 4; at++) {
      PayloadWriter out = new PayloadWriter();
      out.writeBytes(payload, 0, at);
      byte[] shorter = out.finish();
      assertThatThrownBy(() -> read(shorter, 200, DOUBLE))
          .as("%d bytes", at)
          .isInstanceOf(PayloadException.class);
    }
  }

  @Test
  void runs_of_varints_are_those_that_were_written() {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      long[] numbers = new long[random.nextInt(40)];
      PayloadWriter out = new PayloadWriter();
      for (int i = 0; i < numbers.length; i++) {
        int bits = random.nextInt(10) == 0 ? 64 : random.nextInt(5) == 0 ? 22 : 14;
        numbers[i] = random.nextLong() >>> (64 - bits) >>> random.nextInt(bits);
        out.writeVarint(numbers[i]);
      }
      out.writeByte(99);
      PayloadReader in = PayloadReader.of(out.finish());
      long[] read = new long[numbers.length];
      in.readVarints(read, read.length);
      assertThat(read).as("seed %d", seed).isEqualTo(numbers);
      assertThat(in.readByte()).isEqualTo(99);
      in.expectEnd();
      assertThatThrownBy(() -> in.readVarints(new long[1], 1)).isInstanceOf(PayloadException.class);
    }
  }
}
