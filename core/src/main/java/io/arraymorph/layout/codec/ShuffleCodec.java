package io.arraymorph.layout.codec;

/**
 * The byte shuffle as a codec of its own (numcodecs {@code shuffle}).
 *
 * @param elementSize bytes of one element
 */
public record ShuffleCodec(int elementSize) implements BytesBytesCodec {

  @Override
  public String name() {
    return "shuffle";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded;
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    decoded.check("the shuffled data", encoded.length());
    byte[] target = new byte[encoded.length()];
    ByteShuffle.unshuffle(
        encoded.array(), encoded.offset(), encoded.length(), target, 0, elementSize);
    return ByteSpan.of(target);
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    byte[] target = new byte[bytes.length()];
    ByteShuffle.shuffle(bytes, target, elementSize);
    return ByteSpan.of(target);
  }
}
