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
  private record Numbered(int broken) implements Pieces {
    @Override
    public int count() {
      return COUNT;
    }

    @Override
    public int cells(int k) {
      return k % 7 == 0 ? 20_000 : k % 50;
    }

    @Override
    public Piece piece(int k, long number) {
      if (k == broken) {
        throw new IllegalStateException("piece " + k);
      }
      Box box = Box.of(new long[] {k}, new long[] {k});
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
