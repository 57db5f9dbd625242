package io.arraymorph.layout.cf;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.column.Validity;
import java.util.Arrays;

/** Decodes texts and bytes: padding goes, UTF-32 becomes UTF-8. */
final class TextDecoder {
  private static final int REPLACEMENT = 0xFFFD;

  private final MissingValues missing;

  TextDecoder(MissingValues missing) {
    this.missing = missing;
  }

  DecodedColumn decode(Elements raw, Scalar type) {
    int count = raw.count();
    int[] offsets;
    byte[] data;
    if (raw instanceof VariableWidthElements) {
      offsets = ((VariableWidthElements) raw).offsets();
      data = ((VariableWidthElements) raw).bytes();
    } else {
      FixedWidthElements fixed = (FixedWidthElements) raw;
      offsets = new int[count + 1];
      data =
          raw.type() instanceof DataType.FixedLengthUtf32
              ? fromUtf32(fixed, offsets)
              : unpadded(fixed, offsets, raw.type() instanceof DataType.NullTerminatedBytes);
    }
    byte[] bits = Validity.allSet(count);
    for (int i = 0; i < count; i++) {
      if (missing.matches(data, offsets[i], offsets[i + 1])) {
        MissingValues.clearBit(bits, i);
      }
    }
    return DecodedColumn.variable(type, offsets, data, Validity.of(bits, count));
  }

  private static byte[] unpadded(FixedWidthElements raw, int[] offsets, boolean isPadded) {
    int width = raw.type().byteWidth();
    byte[] data = new byte[Math.multiplyExact(raw.count(), width)];
    int at = 0;
    for (int i = 0; i < raw.count(); i++) {
      int from = raw.offset() + i * width;
      int length = width;
      while (isPadded && length > 0 && raw.bytes()[from + length - 1] == 0) {
        length--;
      }
      System.arraycopy(raw.bytes(), from, data, at, length);
      at += length;
      offsets[i + 1] = at;
    }
    return Arrays.copyOf(data, at);
  }

  private static byte[] fromUtf32(FixedWidthElements raw, int[] offsets) {
    int width = raw.type().byteWidth();
    byte[] data = new byte[Math.multiplyExact(raw.count(), width)];
    int at = 0;
    for (int i = 0; i < raw.count(); i++) {
      int from = raw.offset() + i * width;
      int length = width / 4;
      while (length > 0 && LittleEndianBytes.getInt(raw.bytes(), from + 4 * (length - 1)) == 0) {
        length--;
      }
      for (int c = 0; c < length; c++) {
        at = putUtf8(LittleEndianBytes.getInt(raw.bytes(), from + 4 * c), data, at);
      }
      offsets[i + 1] = at;
    }
    return Arrays.copyOf(data, at);
  }

  private static int putUtf8(int stored, byte[] data, int start) {
    int at = start;
    if (stored < 0 || stored > Character.MAX_CODE_POINT) {
      throw new ArrayMorphException(
          ErrorCode.CHUNK_CORRUPT,
          "0x" + Integer.toHexString(stored) + " is no code point of UTF-32",
          "The object was damaged; write it again");
    }
    // numpy stores lone surrogates, UTF-8 cannot.
    int c = stored >= 0xD800 && stored <= 0xDFFF ? REPLACEMENT : stored;
    if (c < 0x80) {
      data[at++] = (byte) c;
    } else if (c < 0x800) {
      data[at++] = (byte) (0xC0 | c >> 6);
      data[at++] = (byte) (0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      data[at++] = (byte) (0xE0 | c >> 12);
      data[at++] = (byte) (0x80 | (c >> 6 & 0x3F));
      data[at++] = (byte) (0x80 | (c & 0x3F));
    } else {
      data[at++] = (byte) (0xF0 | c >> 18);
      data[at++] = (byte) (0x80 | (c >> 12 & 0x3F));
      data[at++] = (byte) (0x80 | (c >> 6 & 0x3F));
      data[at++] = (byte) (0x80 | (c & 0x3F));
    }
    return at;
  }
}
