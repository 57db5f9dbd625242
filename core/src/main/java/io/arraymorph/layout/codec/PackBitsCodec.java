package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;

/**
 * Elements of one, two or four bits without gaps, least significant bits first (Zarr v3 codec
 * {@code packbits}).
 *
 * @param padding where the number of unused bits is kept
 */
public record PackBitsCodec(Padding padding) implements ArrayBytesCodec {

  /** Where the number of bits that fill the last byte is kept. */
  public enum Padding {
    NONE,
    FIRST_BYTE,
    LAST_BYTE
  }

  @Override
  public String name() {
    return "packbits";
  }

  @Override
  public ArrayBytesCodec.Bound bind(ChunkRepresentation decoded) {
    DataType type = decoded.type();
    int bits = type instanceof DataType.Bool ? 1 : 8;
    if (type instanceof DataType.Int) {
      bits = ((DataType.Int) type).bits();
    }
    if (bits > 4) {
      bits = 8;
    }
    if (type.byteWidth() != 1 || bits == 8) {
      throw CodecConfigurationException.unsupported(
          "codec 'packbits' for data type '" + type.zarrName() + "'");
    }
    decoded.boundedCount(1);
    return new Bound(decoded, padding, bits);
  }

  private record Bound(ChunkRepresentation chunk, Padding padding, int bits)
      implements ArrayBytesCodec.Bound {

    private int packedBytes() {
      return (int) ((chunk.elementCount() * bits + 7) / 8);
    }

    private int unusedBits() {
      return (int) (8L * packedBytes() - chunk.elementCount() * bits);
    }

    @Override
    public SizeRange encodedSize() {
      return SizeRange.exactly(packedBytes() + (padding == Padding.NONE ? 0 : 1));
    }

    @Override
    public Addressing addressing() {
      return Addressing.WHOLE;
    }

    @Override
    public Elements decode(ByteSpan encoded) {
      if (padding != Padding.NONE) {
        int at = padding == Padding.FIRST_BYTE ? 0 : encoded.length() - 1;
        int told = encoded.array()[encoded.offset() + at];
        if (told != unusedBits()) {
          throw new CodecException(
              "packbits tells " + told + " unused bits, expected " + unusedBits());
        }
      }
      int start = encoded.offset() + (padding == Padding.FIRST_BYTE ? 1 : 0);
      byte[] bytes = new byte[(int) chunk.elementCount()];
      int mask = (1 << bits) - 1;
      boolean signed =
          chunk.type() instanceof DataType.Int && ((DataType.Int) chunk.type()).signed();
      for (int i = 0; i < bytes.length; i++) {
        long bit = (long) i * bits;
        int value = encoded.array()[start + (int) (bit >> 3)] >> (bit & 7) & mask;
        bytes[i] = (byte) (signed ? value << (32 - bits) >> (32 - bits) : value);
      }
      return new FixedWidthElements(chunk.type(), chunk.shape(), bytes, 0);
    }

    @Override
    public ByteSpan encode(Elements elements) {
      FixedWidthElements values = (FixedWidthElements) elements;
      byte[] target = new byte[(int) encodedSize().max()];
      int start = padding == Padding.FIRST_BYTE ? 1 : 0;
      int mask = (1 << bits) - 1;
      for (int i = 0; i < values.count(); i++) {
        long bit = (long) i * bits;
        int value = (values.bytes()[values.offset() + i] & mask) << (bit & 7);
        target[start + (int) (bit >> 3)] |= (byte) value;
      }
      if (padding != Padding.NONE) {
        target[padding == Padding.FIRST_BYTE ? 0 : target.length - 1] = (byte) unusedBits();
      }
      return ByteSpan.of(target);
    }
  }
}
