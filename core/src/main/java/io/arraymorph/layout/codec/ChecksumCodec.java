package io.arraymorph.layout.codec;

import java.util.Arrays;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * Four bytes of checksum before or after the data (Zarr v3 codec {@code crc32c}; numcodecs {@code
 * crc32}, {@code adler32}, {@code fletcher32}).
 *
 * @param name the name in metadata
 * @param algorithm what is computed
 * @param atStart true if the checksum precedes the data
 */
public record ChecksumCodec(String name, Algorithm algorithm, boolean atStart)
    implements BytesBytesCodec {

  /** The Castagnoli checksum of Zarr v3, after the data. */
  public static final ChecksumCodec CRC32C = new ChecksumCodec("crc32c", Algorithm.CRC32C, false);

  /** How a checksum is computed. */
  public enum Algorithm {
    CRC32C,
    CRC32,
    ADLER32,
    /** As HDF5 computes it. */
    FLETCHER32;

    private int of(byte[] bytes, int offset, int length) {
      if (this == FLETCHER32) {
        return Fletcher32.of(bytes, offset, length);
      }
      Checksum sum = this == CRC32C ? new CRC32C() : this == CRC32 ? new CRC32() : new Adler32();
      sum.update(bytes, offset, length);
      return (int) sum.getValue();
    }
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.plus(4);
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    if (encoded.length() < 4) {
      throw new CodecException(name + ": " + encoded.length() + " bytes hold no checksum");
    }
    int start = atStart ? 4 : 0;
    ByteSpan data = encoded.slice(start, start + encoded.length() - 4);
    int stored = encoded.intAt(atStart ? 0 : encoded.length() - 4);
    int computed = algorithm.of(data.array(), data.offset(), data.length());
    if (stored != computed) {
      throw new CodecException(
          String.format("%s mismatch (stored %08x, computed %08x)", name, stored, computed));
    }
    return data;
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    byte[] target = new byte[bytes.length() + 4];
    System.arraycopy(bytes.array(), bytes.offset(), target, atStart ? 4 : 0, bytes.length());
    int sum = algorithm.of(bytes.array(), bytes.offset(), bytes.length());
    LittleEndian.INT.set(target, atStart ? 0 : bytes.length(), sum);
    return ByteSpan.of(target);
  }

  /** HDF5's Fletcher checksum over big-endian 16-bit words, as numcodecs computes it. */
  private static final class Fletcher32 {
    static int of(byte[] bytes, int offset, int length) {
      int sum1 = 0;
      int sum2 = 0;
      int at = offset;
      int words = length / 2;
      while (words > 0) {
        int block = Math.min(words, 360);
        words -= block;
        for (int i = 0; i < block; i++, at += 2) {
          sum1 += ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
          sum2 += sum1;
        }
        sum1 = (sum1 & 0xffff) + (sum1 >>> 16);
        sum2 = (sum2 & 0xffff) + (sum2 >>> 16);
      }
      if (length % 2 != 0) {
        sum1 += (bytes[at] & 0xff) << 8;
        sum2 += sum1;
        sum1 = (sum1 & 0xffff) + (sum1 >>> 16);
        sum2 = (sum2 & 0xffff) + (sum2 >>> 16);
      }
      sum1 = (sum1 & 0xffff) + (sum1 >>> 16);
      sum2 = (sum2 & 0xffff) + (sum2 >>> 16);
      return (sum2 << 16) | sum1;
    }
  }

  /** Names the codec in messages. */
  @Override
  public String toString() {
    return name + Arrays.asList(algorithm, atStart);
  }
}
