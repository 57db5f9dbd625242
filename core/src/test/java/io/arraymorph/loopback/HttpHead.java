package io.arraymorph.loopback;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** The head of an HTTP/1.1 message: first line and headers, with the bytes as they came. */
final class HttpHead {
  private static final int MOST_BYTES = 64 << 10;

  private final byte[] bytes;
  private final String[] lines;

  private HttpHead(byte[] bytes) {
    this.bytes = bytes;
    this.lines = new String(bytes, StandardCharsets.ISO_8859_1).split("\r\n");
  }

  /** Reads a head; null if the stream ends before its first byte. */
  static HttpHead read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int b = in.read();
      if (b < 0) {
        if (head.size() == 0) {
          return null;
        }
        throw new EOFException("inside a head");
      }
      head.write(b);
      matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
      if (head.size() > MOST_BYTES) {
        throw new IOException("head too long");
      }
    }
    return new HttpHead(head.toByteArray());
  }

  byte[] bytes() {
    return bytes.clone();
  }

  /** Word {@code i} of the first line. */
  String word(int i) {
    return lines[0].split(" ")[i];
  }

  int status() {
    return Integer.parseInt(word(1));
  }

  /** The value of a header, empty if absent. */
  String header(String name) {
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      if (colon > 0 && lines[i].substring(0, colon).equalsIgnoreCase(name)) {
        return lines[i].substring(colon + 1).trim();
      }
    }
    return "";
  }

  boolean isChunked() {
    return header("Transfer-Encoding").toLowerCase(Locale.ROOT).contains("chunked");
  }

  /** The length of the body by its header; zero without. */
  long contentLength() {
    String length = header("Content-Length");
    return length.isEmpty() ? 0 : Long.parseLong(length);
  }
}
