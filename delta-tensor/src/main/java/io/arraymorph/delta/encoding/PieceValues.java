package io.arraymorph.delta.encoding;

import io.arraymorph.array.Elements;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.payload.ValueCodec;
import io.arraymorph.delta.tensor.StoredCells;
import java.util.Optional;

/** The values of the cells of a piece, in its order. Not thread-safe. */
final class PieceValues {
  private final StoredCells cells;
  private final int[] order;
  private final int count;
  private Elements elements;

  /**
   * @param order the number of each cell of the piece
   */
  PieceValues(StoredCells cells, int[] order) {
    this.cells = cells;
    this.order = order;
    this.count = order.length;
  }

  /** Values that are there already. */
  PieceValues(Elements elements) {
    this.cells = null;
    this.order = null;
    this.count = elements.count();
    this.elements = elements;
  }

  int count() {
    return count;
  }

  /** The values as a vector. */
  Elements elements() {
    if (elements == null) {
      elements = cells.gather(order, count);
    }
    return elements;
  }

  /** Bytes of the vector. */
  long byteSize() {
    return elements == null && cells.type().isFixedWidth()
        ? (long) count * cells.type().byteWidth()
        : elements().byteSize();
  }

  void write(PayloadWriter out) {
    Optional<long[]> integers = elements == null ? cells.integers(order, count) : Optional.empty();
    if (integers.isEmpty() || !ValueCodec.writeSmall(integers.get(), cells.type(), out)) {
      ValueCodec.write(elements(), out);
    }
  }
}
