package io.arraymorph.layout.codec;

import com.github.luben.zstd.Zstd;
import io.airlift.compress.lz4.Lz4Compressor;
import java.util.zip.Deflater;

/**
 * The Blosc 1 container: blocks that are shuffled and compressed each on its own.
 *
 * <p>Reading follows the container's header alone, whatever the metadata say. Writing knows lz4
 * (also for lz4hc, the same format), zlib and zstd, without bit shuffle.
 *
 * @param compressor the compressor inside, as metadata name it
 * @param level 0 (store) to 9
 * @param shuffle what precedes compression
 * @param typeSize bytes of one element
 * @param blockSize bytes of one block; 0 chooses
 */
public record BloscCodec(
    Compressor compressor, int level, Shuffle shuffle, int typeSize, int blockSize)
    implements BytesBytesCodec {

  static final int HEADER_BYTES = 16;
  static final int FLAG_SHUFFLE = 1;
  static final int FLAG_MEMCPYED = 2;
  static final int FLAG_BITSHUFFLE = 4;
  static final int FLAG_DONT_SPLIT = 16;
  private static final int FORMAT_VERSION = 2;
  private static final int CHOSEN_BLOCK_BYTES = 1 << 17;

  /** The compressors that Blosc names, with their number in the header. */
  public enum Compressor {
    BLOSCLZ(0),
    LZ4(1),
    LZ4HC(1),
    SNAPPY(2),
    ZLIB(3),
    ZSTD(4);

    final int format;

    Compressor(int format) {
      this.format = format;
    }
  }

  /** How the bytes of elements are reordered before compression. */
  public enum Shuffle {
    NONE,
    BYTE,
    BIT
  }

  /** Throws METADATA_INVALID for parameters that Blosc does not have. */
  public BloscCodec {
    if (level < 0 || level > 9 || typeSize < 1 || blockSize < 0) {
      throw CodecConfigurationException.invalid(
          "blosc clevel " + level + ", typesize " + typeSize + ", blocksize " + blockSize);
    }
  }

  @Override
  public String name() {
    return "blosc";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.compressed();
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    return BloscDecoder.decode(encoded, decoded, new Scratch());
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded, Scratch scratch) {
    return BloscDecoder.decode(encoded, decoded, scratch);
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    boolean writable =
        shuffle != Shuffle.BIT
            && compressor != Compressor.BLOSCLZ
            && compressor != Compressor.SNAPPY;
    if (!writable) {
      throw CodecConfigurationException.unsupported(
          "blosc with " + compressor + " and shuffle " + shuffle + " can only be read");
    }
    int size = typeSize > 255 ? 1 : typeSize;
    byte[] target = new byte[Math.addExact(bytes.length(), HEADER_BYTES)];
    int length = level == 0 ? -1 : compressBlocks(bytes, size, target);
    int flags = compressor.format << 5 | FLAG_DONT_SPLIT;
    if (shuffle == Shuffle.BYTE) {
      flags |= FLAG_SHUFFLE;
    }
    if (length < 0) {
      flags |= FLAG_MEMCPYED;
      System.arraycopy(bytes.array(), bytes.offset(), target, HEADER_BYTES, bytes.length());
      length = target.length;
    }
    target[0] = FORMAT_VERSION;
    target[1] = 1;
    target[2] = (byte) flags;
    target[3] = (byte) size;
    LittleEndian.INT.set(target, 4, bytes.length());
    LittleEndian.INT.set(target, 8, blockBytes(bytes.length(), size));
    LittleEndian.INT.set(target, 12, length);
    return ByteSpan.of(target).slice(0, length);
  }

  private int blockBytes(int total, int size) {
    int wanted = Math.min(Math.max(1, total), blockSize == 0 ? CHOSEN_BLOCK_BYTES : blockSize);
    return Math.min(Math.max(1, total), Math.max(size, wanted / size * size));
  }

  /** The length of the container, or -1 if it would not be smaller than the bytes stored. */
  private int compressBlocks(ByteSpan bytes, int size, byte[] target) {
    int block = blockBytes(bytes.length(), size);
    int blocks = (int) (((long) bytes.length() + block - 1) / block);
    long at = HEADER_BYTES + 4L * blocks;
    byte[] shuffled = new byte[Math.min(block, bytes.length())];
    for (int b = 0; b < blocks; b++) {
      int from = b * block;
      int length = Math.min(block, bytes.length() - from);
      ByteSpan plain = bytes.slice(from, from + length);
      if (shuffle == Shuffle.BYTE && size > 1) {
        ByteShuffle.shuffle(plain, shuffled, size);
        plain = ByteSpan.of(shuffled).slice(0, length);
      }
      byte[] packed = compress(plain);
      boolean smaller = packed.length < length;
      int stored = smaller ? packed.length : length;
      if (at + 4 + stored > target.length) {
        return -1;
      }
      LittleEndian.INT.set(target, HEADER_BYTES + 4 * b, (int) at);
      LittleEndian.INT.set(target, (int) at, stored);
      System.arraycopy(
          smaller ? packed : plain.array(),
          smaller ? 0 : plain.offset(),
          target,
          (int) at + 4,
          stored);
      at += 4L + stored;
    }
    return (int) at;
  }

  private byte[] compress(ByteSpan plain) {
    switch (compressor) {
      case ZSTD:
        int zstdLevel = level < 9 ? level * 2 - 1 : Zstd.maxCompressionLevel();
        return new ZstdCodec(zstdLevel, false).encode(plain).toArray();
      case ZLIB:
        return new DeflateCodec(DeflateCodec.Wrapper.ZLIB, Math.max(level, Deflater.BEST_SPEED))
            .encode(plain)
            .toArray();
      default:
        Lz4Compressor lz4 = new Lz4Compressor();
        byte[] packed = new byte[lz4.maxCompressedLength(plain.length())];
        int length =
            lz4.compress(plain.array(), plain.offset(), plain.length(), packed, 0, packed.length);
        return java.util.Arrays.copyOf(packed, length);
    }
  }
}
