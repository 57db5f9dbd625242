package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.delta.tensor.Box;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PiecesInOrderTest {
  private static final int COUNT = 3_000;

  /** Pieces of sizes that vary, one of which cannot be made. */
  private static final class Numbered extends Pieces {
    private final int broken;

    /**
     * @param broken the number of the piece that cannot be made
     */
    Numbered(int broken) {
      super(cuts());
      this.broken = broken;
    }

    private static int[] cuts() {
      int[] cuts = new int[COUNT + 1];
      for (int k = 0; k < COUNT; k++) {
        cuts[k + 1] = cuts[k] + (k % 7 == 0 ? 20_000 : k % 50);
      }
      return cuts;
    }

    @Override
    Piece piece(int from, int count, long number) {
      if (number == broken) {
        throw new IllegalStateException("piece " + number);
      }
      Box box = Box.of(new long[] {from}, new long[] {from});
      return new Piece(number, box, 1, 1, RowFormat.COO, new byte[0], new byte[0]);
    }
  }

  @Test
  void piecesComeInTheirOrder() {
    List<Long> parts = new ArrayList<>();

    new PiecesInOrder(new Numbered(-1), 5).to(piece -> parts.add(piece.part()));

    assertThat(parts).containsExactlyElementsOf(LongStream.range(5, 5 + COUNT).boxed().toList());
  }

  @Test
  void aPieceThatFailsEndsAll() {
    assertThatThrownBy(() -> new PiecesInOrder(new Numbered(1_700), 0).to(piece -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("piece 1700");
  }

  @Test
  void aSinkThatFailsEndsAll() {
    assertThatThrownBy(
            () ->
                new PiecesInOrder(new Numbered(-1), 0)
                    .to(
                        piece -> {
                          throw new IllegalStateException("full");
                        }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("full");
  }
}
