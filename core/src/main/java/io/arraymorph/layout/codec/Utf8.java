package io.arraymorph.layout.codec;

/** Well-formed UTF-8 (Unicode 15, table 3-7). */
final class Utf8 {
  private Utf8() {}

  /** True if the bytes {@code [from, to)} are well-formed. */
  static boolean isValid(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to) {
      int lead = bytes[at++];
      if (lead >= 0) {
        continue;
      }
      int more;
      int least = 0x80;
      int most = 0xbf;
      lead &= 0xff;
      if (lead >= 0xc2 && lead <= 0xdf) {
        more = 1;
      } else if (lead >= 0xe0 && lead <= 0xef) {
        more = 2;
        least = lead == 0xe0 ? 0xa0 : 0x80;
        most = lead == 0xed ? 0x9f : 0xbf;
      } else if (lead >= 0xf0 && lead <= 0xf4) {
        more = 3;
        least = lead == 0xf0 ? 0x90 : 0x80;
        most = lead == 0xf4 ? 0x8f : 0xbf;
      } else {
        return false;
      }
      if (more > to - at) {
        return false;
      }
      for (int i = 0; i < more; i++, at++) {
        int next = bytes[at] & 0xff;
        if (next < (i == 0 ? least : 0x80) || next > (i == 0 ? most : 0xbf)) {
          return false;
        }
      }
    }
    return true;
  }
}
