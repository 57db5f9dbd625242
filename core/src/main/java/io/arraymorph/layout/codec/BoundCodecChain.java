package io.arraymorph.layout.codec;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A {@link CodecChain} bound to one chunk representation. */
final class BoundCodecChain implements CodecPipeline {
  private final ChunkRepresentation chunk;
  private final List<ArrayArrayCodec.Bound> arrayArray;
  private final ArrayBytesCodec.Bound arrayBytes;
  private final List<BytesBytesCodec> bytesBytes;

  /** Entry {@code i} is the size of what {@code bytesBytes[i]} encodes; one more for the end. */
  private final List<SizeRange> sizes;

  private final Addressing addressing;

  private BoundCodecChain(
      ChunkRepresentation chunk,
      List<ArrayArrayCodec.Bound> arrayArray,
      ArrayBytesCodec.Bound arrayBytes,
      List<BytesBytesCodec> bytesBytes,
      List<SizeRange> sizes) {
    this.chunk = chunk;
    this.arrayArray = arrayArray;
    this.arrayBytes = arrayBytes;
    this.bytesBytes = bytesBytes;
    this.sizes = sizes;
    this.addressing = combined(arrayArray, arrayBytes, bytesBytes);
  }

  /** Missing inner chunks are fill values, which nothing but a move may follow. */
  private static Addressing combined(
      List<ArrayArrayCodec.Bound> arrayArray,
      ArrayBytesCodec.Bound arrayBytes,
      List<BytesBytesCodec> bytesBytes) {
    boolean sharded = arrayBytes.addressing() instanceof Addressing.Sharded;
    boolean partial =
        bytesBytes.isEmpty()
            && arrayArray.stream().allMatch(c -> c.isPartial() && (!sharded || c.keepsValues()));
    return partial ? arrayBytes.addressing() : Addressing.WHOLE;
  }

  static BoundCodecChain of(CodecChain codecs, ChunkRepresentation chunk) {
    ChunkRepresentation representation = chunk;
    List<ArrayArrayCodec.Bound> arrayArray = new ArrayList<>();
    for (ArrayArrayCodec codec : codecs.arrayArray()) {
      ArrayArrayCodec.Bound bound = codec.bind(representation);
      arrayArray.add(bound);
      representation = bound.encoded();
    }
    ArrayBytesCodec.Bound arrayBytes = codecs.arrayBytes().bind(representation);
    List<SizeRange> sizes = new ArrayList<>();
    sizes.add(arrayBytes.encodedSize());
    for (BytesBytesCodec codec : codecs.bytesBytes()) {
      sizes.add(codec.encodedSize(sizes.get(sizes.size() - 1)));
    }
    return new BoundCodecChain(chunk, arrayArray, arrayBytes, codecs.bytesBytes(), sizes);
  }

  /** How long encoded chunks are. */
  SizeRange encodedSize() {
    return sizes.get(sizes.size() - 1);
  }

  @Override
  public Addressing addressing() {
    return addressing;
  }

  @Override
  public Hyperslab toStored(Hyperslab within) {
    Hyperslab stored = within;
    for (ArrayArrayCodec.Bound codec : arrayArray) {
      stored = codec.toStored(stored);
    }
    return stored;
  }

  @Override
  public Elements fromStored(Elements packed) {
    Elements elements = packed;
    for (int i = arrayArray.size() - 1; i >= 0; i--) {
      elements = arrayArray.get(i).decode(elements);
    }
    return elements;
  }

  @Override
  public Elements decode(ByteBuffer encoded) {
    ByteSpan span = ByteSpan.of(encoded);
    for (int i = bytesBytes.size() - 1; i >= 0; i--) {
      span = bytesBytes.get(i).decode(span, sizes.get(i));
    }
    sizes.get(0).check("the chunk", span.length());
    return fromStored(arrayBytes.decode(span));
  }

  @Override
  public Elements decode(ByteBuffer encoded, Scratch scratch) {
    if (!chunk.type().isFixedWidth()) {
      return decode(encoded);
    }
    ByteSpan span = ByteSpan.of(encoded);
    for (int i = bytesBytes.size() - 1; i >= 0; i--) {
      span = bytesBytes.get(i).decode(span, sizes.get(i), scratch);
    }
    sizes.get(0).check("the chunk", span.length());
    return fromStored(arrayBytes.decode(span));
  }

  @Override
  public boolean keepsPlaces() {
    return arrayArray.isEmpty();
  }

  @Override
  public byte[] encode(Elements elements) {
    if (!elements.shape().equals(chunk.shape()) || !elements.type().equals(chunk.type())) {
      throw new IllegalArgumentException(
          elements.shape() + " of " + elements.type() + " is no chunk of " + chunk);
    }
    try {
      return encodeChecked(elements);
    } catch (CodecConfigurationException e) {
      throw new ArrayMorphException(
          e.code(),
          "This array cannot be written: " + e.getMessage(),
          "Create it anew with a compression that can be written",
          e);
    }
  }

  private byte[] encodeChecked(Elements elements) {
    Elements stored = elements;
    for (ArrayArrayCodec.Bound codec : arrayArray) {
      stored = codec.encode(stored);
    }
    ByteSpan span = arrayBytes.encode(stored);
    for (BytesBytesCodec codec : bytesBytes) {
      span = codec.encode(span);
    }
    return span.toArray();
  }
}
