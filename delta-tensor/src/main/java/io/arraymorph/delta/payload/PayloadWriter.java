package io.arraymorph.delta.payload;

import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Builds one payload: bytes and variable-length integers, closed by a checksum.
 *
 * <p>Not thread-safe; {@link #finish()} and {@link #reset()} make it ready for the next payload, so
 * that one buffer serves a whole file.
 */
public final class PayloadWriter {
  /** Bytes of the longest number. */
  private static final int LONGEST = 10;

  /** Numbers for which there is room at a time. */
  private static final int SOME = 256;

  private byte[] bytes;
  private int size;

  /** An empty payload. */
  public PayloadWriter() {
    this(1 << 12);
  }

  /** An empty payload for which about so many bytes are expected. */
  public PayloadWriter(int expected) {
    bytes = new byte[Math.max(16, expected)];
  }

  /** The number of bytes written so far. */
  public int size() {
    return size;
  }

  /** Forgets everything written. */
  public void reset() {
    size = 0;
  }

  /** Appends the low 8 bits. */
  public void writeByte(int value) {
    reserve(1);
    bytes[size++] = (byte) value;
  }

  /** Appends an unsigned 64-bit number in LEB128: 7 bits a byte, least significant first. */
  public void writeVarint(long value) {
    reserve(LONGEST);
    if ((value & ~0x7FL) == 0) {
      bytes[size++] = (byte) value;
      return;
    }
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[size++] = (byte) rest;
  }

  /** Appends the first {@code count} of these numbers, as {@link #writeVarint} does. */
  public void writeVarints(long[] numbers, int count) {
    for (int from = 0; from < count; from += SOME) {
      int to = Math.min(count, from + SOME);
      reserve((to - from) * LONGEST);
      byte[] into = bytes;
      int at = size;
      for (int i = from; i < to; i++) {
        long rest = numbers[i];
        while ((rest & ~0x7FL) != 0) {
          into[at++] = (byte) (rest | 0x80);
          rest >>>= 7;
        }
        into[at++] = (byte) rest;
      }
      size = at;
    }
  }

  /** Appends bytes {@code [from, from + length)} of an array. */
  public void writeBytes(byte[] source, int from, int length) {
    reserve(length);
    System.arraycopy(source, from, bytes, size, length);
    size += length;
  }

  /** Appends everything that another writer holds, preceded by its length as a varint. */
  public void writeBlock(PayloadWriter block) {
    writeVarint(block.size);
    writeBytes(block.bytes, 0, block.size);
  }

  /** Appends everything that another writer holds. */
  public void writeAll(PayloadWriter more) {
    writeBytes(more.bytes, 0, more.size);
  }

  /** Appends {@code length} zero bytes and returns the position of the first. */
  public int writeZeros(int length) {
    reserve(length);
    Arrays.fill(bytes, size, size + length, (byte) 0);
    size += length;
    return size - length;
  }

  /** Sets bits in a byte written before. */
  public void orByte(int position, int bits) {
    bytes[position] |= (byte) bits;
  }

  /** The payload: what was written, then its CRC-32C as four little-endian bytes. Resets. */
  public byte[] finish() {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, size);
    int sum = (int) crc.getValue();
    byte[] payload = Arrays.copyOf(bytes, size + 4);
    for (int i = 0; i < 4; i++) {
      payload[size + i] = (byte) (sum >>> (8 * i));
    }
    reset();
    return payload;
  }

  private void reserve(int more) {
    long needed = (long) size + more;
    if (needed > bytes.length) {
      if (needed > Integer.MAX_VALUE - 16) {
        throw new IllegalStateException("payload beyond 2 GiB");
      }
      bytes =
          Arrays.copyOf(bytes, (int) Math.min(Integer.MAX_VALUE - 16, Math.max(needed, 2L * size)));
    }
  }
}
