package io.arraymorph.layout.codec;

import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Deflate in a gzip or zlib wrapper (Zarr v3 codec {@code gzip}, numcodecs {@code gzip} and {@code
 * zlib}). Checksums are verified; several gzip members are read as one.
 *
 * @param wrapper what surrounds the deflate data
 * @param level compression level 0 to 9, or -1 for zlib's default
 */
public record DeflateCodec(Wrapper wrapper, int level) implements BytesBytesCodec {

  /** What zlib's documentation gives as the limit of deflate, rounded up. */
  private static final long MAX_RATIO = 1033;

  /** What surrounds deflate data. */
  public enum Wrapper {
    /** RFC 1952. */
    GZIP,
    /** RFC 1950. */
    ZLIB
  }

  /** Throws METADATA_INVALID for a level that zlib does not have. */
  public DeflateCodec {
    if (level < -1 || level > 9) {
      throw CodecConfigurationException.invalid("gzip level " + level + " is not 0 to 9");
    }
  }

  @Override
  public String name() {
    return wrapper == Wrapper.GZIP ? "gzip" : "zlib";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.compressed();
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    decoded.checkReachable("deflate data", encoded.length(), MAX_RATIO);
    BoundedOutput output = new BoundedOutput(decoded, encoded.length());
    if (wrapper == Wrapper.ZLIB) {
      int end = output.inflate(encoded, 0, false);
      if (end != encoded.length()) {
        throw new CodecException((encoded.length() - end) + " bytes follow the zlib stream");
      }
      return output.result("the zlib content");
    }
    int at = 0;
    do {
      at = decodeMember(encoded, at, output);
    } while (at < encoded.length());
    return output.result("the gzip content");
  }

  private static int decodeMember(ByteSpan encoded, int at, BoundedOutput output) {
    int before = output.length();
    int end = output.inflate(encoded, GzipHeader.skip(encoded, at), true);
    CRC32 crc = new CRC32();
    crc.update(output.array(), before, output.length() - before);
    if (encoded.intAt(end) != (int) crc.getValue()) {
      throw new CodecException("gzip CRC does not match the content");
    }
    if (encoded.intAt(end + 4) != output.length() - before) {
      throw new CodecException("gzip trailer tells another size than the content has");
    }
    return end + 8;
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    int header = wrapper == Wrapper.GZIP ? GzipHeader.PLAIN.length : 0;
    int trailer = wrapper == Wrapper.GZIP ? 8 : 0;
    long bound = bytes.length() + bytes.length() / 1000L + 64L + header + trailer;
    byte[] target = new byte[Math.toIntExact(bound)];
    System.arraycopy(GzipHeader.PLAIN, 0, target, 0, header);
    Deflater deflater = new Deflater(level, wrapper == Wrapper.GZIP);
    try {
      deflater.setInput(bytes.array(), bytes.offset(), bytes.length());
      deflater.finish();
      int length = header;
      while (!deflater.finished()) {
        if (length + trailer >= target.length) {
          target = java.util.Arrays.copyOf(target, target.length * 2);
        }
        length += deflater.deflate(target, length, target.length - length - trailer);
      }
      if (wrapper == Wrapper.GZIP) {
        CRC32 crc = new CRC32();
        crc.update(bytes.array(), bytes.offset(), bytes.length());
        LittleEndian.INT.set(target, length, (int) crc.getValue());
        LittleEndian.INT.set(target, length + 4, bytes.length());
      }
      return ByteSpan.of(target).slice(0, length + trailer);
    } finally {
      deflater.end();
    }
  }
}
