package io.arraymorph.layout.codec;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.snappy.SnappyDecompressor;

/**
 * Decodes the Blosc 1 container (header of 16 bytes, block offsets, blocks of one or {@code
 * typesize} splits), as c-blosc 1.21 does.
 */
final class BloscDecoder {
  private static final int MAX_SPLITS = 16;
  private static final int MIN_SPLIT_ELEMENTS = 128;

  private final ByteSpan encoded;
  private final int flags;
  private final int typeSize;
  private final int total;
  private final int blockBytes;

  private BloscDecoder(ByteSpan encoded) {
    this.encoded = encoded;
    this.flags = encoded.array()[encoded.offset() + 2] & 0xff;
    this.typeSize = encoded.array()[encoded.offset() + 3] & 0xff;
    this.total = encoded.intAt(4);
    this.blockBytes = encoded.intAt(8);
  }

  static ByteSpan decode(ByteSpan encoded, SizeRange decoded, Scratch scratch) {
    if (encoded.length() < BloscCodec.HEADER_BYTES) {
      throw new CodecException("blosc chunk of " + encoded.length() + " bytes has no header");
    }
    return new BloscDecoder(encoded).decode(decoded, scratch);
  }

  private ByteSpan decode(SizeRange decoded, Scratch memory) {
    int version = encoded.array()[encoded.offset()];
    if (version < 1 || version > 2) {
      throw new CodecException("blosc format version " + version + " is unknown");
    }
    decoded.check("the blosc content", total);
    if (encoded.intAt(12) != encoded.length()) {
      throw new CodecException(
          "blosc header tells " + encoded.intAt(12) + " bytes, there are " + encoded.length());
    }
    if (total > 0 && (blockBytes < 1 || blockBytes > total || typeSize < 1)) {
      throw new CodecException(
          "blosc header with blocks of " + blockBytes + " bytes, elements of " + typeSize);
    }
    if ((flags & BloscCodec.FLAG_MEMCPYED) != 0) {
      SizeRange.exactly(total).check("stored blosc data", encoded.length() - 16L);
      return encoded.slice(BloscCodec.HEADER_BYTES, encoded.length());
    }
    if (total == 0) {
      return ByteSpan.of(new byte[0]);
    }
    SizeRange.exactly(total).checkReachable("blosc data", encoded.length(), ZstdCodec.MAX_RATIO);
    byte[] target = memory.take(total);
    byte[] scratch = isShuffled() ? new byte[blockBytes] : null;
    int blocks = (int) (((long) total + blockBytes - 1) / blockBytes);
    for (int b = 0; b < blocks; b++) {
      int offset = b * blockBytes;
      decodeBlock(b, target, offset, Math.min(blockBytes, total - offset), scratch);
    }
    return ByteSpan.of(target).slice(0, total);
  }

  private boolean isShuffled() {
    return (flags & (BloscCodec.FLAG_SHUFFLE | BloscCodec.FLAG_BITSHUFFLE)) != 0;
  }

  private void decodeBlock(int block, byte[] target, int offset, int length, byte[] scratch) {
    boolean byteShuffled = (flags & BloscCodec.FLAG_SHUFFLE) != 0 && typeSize > 1;
    boolean bitShuffled =
        !byteShuffled && (flags & BloscCodec.FLAG_BITSHUFFLE) != 0 && length >= typeSize;
    boolean direct = !byteShuffled && !bitShuffled;
    byte[] plain = direct ? target : scratch;
    int plainOffset = direct ? offset : 0;

    boolean split =
        (flags & BloscCodec.FLAG_DONT_SPLIT) == 0
            && length == blockBytes
            && typeSize <= MAX_SPLITS
            && blockBytes / typeSize >= MIN_SPLIT_ELEMENTS;
    int splits = split ? typeSize : 1;
    int splitLength = length / splits;
    if (splitLength * splits != length) {
      throw new CodecException("blosc block of " + length + " bytes in " + splits + " splits");
    }
    int at = encoded.intAt(BloscCodec.HEADER_BYTES + 4 * block);
    for (int s = 0; s < splits; s++) {
      int packed = encoded.intAt(at);
      at += 4;
      if (packed < 1 || packed > encoded.length() - at) {
        throw new CodecException("blosc block " + block + " of " + packed + " bytes at " + at);
      }
      ByteSpan source = encoded.slice(at, at + packed);
      int to = plainOffset + s * splitLength;
      if (packed == splitLength) {
        System.arraycopy(source.array(), source.offset(), plain, to, packed);
      } else {
        decompress(source, plain, to, splitLength);
      }
      at += packed;
    }
    if (byteShuffled) {
      ByteShuffle.unshuffle(scratch, length, target, offset, typeSize);
    } else if (bitShuffled) {
      BitShuffle.unshuffle(scratch, length, target, offset, typeSize);
    }
  }

  private void decompress(ByteSpan source, byte[] target, int offset, int length) {
    int written;
    switch (flags >> 5) {
      case 0:
        written = BloscLz.decompress(source, target, offset, length);
        break;
      case 1:
        Lz4Codec.decompress(source, target, offset, length);
        written = length;
        break;
      case 2:
        written = snappy(source, target, offset, length);
        break;
      case 3:
        written = zlib(source, target, offset, length);
        break;
      case 4:
        written = ZstdCodec.decompressExactly(source, target, offset, length);
        break;
      default:
        throw new CodecException("blosc compressor number " + (flags >> 5) + " is unknown");
    }
    if (written != length) {
      throw new CodecException("blosc split holds " + written + " bytes, expected " + length);
    }
  }

  private static int snappy(ByteSpan source, byte[] target, int offset, int length) {
    try {
      return new SnappyDecompressor()
          .decompress(source.array(), source.offset(), source.length(), target, offset, length);
    } catch (MalformedInputException | IllegalArgumentException e) {
      throw new CodecException("snappy: " + e.getMessage(), e);
    }
  }

  private static int zlib(ByteSpan source, byte[] target, int offset, int length) {
    BoundedOutput output = new BoundedOutput(SizeRange.exactly(length), source.length());
    output.inflate(source, 0, false);
    System.arraycopy(output.array(), 0, target, offset, output.length());
    return output.length();
  }
}
