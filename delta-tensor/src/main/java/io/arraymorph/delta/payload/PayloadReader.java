package io.arraymorph.delta.payload;

import io.arraymorph.delta.tensor.IntegerElements;
import java.util.zip.CRC32C;

/**
 * Reads one payload after checking its checksum.
 *
 * <p>Every method throws {@link PayloadException} where the bytes end too early. Not thread-safe.
 */
public final class PayloadReader {
  private final byte[] bytes;
  private int position;
  private final int end;

  private PayloadReader(byte[] bytes, int position, int end) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  /** A reader of a payload made by {@link PayloadWriter#finish()}; checks the CRC-32C. */
  public static PayloadReader of(byte[] payload) {
    return of(payload, 0, payload == null ? 0 : payload.length);
  }

  /** As above, of a payload that lies in a part of an array. */
  public static PayloadReader of(byte[] array, int from, int to) {
    if (to - from < 4) {
      throw new PayloadException("payload of fewer than 4 bytes");
    }
    int end = to - 4;
    CRC32C crc = new CRC32C();
    crc.update(array, from, end - from);
    int stored = (int) IntegerElements.read(array, end, 4, false);
    if (stored != (int) crc.getValue()) {
      throw new PayloadException(
          String.format("crc32c mismatch (stored %08x, computed %08x)", stored, crc.getValue()));
    }
    return new PayloadReader(array, from, end);
  }

  /** The number of bytes left before the checksum. */
  public int remaining() {
    return end - position;
  }

  /** The next byte, 0 to 255. */
  public int readByte() {
    need(1);
    return bytes[position++] & 0xFF;
  }

  /** The next byte, 0 to 255, without moving past it. */
  public int peekByte() {
    need(1);
    return bytes[position] & 0xFF;
  }

  /** The next unsigned LEB128 number. */
  public long readVarint() {
    if (position < end && bytes[position] >= 0) {
      return bytes[position++];
    }
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      need(1);
      byte next = bytes[position++];
      if (shift == 63 && next > 1) {
        break;
      }
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new PayloadException("varint of more than 64 bits");
  }

  /** Reads the next {@code count} unsigned LEB128 numbers into an array. */
  public void readVarints(long[] into, int count) {
    int i = 0;
    int at = position;
    // Three numbers of one or two bytes at a time, without a branch that depends on which: it would
    // be guessed wrong.
    for (int last = end - 8; i + 3 <= count && at <= last; i += 3) {
      long some = IntegerElements.read(bytes, at, 8, false);
      long two = some >>> 7 & 1;
      long length = two;
      long first = shortNumber(some, two);
      long long1 = some & (some >>> 8);
      some >>>= 8 + (two << 3);
      two = some >>> 7 & 1;
      length += two;
      long second = shortNumber(some, two);
      long long2 = some & (some >>> 8);
      some >>>= 8 + (two << 3);
      two = some >>> 7 & 1;
      length += two;
      long third = shortNumber(some, two);
      if (((long1 | long2 | (some & (some >>> 8))) & 0x80) != 0) {
        position = at;
        into[i] = readVarint();
        into[i + 1] = readVarint();
        into[i + 2] = readVarint();
        at = position;
        continue;
      }
      into[i] = first;
      into[i + 1] = second;
      into[i + 2] = third;
      at += 3 + (int) length;
    }
    position = at;
    for (; i < count; i++) {
      into[i] = readVarint();
    }
  }

  /** The number in the first byte, or in the first two bytes if {@code two} is 1 and not 0. */
  private static long shortNumber(long bytes, long two) {
    return (bytes & 0x7F) | (((bytes >>> 8) & 0x7F) << 7 & -two);
  }

  /** The next varint, which must be in {@code [0, max]}. */
  public int readCount(int max) {
    long count = readVarint();
    if (count < 0 || count > max) {
      throw new PayloadException("count " + Long.toUnsignedString(count) + " above " + max);
    }
    return (int) count;
  }

  /** A reader of the next block: as many bytes as the varint before it says. */
  public PayloadReader readBlock() {
    int length = readCount(remaining());
    need(length);
    PayloadReader block = new PayloadReader(bytes, position, position + length);
    position += length;
    return block;
  }

  /** Skips {@code length} bytes and returns the index of the first in {@link #array()}. */
  public int skip(int length) {
    need(length);
    position += length;
    return position - length;
  }

  /** The array under this reader; not to be changed. */
  public byte[] array() {
    return bytes;
  }

  /** Throws unless every byte was read. */
  public void expectEnd() {
    if (position != end) {
      throw new PayloadException((end - position) + " bytes left over");
    }
  }

  private void need(int count) {
    if (count < 0 || count > end - position) {
      throw new PayloadException("payload ends " + (count - (end - position)) + " bytes too early");
    }
  }
}
