package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import java.util.Optional;

/**
 * The first element and then differences of neighbours in C order (numcodecs {@code delta}).
 *
 * @param decoded the type of the elements
 * @param encoded the type of the differences
 */
public record DeltaCodec(DataType decoded, DataType encoded) implements ArrayArrayCodec {

  /** Throws UNSUPPORTED_CODEC unless both are integers, or floats of 4 or 8 bytes. */
  public DeltaCodec {
    Numbers from = Numbers.of(encoded, "delta");
    Numbers to = Numbers.of(decoded, "delta");
    boolean floats = !from.isInteger() && !to.isInteger() && to.width() >= 4;
    if (!floats && !(from.isInteger() && to.isInteger())) {
      throw CodecConfigurationException.unsupported(
          "codec 'delta' from " + decoded.zarrName() + " to " + encoded.zarrName());
    }
  }

  @Override
  public String name() {
    return "delta";
  }

  @Override
  public DataType encodedType(DataType type) {
    return encoded;
  }

  @Override
  public ArrayArrayCodec.Bound bind(ChunkRepresentation chunk) {
    if (!chunk.type().equals(decoded)) {
      throw CodecConfigurationException.invalid(
          "codec 'delta' is for '"
              + decoded.zarrName()
              + "', the elements are '"
              + chunk.type().zarrName()
              + "'");
    }
    chunk.boundedCount(Math.max(decoded.byteWidth(), encoded.byteWidth()));
    return new Bound(this, new ChunkRepresentation(encoded, chunk.shape(), Optional.empty()));
  }

  private record Bound(DeltaCodec codec, ChunkRepresentation encoded)
      implements ArrayArrayCodec.ReadOnlyBound {

    @Override
    public Elements decode(Elements stored) {
      FixedWidthElements from = (FixedWidthElements) stored;
      Numbers source = Numbers.of(codec.encoded(), "delta");
      Numbers target = Numbers.of(codec.decoded(), "delta");
      byte[] to = new byte[from.count() * target.width()];
      long sum = 0;
      double floatSum = 0;
      for (int i = 0; i < from.count(); i++) {
        int at = from.offset() + i * source.width();
        if (target.isInteger()) {
          sum += source.getLong(from.bytes(), at);
          target.putLong(to, i * target.width(), sum);
        } else {
          double next = source.getDouble(from.bytes(), at);
          // Nothing is added to the first, so that -0.0 stays.
          floatSum = i == 0 ? next : floatSum + next;
          floatSum = target.isSingle() ? (float) floatSum : floatSum;
          target.putDouble(to, i * target.width(), floatSum);
        }
      }
      return new FixedWidthElements(codec.decoded(), from.shape(), to, 0);
    }
  }
}
