package io.arraymorph.array;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HyperslabCopyTest {
  private static final int[] WIDTHS = {1, 2, 3, 4, 8, 16};

  @Test
  void packsAndPlacesExactlyTheSelectedElements() {
    for (long seed = 0; seed < 10_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 5, seed % 2 == 0 ? 5 : 3);
      Hyperslab slab = RandomArrays.hyperslab(random, shape);
      int width = WIDTHS[random.nextInt(WIDTHS.length)];
      DataType type = new DataType.RawBytes(width);
      int offset = random.nextInt(5);
      byte[] bytes = new byte[offset + (int) shape.elementCount() * width + random.nextInt(3)];
      random.nextBytes(bytes);
      String seedText = "seed " + seed + ": " + slab + " in " + shape + " width " + width;

      byte[] expected = new byte[(int) slab.elementCount() * width];
      int n = 0;
      for (List<Long> element : RandomArrays.elements(slab)) {
        int at = offset + (int) RandomArrays.position(element, shape) * width;
        System.arraycopy(bytes, at, expected, width * n++, width);
      }
      FixedWidthElements array = new FixedWidthElements(type, shape, bytes, offset);
      FixedWidthElements packed = (FixedWidthElements) HyperslabCopy.pack(array, slab);
      assertThat(packed.shape()).as(seedText).isEqualTo(slab.counts());
      assertThat(content(packed)).as(seedText).isEqualTo(expected);

      byte[] target = new byte[(int) shape.elementCount() * width];
      HyperslabCopy.place(expected, 0, target, 0, shape, slab, width);
      byte[] back = new byte[expected.length];
      HyperslabCopy.pack(target, 0, shape, slab, back, 0, width);
      assertThat(back).as(seedText).isEqualTo(expected);
      for (List<Long> element : RandomArrays.elements(Hyperslab.all(shape))) {
        if (!slab.contains(element.stream().mapToLong(Long::longValue).toArray())) {
          int at = (int) RandomArrays.position(element, shape) * width;
          for (int i = 0; i < width; i++) {
            assertThat(target[at + i]).as(seedText).isZero();
          }
        }
      }
    }
  }

  private static byte[] content(FixedWidthElements elements) {
    return Arrays.copyOfRange(
        elements.bytes(), elements.offset(), elements.offset() + (int) elements.byteSize());
  }

  @Test
  void assemblesTextFromPieces() {
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      Shape shape = RandomArrays.shape(random, 3, 6);
      List<String> texts = new ArrayList<>();
      for (long i = 0; i < shape.elementCount(); i++) {
        texts.add("é".repeat(random.nextInt(3)) + i);
      }
      VariableWidthElements whole = text(shape, texts);
      ElementsAssembly assembly = ElementsAssembly.of(whole.type(), shape);
      for (ChunkSelection part :
          ChunkSelections.of(RandomArrays.grid(random, shape), Hyperslab.all(shape))) {
        if (random.nextBoolean()) {
          assembly.place(HyperslabCopy.pack(whole, part.absolute()), part.absolute());
        } else {
          assembly.place(whole, part.absolute(), part.absolute());
        }
      }
      assertThat(strings((VariableWidthElements) assembly.finish()))
          .as("seed " + seed)
          .isEqualTo(texts);
    }
  }

  private static VariableWidthElements text(Shape shape, List<String> texts) {
    int[] offsets = new int[texts.size() + 1];
    for (int i = 0; i < texts.size(); i++) {
      offsets[i + 1] = offsets[i] + texts.get(i).getBytes(StandardCharsets.UTF_8).length;
    }
    byte[] bytes = String.join("", texts).getBytes(StandardCharsets.UTF_8);
    return new VariableWidthElements(new DataType.VariableString(), shape, offsets, bytes);
  }

  private static List<String> strings(VariableWidthElements elements) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < elements.count(); i++) {
      int start = elements.offsets()[i];
      int length = elements.offsets()[i + 1] - start;
      texts.add(new String(elements.bytes(), start, length, StandardCharsets.UTF_8));
    }
    return texts;
  }
}
