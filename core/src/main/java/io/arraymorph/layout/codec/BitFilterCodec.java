package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.util.Optional;

/**
 * Booleans as bits, most significant first, after a byte with the number of unused bits (numcodecs
 * {@code packbits}). The encoded side is an array of bytes.
 */
public record BitFilterCodec() implements ArrayArrayCodec {
  private static final DataType UINT8 = new DataType.Int(8, false);

  @Override
  public String name() {
    return "numcodecs.packbits";
  }

  @Override
  public DataType encodedType(DataType type) {
    return UINT8;
  }

  @Override
  public ArrayArrayCodec.Bound bind(ChunkRepresentation chunk) {
    if (!(chunk.type() instanceof DataType.Bool)) {
      throw CodecConfigurationException.invalid(
          "codec 'packbits' is for bool, the elements are '" + chunk.type().zarrName() + "'");
    }
    long bytes = 1 + (chunk.boundedCount(1) + 7L) / 8;
    return new Bound(
        this, chunk, new ChunkRepresentation(UINT8, Shape.of(bytes), Optional.empty()));
  }

  private record Bound(BitFilterCodec codec, ChunkRepresentation chunk, ChunkRepresentation encoded)
      implements ArrayArrayCodec.ReadOnlyBound {

    @Override
    public Elements decode(Elements stored) {
      FixedWidthElements bits = (FixedWidthElements) stored;
      byte[] bytes = new byte[(int) chunk.elementCount()];
      int unused = (int) (8 * (bits.byteSize() - 1) - bytes.length);
      if (bits.bytes()[bits.offset()] != unused) {
        throw new CodecException(
            "packbits tells " + bits.bytes()[bits.offset()] + " unused bits, expected " + unused);
      }
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (bits.bytes()[bits.offset() + 1 + i / 8] >> (7 - i % 8) & 1);
      }
      return new FixedWidthElements(chunk.type(), chunk.shape(), bytes, 0);
    }
  }
}
