package io.arraymorph.cloud.gcs;

import java.nio.charset.StandardCharsets;

/** Names in paths and queries of the service. */
final class GcsNames {
  private static final String UNRESERVED = "-._~";

  private GcsNames() {}

  /** Every byte of UTF-8 percent-encoded but letters, digits and {@code -._~} (RFC 3986, 2.3). */
  static String encode(String text) {
    return encode(text, UNRESERVED);
  }

  /** The same, but slashes stay. */
  static String encodePath(String text) {
    return encode(text, UNRESERVED + "/");
  }

  private static String encode(String text, String kept) {
    StringBuilder out = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean letter = (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9');
      if (letter || kept.indexOf(b) >= 0) {
        out.append((char) b);
      } else {
        out.append(String.format("%%%02X", b & 0xff));
      }
    }
    return out.toString();
  }
}
