package io.arraymorph.layout.codec;

import io.airlift.compress.MalformedInputException;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;

/** One LZ4 block after its decoded size in four bytes (numcodecs {@code lz4}). */
public record Lz4Codec() implements BytesBytesCodec {

  @Override
  public String name() {
    return "lz4";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.compressed();
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    int size = encoded.intAt(0);
    decoded.check("the lz4 content", size);
    SizeRange.exactly(size).checkReachable("lz4 data", encoded.length(), 256);
    byte[] target = new byte[size];
    decompress(encoded.slice(4, encoded.length()), target, 0, size);
    return ByteSpan.of(target);
  }

  /** Decodes a block that fills exactly {@code length} bytes of an array. */
  static void decompress(ByteSpan block, byte[] target, int offset, int length) {
    int written;
    try {
      written =
          new Lz4Decompressor()
              .decompress(block.array(), block.offset(), block.length(), target, offset, length);
    } catch (MalformedInputException | IllegalArgumentException e) {
      throw new CodecException("lz4: " + e.getMessage(), e);
    }
    if (written != length) {
      throw new CodecException("lz4 block holds " + written + " bytes, expected " + length);
    }
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    Lz4Compressor compressor = new Lz4Compressor();
    byte[] target = new byte[4 + compressor.maxCompressedLength(bytes.length())];
    LittleEndian.INT.set(target, 0, bytes.length());
    int length =
        compressor.compress(
            bytes.array(), bytes.offset(), bytes.length(), target, 4, target.length - 4);
    return ByteSpan.of(target).slice(0, 4 + length);
  }
}
