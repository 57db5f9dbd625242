package io.arraymorph.layout.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;

/**
 * Zstandard frames (Zarr v3 codec {@code zstd}, numcodecs {@code zstd}). Any number of frames is
 * read; one is written.
 *
 * @param level compression level, -131072 to 22; 0 is zstd's default
 * @param checksum whether written frames carry a checksum
 */
public record ZstdCodec(int level, boolean checksum) implements BytesBytesCodec {

  /** A block of 128 KiB takes four bytes at least. */
  static final long MAX_RATIO = 1 << 15;

  /** Throws METADATA_INVALID for a level that zstd does not have. */
  public ZstdCodec {
    if (level < -131072 || level > 22) {
      throw CodecConfigurationException.invalid("zstd level " + level + " is not -131072 to 22");
    }
  }

  @Override
  public String name() {
    return "zstd";
  }

  @Override
  public SizeRange encodedSize(SizeRange decoded) {
    return decoded.compressed();
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded) {
    decoded.checkReachable("zstd data", encoded.length(), MAX_RATIO);
    if (decoded.isExact()) {
      byte[] target = new byte[(int) decoded.max()];
      int length = decompressExactly(encoded, target, 0, target.length);
      decoded.check("the zstd content", length);
      return ByteSpan.of(target);
    }
    return decodeBounded(encoded, decoded);
  }

  @Override
  public ByteSpan decode(ByteSpan encoded, SizeRange decoded, Scratch scratch) {
    if (!decoded.isExact()) {
      return decode(encoded, decoded);
    }
    decoded.checkReachable("zstd data", encoded.length(), MAX_RATIO);
    int size = (int) decoded.max();
    byte[] target = scratch.take(size);
    decoded.check("the zstd content", decompressExactly(encoded, target, 0, size));
    return ByteSpan.of(target).slice(0, size);
  }

  /** Trusts no size in the frames: tries buffers of growing size up to the bound. */
  private static ByteSpan decodeBounded(ByteSpan encoded, SizeRange decoded) {
    long most = Math.min(decoded.max(), encoded.length() * MAX_RATIO);
    long size = Math.min(most, Math.max(1024, 4L * encoded.length()));
    while (true) {
      byte[] target = new byte[(int) size];
      try {
        int length = decompress(encoded, target, 0, target.length);
        decoded.check("the zstd content", length);
        return ByteSpan.of(target).slice(0, length);
      } catch (TargetTooSmallException e) {
        if (size == most) {
          throw new CodecException("the zstd content exceeds " + size + " bytes", e);
        }
        size = Math.min(most, 4 * size);
      }
    }
  }

  private static final class TargetTooSmallException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TargetTooSmallException(Throwable cause) {
      super(cause);
    }
  }

  /** Decompresses into a part of an array; the number of bytes written. */
  static int decompressExactly(ByteSpan encoded, byte[] target, int offset, int length) {
    try {
      return decompress(encoded, target, offset, length);
    } catch (TargetTooSmallException e) {
      throw new CodecException("the zstd content exceeds " + length + " bytes", e);
    }
  }

  private static int decompress(ByteSpan encoded, byte[] target, int offset, int length) {
    try {
      return ZstdContexts.decompress(encoded, target, offset, length);
    } catch (ZstdException e) {
      if (e.getErrorCode() == Zstd.errDstSizeTooSmall()) {
        throw new TargetTooSmallException(e);
      }
      throw new CodecException("zstd: " + e.getMessage(), e);
    }
  }

  @Override
  public ByteSpan encode(ByteSpan bytes) {
    byte[] target = new byte[(int) Zstd.compressBound(bytes.length())];
    long result =
        Zstd.compressByteArray(
            target,
            0,
            target.length,
            bytes.array(),
            bytes.offset(),
            bytes.length(),
            level == 0 ? Zstd.defaultCompressionLevel() : level,
            checksum);
    if (Zstd.isError(result)) {
      throw new IllegalStateException("zstd: " + Zstd.getErrorName(result));
    }
    return ByteSpan.of(target).slice(0, (int) result);
  }
}
