package io.arraymorph.layout.zarr.write;

import java.io.ByteArrayOutputStream;
import java.util.BitSet;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Which cells of a chunk object a piece holds, as stored beside it: a bit per cell, DEFLATE. */
final class CellMask {
  /** Beside the piece's key. */
  static final String SUFFIX = ".mask";

  private CellMask() {}

  static byte[] encode(BitSet cells) {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED);
    try {
      deflater.setInput(cells.toByteArray());
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[8192];
      while (!deflater.finished()) {
        out.write(buffer, 0, deflater.deflate(buffer));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  /**
   * The cells of a stored mask.
   *
   * @param cells how many the chunk object has: bounds the size
   */
  static BitSet decode(byte[] stored, int cells) {
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(stored);
      byte[] bits = new byte[cells / 8 + 1];
      int length = 0;
      while (!inflater.finished() && length < bits.length) {
        int more = inflater.inflate(bits, length, bits.length - length);
        if (more == 0 && (inflater.needsInput() || inflater.needsDictionary())) {
          break;
        }
        length += more;
      }
      return BitSet.valueOf(java.util.Arrays.copyOf(bits, length));
    } catch (DataFormatException corrupt) {
      throw new IllegalStateException("a mask written by this write cannot be read", corrupt);
    } finally {
      inflater.end();
    }
  }
}
