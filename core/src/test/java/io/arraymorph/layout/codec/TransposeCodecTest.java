package io.arraymorph.layout.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TransposeCodecTest {

  @Test
  void movesEveryElementToItsPlace() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      int rank = 1 + random.nextInt(5);
      long[] lengths = new long[rank];
      List<Integer> shuffled = new ArrayList<>();
      for (int d = 0; d < rank; d++) {
        lengths[d] = 1L + random.nextInt(rank < 3 ? 150 : rank == 3 ? 50 : 9);
        shuffled.add(d);
      }
      Collections.shuffle(shuffled, random);
      int[] order = shuffled.stream().mapToInt(i -> i).toArray();
      int width = new int[] {1, 2, 3, 4, 8, 16}[random.nextInt(6)];
      Shape shape = Shape.of(lengths);
      int offset = random.nextInt(5);
      byte[] bytes = new byte[offset + (int) shape.elementCount() * width];
      random.nextBytes(bytes);
      FixedWidthElements chunk =
          new FixedWidthElements(new DataType.RawBytes(width), shape, bytes, offset);
      ArrayArrayCodec.Bound codec =
          new TransposeCodec(order)
              .bind(new ChunkRepresentation(chunk.type(), shape, Optional.empty()));
      FixedWidthElements stored = (FixedWidthElements) codec.encode(chunk);
      String what = "round " + round + " of seed " + seed;
      assertThat(stored.shape()).as(what).isEqualTo(shape.permute(order));
      long[] at = new long[rank];
      for (int i = 0; i < chunk.count(); i++) {
        long place = 0;
        for (int d = 0; d < rank; d++) {
          place = place * stored.shape().length(d) + at[order[d]];
        }
        assertThat(element(stored, (int) place)).as(what).isEqualTo(element(chunk, i));
        for (int d = rank - 1; d >= 0 && ++at[d] == lengths[d]; d--) {
          at[d] = 0;
        }
      }
      FixedWidthElements back = (FixedWidthElements) codec.decode(stored);
      assertThat(
              Arrays.copyOfRange(
                  back.bytes(), back.offset(), back.offset() + (int) back.byteSize()))
          .as(what)
          .isEqualTo(Arrays.copyOfRange(bytes, offset, bytes.length));
    }
  }

  private static List<Byte> element(FixedWidthElements elements, int i) {
    int width = elements.type().byteWidth();
    List<Byte> bytes = new ArrayList<>();
    for (int b = 0; b < width; b++) {
      bytes.add(elements.bytes()[elements.offset() + i * width + b]);
    }
    return bytes;
  }

  @Test
  void refusesWhatIsNoPermutation() {
    assertThatThrownBy(() -> new TransposeCodec(0, 0)).hasMessageContaining("[0, 0]");
    assertThatThrownBy(() -> new TransposeCodec(1, 2)).hasMessageContaining("[1, 2]");
  }
}
