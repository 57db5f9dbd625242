package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import java.util.Optional;

/**
 * A codec that changes every element on its own: casts, scales, offsets.
 *
 * @param name the name in metadata
 * @param decoded the type of the elements on the decoded side
 * @param encoded the type of the elements on the encoded side
 * @param mapping what happens to an element
 */
public record ElementwiseCodec(
    String name, DataType decoded, DataType encoded, ElementMapping mapping)
    implements ArrayArrayCodec {

  @Override
  public DataType encodedType(DataType type) {
    return encoded;
  }

  @Override
  public ArrayArrayCodec.Bound bind(ChunkRepresentation chunk) {
    if (!chunk.type().equals(decoded)) {
      throw CodecConfigurationException.invalid(
          "codec '"
              + name
              + "' is for '"
              + decoded.zarrName()
              + "', the elements are '"
              + chunk.type().zarrName()
              + "'");
    }
    chunk.boundedCount(Math.max(decoded.byteWidth(), encoded.byteWidth()));
    return new Bound(
        this, new ChunkRepresentation(encoded, chunk.shape(), encodedFill(chunk.fill())));
  }

  /** A fill value that cannot be encoded has no meaning on the encoded side. */
  private Optional<Elements> encodedFill(Optional<Elements> fill) {
    try {
      return fill.map(this::encode);
    } catch (CodecException e) {
      return Optional.empty();
    }
  }

  private Elements encode(Elements chunk) {
    FixedWidthElements from = (FixedWidthElements) chunk;
    byte[] to = new byte[from.count() * encoded.byteWidth()];
    mapping.encode(from.bytes(), from.offset(), to, from.count());
    return new FixedWidthElements(encoded, from.shape(), to, 0);
  }

  private record Bound(ElementwiseCodec codec, ChunkRepresentation encoded)
      implements ArrayArrayCodec.Bound {

    @Override
    public boolean isPartial() {
      return true;
    }

    @Override
    public boolean keepsValues() {
      return false;
    }

    @Override
    public Hyperslab toStored(Hyperslab within) {
      return within;
    }

    @Override
    public Elements decode(Elements stored) {
      FixedWidthElements from = (FixedWidthElements) stored;
      byte[] to = new byte[from.count() * codec.decoded().byteWidth()];
      codec.mapping().decode(from.bytes(), from.offset(), to, from.count());
      return new FixedWidthElements(codec.decoded(), from.shape(), to, 0);
    }

    @Override
    public Elements encode(Elements chunk) {
      return codec.encode(chunk);
    }
  }
}
