package io.arraymorph.layout.codec;

/** The header of a gzip member (RFC 1952 section 2.3). */
final class GzipHeader {
  /** The header that is written: deflate, no name, no time, unknown system. */
  static final byte[] PLAIN = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

  private static final int HAS_CRC = 2;
  private static final int HAS_EXTRA = 4;
  private static final int HAS_NAME = 8;
  private static final int HAS_COMMENT = 16;
  private static final int RESERVED = 0xe0;

  private GzipHeader() {}

  /** The position after the header that starts at {@code at}. */
  static int skip(ByteSpan bytes, int at) {
    if (bytes.length() - at < 18) {
      throw new CodecException("gzip member of " + (bytes.length() - at) + " bytes is cut");
    }
    if (byteAt(bytes, at) != 0x1f || byteAt(bytes, at + 1) != 0x8b || byteAt(bytes, at + 2) != 8) {
      throw new CodecException("no gzip member at byte " + at);
    }
    int flags = byteAt(bytes, at + 3);
    if ((flags & RESERVED) != 0) {
      throw new CodecException("gzip header with unknown flags " + flags);
    }
    int end = at + 10;
    if ((flags & HAS_EXTRA) != 0) {
      end += 2 + (byteAt(bytes, end) | byteAt(bytes, end + 1) << 8);
    }
    if ((flags & HAS_NAME) != 0) {
      end = skipText(bytes, end);
    }
    if ((flags & HAS_COMMENT) != 0) {
      end = skipText(bytes, end);
    }
    return (flags & HAS_CRC) != 0 ? end + 2 : end;
  }

  private static int skipText(ByteSpan bytes, int at) {
    int end = at;
    while (byteAt(bytes, end) != 0) {
      end++;
    }
    return end + 1;
  }

  private static int byteAt(ByteSpan bytes, int at) {
    if (at >= bytes.length()) {
      throw new CodecException("gzip header is cut");
    }
    return bytes.array()[bytes.offset() + at] & 0xff;
  }
}
