package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Shape;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkShapeChoiceTest {
  @Test
  void chunksOfAnyArrayAreSmallEnoughAndNotTiny() {
    for (int seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      long[] lengths = new long[1 + random.nextInt(5)];
      double bytes = 4;
      for (int d = 0; d < lengths.length; d++) {
        lengths[d] = random.nextInt(1 << random.nextInt(14));
        bytes *= Math.max(1, lengths[d]);
      }
      ChunkShapeChoice choice = ChunkShapeChoice.of(Shape.of(lengths), 4, random.nextBoolean());
      long chunk = 4 * choice.chunk().elementCount();
      assertThat(chunk).describedAs("seed %d", seed).isLessThanOrEqualTo(8 << 20);
      assertThat(chunk)
          .describedAs("seed %d", seed)
          .isGreaterThanOrEqualTo((long) Math.min(bytes, 2 << 20));
      choice
          .shard()
          .ifPresent(
              shard -> {
                for (int d = 0; d < lengths.length; d++) {
                  assertThat(shard.length(d) % choice.chunk().length(d)).isZero();
                }
                assertThat(4 * shard.elementCount()).isLessThanOrEqualTo(64 << 20);
              });
    }
  }

  @Test
  void largeCompressedArraysHaveShardsAndRawOnesDoNot() {
    Shape shape = Shape.of(4000, 500, 500);
    assertThat(ChunkShapeChoice.of(shape, 4, true).shard()).isPresent();
    assertThat(ChunkShapeChoice.of(shape, 4, false).shard()).isEmpty();
  }

  @Test
  void aPieceIsAChunkUnlessItIsTinyOrHuge() {
    Shape piece = Shape.of(1, 512, 512);
    assertThat(ChunkShapeChoice.ofPiece(piece, 4).chunk()).isEqualTo(piece);
    assertThat(ChunkShapeChoice.ofPiece(Shape.of(1, 28, 28), 1).chunk())
        .isEqualTo(Shape.of((8 << 20) / 784, 28, 28));
    assertThat(4 * ChunkShapeChoice.ofPiece(Shape.of(1, 9000, 9000), 4).chunk().elementCount())
        .isLessThanOrEqualTo(8 << 20);
  }
}
