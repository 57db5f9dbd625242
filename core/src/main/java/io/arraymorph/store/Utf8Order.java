package io.arraymorph.store;

import java.util.Comparator;

/**
 * The order of strings by the bytes of their UTF-8 form, in which object stores list keys.
 *
 * <p>It differs from {@link String#compareTo} where characters beyond the basic plane meet those in
 * U+E000 to U+FFFF: UTF-16 puts surrogates first, UTF-8 puts them last.
 */
final class Utf8Order implements Comparator<String> {
  static final Utf8Order INSTANCE = new Utf8Order();

  private Utf8Order() {}

  @Override
  public int compare(String left, String right) {
    int common = Math.min(left.length(), right.length());
    for (int i = 0; i < common; i++) {
      char a = left.charAt(i);
      char b = right.charAt(i);
      if (a != b) {
        return rank(a) - rank(b);
      }
    }
    return left.length() - right.length();
  }

  /** Moves surrogates behind all other characters. */
  private static int rank(char c) {
    if (c < Character.MIN_SURROGATE) {
      return c;
    }
    return c <= Character.MAX_SURROGATE ? c + 0x2000 : c - 0x800;
  }
}
