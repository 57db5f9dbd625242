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
    return unshuffle(encoded, decoded, new byte[encoded.length()]);
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded, Scratch scratch) {
    return unshuffle(encoded, decoded, scratch.take(encoded.length()));
  }

  private ByteSpan unshuffle(ByteSpan encoded, SizeRange decoded, byte[] target) {
    int length = encoded.length();
    decoded.check("the shuffled data", length);
    ByteShuffle.unshuffle(encoded.array(), encoded.offset(), length, target, 0, elementSize);
    return ByteSpan.of(target).slice(0, length);
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    byte[] target = new byte[bytes.length()];
    ByteShuffle.shuffle(bytes, target, elementSize);
    return ByteSpan.of(target);
  }
}
