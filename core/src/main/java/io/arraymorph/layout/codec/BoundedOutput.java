package io.arraymorph.layout.codec;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** Where a stream decoder writes: grows as needed, never beyond the largest size allowed. */
final class BoundedOutput {
  private static final long FIRST_BYTES = 1024;

  /** More than this is taken only once that much was decoded. */
  private static final long FIRST_RATIO = 1033;

  private final SizeRange range;
  private byte[] bytes;
  private int length;

  /**
   * @param range the sizes that the result may have
   * @param encodedLength bounds the first allocation
   */
  BoundedOutput(SizeRange range, int encodedLength) {
    this.range = range;
    long first = FIRST_BYTES + (range.isExact() ? FIRST_RATIO : 4) * encodedLength;
    this.bytes = new byte[(int) Math.min(range.max(), first)];
  }

  byte[] array() {
    return bytes;
  }

  int length() {
    return length;
  }

  /** What was written, after a check of its size. */
  ByteSpan result(String what) {
    range.check(what, length);
    return ByteSpan.of(bytes).slice(0, length);
  }

  private void ensureRoom() {
    if (length == bytes.length && length < range.max()) {
      bytes = Arrays.copyOf(bytes, (int) Math.min(range.max(), Math.max(1024L, 2L * length)));
    }
  }

  private CodecException tooLong() {
    return new CodecException("decodes to more than the expected " + range.max() + " bytes");
  }

  /**
   * Appends what a deflate stream holds.
   *
   * @param from where in {@code encoded} the stream starts
   * @param raw true for deflate without a wrapper, false for zlib
   * @return the position after the stream
   */
  int inflate(ByteSpan encoded, int from, boolean raw) {
    if (from > encoded.length()) {
      throw new CodecException("deflate stream is cut");
    }
    Inflater inflater = new Inflater(raw);
    try {
      inflater.setInput(encoded.array(), encoded.offset() + from, encoded.length() - from);
      byte[] probe = new byte[1];
      while (!inflater.finished()) {
        ensureRoom();
        boolean full = length == bytes.length;
        int written =
            full ? inflater.inflate(probe) : inflater.inflate(bytes, length, bytes.length - length);
        if (full && written > 0) {
          throw tooLong();
        }
        length += written;
        if (written == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
          if (!inflater.finished()) {
            throw new CodecException("deflate stream is cut or needs a dictionary");
          }
        }
      }
      return encoded.length() - inflater.getRemaining();
    } catch (DataFormatException e) {
      throw new CodecException("deflate: " + e.getMessage(), e);
    } finally {
      inflater.end();
    }
  }

  /** Appends all that a decoding stream yields. */
  void readAll(InputStream stream) throws IOException {
    while (true) {
      ensureRoom();
      if (length == bytes.length) {
        if (stream.read() >= 0) {
          throw tooLong();
        }
        return;
      }
      int read = stream.read(bytes, length, bytes.length - length);
      if (read < 0) {
        return;
      }
      length += read;
    }
  }
}
