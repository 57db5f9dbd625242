package io.arraymorph.array;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A result array put together from pieces that arrive in any order.
 *
 * <p>Pieces may be placed from several threads at once as long as they do not overlap; {@link
 * #finish} must happen after all of them. Cells that no piece covers hold zero bytes.
 */
public abstract sealed class ElementsAssembly {
  private ElementsAssembly() {}

  /**
   * An empty result.
   *
   * @throws ArithmeticException if it would need more than 2^31-1 bytes or elements
   */
  public static ElementsAssembly of(DataType type, Shape shape) {
    return type.isFixedWidth() ? new Fixed(type, shape) : new Variable(type, shape);
  }

  /**
   * No result, but parts that are given away as they are placed; {@link #finish} is not supported.
   *
   * @param sink takes packed elements, valid during the call only, and their place; on the threads
   *     that place them
   */
  public static ElementsAssembly givenTo(BiConsumer<Elements, Hyperslab> sink) {
    return new Given(sink);
  }

  /** Puts packed elements at a hyperslab of the result with the same counts. */
  public abstract void place(Elements packed, Hyperslab at);

  /** Puts the elements {@code from} of a piece at {@code at} of the result. */
  public abstract void place(Elements piece, Hyperslab from, Hyperslab at);

  /** The result. */
  public abstract Elements finish();

  private static final class Given extends ElementsAssembly {
    private final BiConsumer<Elements, Hyperslab> sink;

    Given(BiConsumer<Elements, Hyperslab> sink) {
      this.sink = sink;
    }

    @Override
    public void place(Elements packed, Hyperslab at) {
      sink.accept(packed, at);
    }

    @Override
    public void place(Elements piece, Hyperslab from, Hyperslab at) {
      sink.accept(from.covers(piece.shape()) ? piece : HyperslabCopy.pack(piece, from), at);
    }

    @Override
    public Elements finish() {
      throw new UnsupportedOperationException("the elements were given away");
    }
  }

  private static final class Fixed extends ElementsAssembly {
    private final DataType type;
    private final Shape shape;
    private final byte[] bytes;

    Fixed(DataType type, Shape shape) {
      this.type = type;
      this.shape = shape;
      this.bytes =
          new byte[Math.toIntExact(Math.multiplyExact(shape.elementCount(), type.byteWidth()))];
    }

    @Override
    public void place(Elements packed, Hyperslab at) {
      place(packed, Hyperslab.all(packed.shape()), at);
    }

    @Override
    public void place(Elements piece, Hyperslab from, Hyperslab at) {
      FixedWidthElements source = (FixedWidthElements) piece;
      HyperslabCopy.copy(
          source.bytes(),
          source.offset(),
          source.shape(),
          from,
          bytes,
          0,
          shape,
          at,
          type.byteWidth());
    }

    @Override
    public Elements finish() {
      return new FixedWidthElements(type, shape, bytes, 0);
    }
  }

  private static final class Variable extends ElementsAssembly {
    private final DataType type;
    private final Shape shape;
    private final List<VariableWidthElements> pieces = new ArrayList<>();
    private final int[] source;
    private final int[] position;

    Variable(DataType type, Shape shape) {
      this.type = type;
      this.shape = shape;
      this.source = new int[Math.toIntExact(shape.elementCount())];
      this.position = new int[source.length];
      pieces.add(new VariableWidthElements(type, Shape.of(1), new int[] {0, 0}, new byte[0]));
    }

    @Override
    public void place(Elements packed, Hyperslab at) {
      place(packed, Hyperslab.all(packed.shape()), at);
    }

    @Override
    public synchronized void place(Elements piece, Hyperslab from, Hyperslab at) {
      int[] sources = VariableWidthCopy.positions(from, piece.shape());
      int[] targets = VariableWidthCopy.positions(at, shape);
      int number = pieces.size();
      pieces.add((VariableWidthElements) piece);
      for (int i = 0; i < targets.length; i++) {
        source[targets[i]] = number;
        position[targets[i]] = sources[i];
      }
    }

    @Override
    public synchronized Elements finish() {
      return VariableWidthCopy.gather(
          type, shape, pieces.toArray(VariableWidthElements[]::new), source, position);
    }
  }
}
