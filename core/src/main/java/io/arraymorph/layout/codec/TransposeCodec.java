package io.arraymorph.layout.codec;

import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import java.util.Arrays;

/**
 * Reorders dimensions (Zarr v3 codec {@code transpose}; order F of Zarr v2): dimension {@code i} of
 * the stored array is dimension {@code order[i]} of the chunk.
 */
public final class TransposeCodec implements ArrayArrayCodec {
  private final int[] order;

  /**
   * @throws CodecConfigurationException if the order is not a permutation of 0, 1, ..
   */
  public TransposeCodec(int... order) {
    int[] sorted = order.clone();
    Arrays.sort(sorted);
    for (int d = 0; d < sorted.length; d++) {
      if (sorted[d] != d) {
        throw CodecConfigurationException.invalid(
            "transpose order " + Arrays.toString(order) + " is no permutation of the dimensions");
      }
    }
    this.order = order.clone();
  }

  /** The order that reverses all dimensions. */
  public static TransposeCodec reversing(int rank) {
    int[] order = new int[rank];
    Arrays.setAll(order, d -> rank - 1 - d);
    return new TransposeCodec(order);
  }

  @Override
  public String name() {
    return "transpose";
  }

  @Override
  public ArrayArrayCodec.Bound bind(ChunkRepresentation decoded) {
    if (order.length != decoded.shape().rank()) {
      throw CodecConfigurationException.invalid(
          "transpose order " + Arrays.toString(order) + " does not fit chunk " + decoded.shape());
    }
    int[] inverse = new int[order.length];
    for (int i = 0; i < order.length; i++) {
      inverse[order[i]] = i;
    }
    return new Bound(
        order,
        inverse,
        new ChunkRepresentation(decoded.type(), decoded.shape().permute(order), decoded.fill()));
  }

  // Two bound codecs are never compared.
  @SuppressWarnings("ArrayRecordComponent")
  private record Bound(int[] order, int[] inverse, ChunkRepresentation encoded)
      implements ArrayArrayCodec.Bound {

    @Override
    public boolean isPartial() {
      return true;
    }

    @Override
    public boolean keepsValues() {
      return true;
    }

    @Override
    public Hyperslab toStored(Hyperslab within) {
      return within.permute(order);
    }

    @Override
    public Elements decode(Elements stored) {
      return permute(stored, inverse);
    }

    @Override
    public Elements encode(Elements chunk) {
      return permute(chunk, order);
    }
  }

  /** A packed copy whose dimension {@code i} is dimension {@code order[i]} of {@code array}. */
  static Elements permute(Elements array, int[] order) {
    Shape shape = array.shape().permute(order);
    if (isIdentity(order)) {
      return array;
    }
    long[] strides = StridedGather.strides(array.shape());
    long[] steps = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      steps[i] = strides[order[i]];
    }
    if (array instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) array;
      byte[] bytes = new byte[Math.toIntExact(fixed.byteSize())];
      if (bytes.length > 0) {
        new StridedGather(fixed, steps, shape).run(bytes);
      }
      return new FixedWidthElements(fixed.type(), shape, bytes, 0);
    }
    return permuteVariable((VariableWidthElements) array, shape, steps);
  }

  private static Elements permuteVariable(VariableWidthElements array, Shape shape, long[] steps) {
    int[] from = array.offsets();
    int count = array.count();
    int[] offsets = new int[count + 1];
    byte[] bytes = new byte[from[count] - from[0]];
    long[] at = new long[shape.rank()];
    for (int i = 0; i < count; i++) {
      int source = 0;
      for (int d = 0; d < at.length; d++) {
        source += (int) (at[d] * steps[d]);
      }
      int length = from[source + 1] - from[source];
      System.arraycopy(array.bytes(), from[source], bytes, offsets[i], length);
      offsets[i + 1] = offsets[i] + length;
      for (int d = at.length - 1; d >= 0 && ++at[d] == shape.length(d); d--) {
        at[d] = 0;
      }
    }
    return new VariableWidthElements(array.type(), shape, offsets, bytes);
  }

  private static boolean isIdentity(int[] order) {
    for (int i = 0; i < order.length; i++) {
      if (order[i] != i) {
        return false;
      }
    }
    return true;
  }
}
