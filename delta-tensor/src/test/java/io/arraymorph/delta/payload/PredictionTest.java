package io.arraymorph.delta.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.ElementBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PredictionTest {
  private static final DataType BYTE = new DataType.Int(8, false);

  /** A picture: slow waves, some texture and noise, in several planes. */
  private static byte[] picture(Random random, int planes, int rows, int length, double noise) {
    byte[] bytes = new byte[planes * rows * length];
    for (int i = 0; i < bytes.length; i++) {
      int x = i % length;
      int y = i / length % rows;
      int plane = i / length / rows;
      double value =
          128
              + 60 * Math.sin(x / 37.0 + plane)
              + 40 * Math.cos(y / 23.0)
              + noise * random.nextGaussian();
      bytes[i] = (byte) Math.max(0, Math.min(255, Math.rint(value)));
    }
    return bytes;
  }

  private static byte[] write(byte[] bytes, DataType type, Shape shape) {
    PayloadWriter out = new PayloadWriter();
    Prediction.write(new FixedWidthElements(type, shape, bytes, 0), out);
    return out.finish();
  }

  private static byte[] read(byte[] payload, DataType type, Shape shape) {
    ElementBuffer out = new ElementBuffer(type);
    PayloadReader in = PayloadReader.of(payload);
    Prediction.read(in, shape, out);
    in.expectEnd();
    return Arrays.copyOf(out.bytes(), out.count() * type.byteWidth());
  }

  @Test
  void boxes_of_any_shape_and_content_come_back_bit_for_bit() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      int planes = 1 + random.nextInt(19);
      int rows = 1 + random.nextInt(50);
      int length = 1 + random.nextInt(70);
      byte[] bytes = picture(random, planes, rows, length, seed % 5 * 8);
      if (seed % 7 == 0) {
        random.nextBytes(bytes);
      }
      Shape shape =
          seed % 2 == 0
              ? Shape.of(planes, rows, length)
              : Shape.of(1, (long) planes * rows, length);
      DataType type = new DataType.Int(8, seed % 3 == 0);
      assertThat(read(write(bytes, type, shape), type, shape)).as("seed %d", seed).isEqualTo(bytes);
    }
  }

  @Test
  void wide_elements_come_back_bit_for_bit() {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      int width = 2 << random.nextInt(3);
      byte[] bytes = picture(random, 2, 40, 40 * width, 3);
      DataType type = new DataType.Int(8 * width, true);
      Shape shape = Shape.of(2, 40, 40);
      assertThat(read(write(bytes, type, shape), type, shape)).as("seed %d", seed).isEqualTo(bytes);
    }
  }

  @Test
  void linear_prediction_is_chosen_for_noisy_pictures_and_near_the_noise_that_they_hold() {
    Random random = new Random(3);
    byte[] bytes = picture(random, 3, 256, 256, 2.5);
    byte[] payload = write(bytes, BYTE, Shape.of(1, 3, 256, 256));
    assertThat(payload[0]).isEqualTo((byte) ValueCodec.LINEAR);
    double bits = 8.0 * Zstd.compress(payload, 1).length / bytes.length;
    double noise = Math.log(2.5 * Math.sqrt(2 * Math.PI * Math.E)) / Math.log(2);
    assertThat(bits).isBetween(noise, noise * 1.1);
  }

  @Test
  void a_plane_that_follows_the_one_before_is_guessed_from_it() {
    Random random = new Random(4);
    byte[] bytes = picture(random, 1, 128, 256, 20);
    byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      twice[bytes.length + i] = (byte) ((bytes[i] & 0xFF) / 2 + 30);
    }
    int one = Zstd.compress(write(bytes, BYTE, Shape.of(1, 128, 256)), 1).length;
    int both = Zstd.compress(write(twice, BYTE, Shape.of(2, 128, 256)), 1).length;
    assertThat(both).isLessThan(one + one / 3);
    assertThat(read(write(twice, BYTE, Shape.of(2, 128, 256)), BYTE, Shape.of(2, 128, 256)))
        .isEqualTo(twice);
  }

  @Test
  void weights_beyond_32_bits_of_sums_are_refused() {
    PayloadWriter out = new PayloadWriter();
    out.writeByte(ValueCodec.LINEAR);
    out.writeVarint(1);
    for (int k = 0; k < LinearPrediction.WEIGHTS; k++) {
      out.writeVarint(1L << 40);
    }
    byte[] payload = out.finish();
    assertThatThrownBy(() -> read(payload, BYTE, Shape.of(4, 4)))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("weight");
  }

  @Test
  void truncated_and_foreign_residuals_are_refused() {
    byte[] bytes = picture(new Random(5), 1, 64, 64, 3);
    Shape shape = Shape.of(64, 64);
    assertThat(write(bytes, BYTE, shape)[0]).isEqualTo((byte) ValueCodec.LINEAR);
    byte[] payload = write(bytes, BYTE, shape);
    assertThatThrownBy(() -> read(payload, BYTE, Shape.of(65, 64)))
        .isInstanceOf(PayloadException.class);
    assertThatThrownBy(() -> read(payload, new DataType.Int(16, false), shape))
        .isInstanceOf(PayloadException.class);
  }
}
