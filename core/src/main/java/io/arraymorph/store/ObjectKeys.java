package io.arraymorph.store;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;

/** The rules that keys and listings of every store obey, checked before any request. */
public final class ObjectKeys {
  /** The longest key, in bytes of UTF-8: the bound of S3, Azure Blob and Google Cloud Storage. */
  public static final int MAX_BYTES = 1024;

  private ObjectKeys() {}

  /** The order of listings: by the bytes of UTF-8. */
  public static Comparator<String> order() {
    return Utf8Order.INSTANCE;
  }

  /**
   * Returns a key that obeys the rules: not empty, at most {@link #MAX_BYTES}, valid Unicode
   * without NUL, no empty, {@code .} or {@code ..} segment.
   *
   * @throws StoreException of kind INVALID otherwise
   */
  public static String check(String storeUri, String key) {
    String fault = fault(key);
    if (fault != null) {
      throw new StoreException(
          StoreException.Kind.INVALID, storeUri, "key '" + key + "' " + fault, null);
    }
    return key;
  }

  /** Checks every key. */
  public static void checkAll(String storeUri, Collection<String> keys) {
    for (String key : keys) {
      check(storeUri, key);
    }
  }

  /**
   * Checks the delimiter of a listing: empty or {@code /}.
   *
   * @throws StoreException of kind INVALID otherwise
   */
  public static void checkDelimiter(String storeUri, String delimiter) {
    if (!delimiter.isEmpty() && !delimiter.equals("/")) {
      throw new StoreException(
          StoreException.Kind.INVALID, storeUri, "delimiter '" + delimiter + "' is not /", null);
    }
  }

  /** True if a key obeys the rules. */
  public static boolean isValid(String key) {
    return fault(key) == null;
  }

  /** True if a valid key can start with this text; else a listing of it is empty. */
  public static boolean canStart(String prefix) {
    int slash = prefix.lastIndexOf('/');
    return slash < 0 || isValid(prefix.substring(0, slash));
  }

  private static String fault(String key) {
    if (key.isEmpty()) {
      return "is empty";
    }
    if (key.indexOf('\0') >= 0) {
      return "contains NUL";
    }
    int start = 0;
    while (start <= key.length()) {
      int slash = key.indexOf('/', start);
      int end = slash < 0 ? key.length() : slash;
      if (end == start) {
        return "has an empty segment";
      }
      if (key.charAt(start) == '.'
          && (end == start + 1 || (end == start + 2 && key.charAt(start + 1) == '.'))) {
        return "has a segment . or ..";
      }
      start = end + 1;
    }
    return encodingFault(key);
  }

  private static String encodingFault(String key) {
    try {
      int bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key)).remaining();
      return bytes > MAX_BYTES ? "is longer than " + MAX_BYTES + " bytes" : null;
    } catch (CharacterCodingException e) {
      return "is not valid Unicode";
    }
  }
}
