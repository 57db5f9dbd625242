package io.arraymorph.layout.codec;

import java.util.Arrays;

/** Decodes BloscLZ, the FastLZ descendant of c-blosc. */
final class BloscLz {
  private static final int MAX_DISTANCE = 8191;

  private BloscLz() {}

  /** Decodes into at most {@code length} bytes of {@code target}; the number of bytes written. */
  static int decompress(ByteSpan source, byte[] target, int offset, int length) {
    try {
      return decode(source, target, offset, length);
    } catch (IndexOutOfBoundsException e) {
      throw new CodecException("blosclz data is cut or leads outside its block", e);
    }
  }

  private static int decode(ByteSpan source, byte[] target, int offset, int length) {
    byte[] in = source.array();
    int ip = source.offset();
    int end = ip + source.length();
    int op = offset;
    int limit = offset + length;
    int control = in[ip++] & 31;
    while (true) {
      if (control >= 32) {
        int count = (control >> 5) - 1;
        int distance = (control & 31) << 8;
        int code;
        if (count == 6) {
          do {
            code = next(in, ip++, end);
            count += code;
          } while (code == 255);
        }
        code = next(in, ip++, end);
        count += 3;
        if (code == 255 && distance == 31 << 8) {
          distance = next(in, ip, end) << 8 | next(in, ip + 1, end);
          distance += MAX_DISTANCE;
          ip += 2;
        } else {
          distance += code;
        }
        copyMatch(target, op, op - distance - 1, count, offset, limit);
        op += count;
      } else {
        int count = control + 1;
        if (count > limit - op || count > end - ip) {
          throw new IndexOutOfBoundsException("literal run");
        }
        System.arraycopy(in, ip, target, op, count);
        ip += count;
        op += count;
      }
      if (ip >= end) {
        return op - offset;
      }
      control = in[ip++] & 0xff;
    }
  }

  private static int next(byte[] in, int ip, int end) {
    if (ip >= end) {
      throw new IndexOutOfBoundsException("end of data");
    }
    return in[ip] & 0xff;
  }

  private static void copyMatch(
      byte[] target, int op, int reference, int count, int start, int limit) {
    if (reference < start || count < 0 || count > limit - op) {
      throw new IndexOutOfBoundsException("match");
    }
    if (reference == op - 1) {
      Arrays.fill(target, op, op + count, target[reference]);
    } else if (reference + count <= op) {
      System.arraycopy(target, reference, target, op, count);
    } else {
      for (int i = 0; i < count; i++) {
        target[op + i] = target[reference + i];
      }
    }
  }
}
