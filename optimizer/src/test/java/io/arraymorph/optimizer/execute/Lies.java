package io.arraymorph.optimizer.execute;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.arraymorph.slice.SliceProtocol;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Answers to calls for slices that are anything but the slices. */
final class Lies {
  private Lies() {}

  /** A change of the right answer, or an answer of its own. */
  interface Lie {
    void tell(RawFunction.Call call, RawFunction.Answer right) throws IOException;
  }

  private static Lie changed(Consumer<RawFunction.Answer> change) {
    return (call, right) -> {
      change.accept(right);
      call.write(right);
    };
  }

  private static Lie header(String name, String value) {
    return changed(right -> right.headers.put(name, value));
  }

  private static Lie without(String name) {
    return changed(right -> right.headers.remove(name));
  }

  static Lie refusal(String status, String... headers) {
    return (call, right) -> {
      right.headers.clear();
      right.status = status;
      right.body =
          (status + " for " + call.head() + new String(call.body(), ISO_8859_1))
              .getBytes(ISO_8859_1);
      right.stateLength();
      for (int i = 0; i < headers.length; i += 2) {
        right.headers.put(headers[i], headers[i + 1]);
      }
      call.write(right);
    };
  }

  private static Lie body(UnaryOperator<byte[]> change, boolean newCrc) {
    return changed(
        right -> {
          right.body = change.apply(right.body);
          right.stateLength();
          if (newCrc) {
            right.stateCrc();
          }
        });
  }

  static final Map<String, Lie> TOLD = lies();

  private static Map<String, Lie> lies() {
    Map<String, Lie> lies = new LinkedHashMap<>();
    lies.put("a longer body", body(b -> Arrays.copyOf(b, b.length + 1000), true));
    lies.put("one byte more", body(b -> Arrays.copyOf(b, b.length + 1), true));
    lies.put("a shorter body", body(b -> Arrays.copyOf(b, b.length - 1), true));
    lies.put("no body", body(b -> new byte[0], true));
    lies.put(
        "a flipped bit",
        body(
            b -> {
              b[b.length / 2] ^= 4;
              return b;
            },
            false));
    lies.put("zeros", body(b -> new byte[b.length], false));
    lies.put("no checksum", without(SliceProtocol.CRC_HEADER));
    lies.put("a checksum that is none", header(SliceProtocol.CRC_HEADER, RawFunction.TOKEN));
    lies.put("the answer to another request", header(SliceProtocol.REQUEST_HEADER, "1234abcd"));
    lies.put(
        "a length that is none",
        changed(right -> right.headers.put("Content-Length", "9" + RawFunction.TOKEN)));
    lies.put(
        "less than announced",
        (call, right) -> {
          right.headers.put("Content-Length", Integer.toString(right.body.length + 10));
          call.write(right);
          call.socket().close();
        });
    lies.put("a compressed body", compressed());
    lies.put("a part", changed(right -> right.status = "206 Partial Content"));
    lies.put("no content", (call, right) -> call.write("HTTP/1.1 204 No Content\r\n\r\n"));
    lies.put("a page", page());
    lies.put("401", refusal("401 Unauthorized"));
    lies.put("401 with a realm", refusal("401 No", "WWW-Authenticate", "Basic realm=\"x\""));
    lies.put("403", refusal("403 Forbidden", SliceProtocol.CODE_HEADER, "NOT_ALLOWED"));
    lies.put("404 of a proxy", refusal("404 Not Found"));
    lies.put("407", refusal("407 Proxy", "Proxy-Authenticate", "Basic realm=\"x\""));
    lies.put("413", refusal("413 Large", SliceProtocol.CODE_HEADER, "TOO_LARGE"));
    lies.put("429", refusal("429 Slow Down", "Retry-After", "1"));
    lies.put("500", refusal("500 Oops", SliceProtocol.CODE_HEADER, RawFunction.TOKEN));
    lies.put("a status that is none", (call, right) -> call.write("HTTP/1.1 abc\r\n\r\n"));
    lies.put("not HTTP", (call, right) -> call.write("SSH-2.0 " + call.head() + "\r\n\r\n"));
    lies.put("nothing", (call, right) -> call.socket().close());
    lies.put(
        "a reset midway",
        (call, right) -> {
          byte[] all = right.body;
          right.body = Arrays.copyOf(all, all.length / 2);
          call.write(right);
          call.socket().setSoLinger(true, 0);
          call.socket().close();
        });
    for (String etag : List.of("", "  ", "x".repeat(2000))) {
      lies.put("ETag of " + etag.length(), version(etag, "256"));
    }
    for (String length : List.of("", "0", "255", "257", "-256", "9223372036854775808", "256.0")) {
      lies.put("an object of '" + length + "' bytes", version("\"1\"", length));
    }
    for (String versions :
        List.of(
            "",
            "[]",
            "{}",
            "null",
            "nonsense " + RawFunction.TOKEN,
            "[\"" + RawFunction.TOKEN,
            "[".repeat(1000),
            "[" + "null,".repeat(20_000) + "null]",
            "[[\"1\",256]]")) {
      lies.put(
          "versions " + versions.length() + (versions.isEmpty() ? "" : versions.substring(0, 1)),
          (call, right) -> {
            if (call.batch().together()) {
              right.headers.put(SliceProtocol.VERSIONS_HEADER, versions);
            } else {
              right.headers.remove(SliceProtocol.ETAG_HEADER);
            }
            call.write(right);
          });
    }
    lies.put("an ETag of two lines", version("a\\r\\nX-Header: 1", "256"));
    return lies;
  }

  private static Lie compressed() {
    return changed(
        right -> {
          right.headers.put("Content-Encoding", "gzip");
          right.body = new byte[] {0x1f, (byte) 0x8b, 8, 0};
          right.stateLength();
        });
  }

  private static Lie page() {
    return (call, right) -> {
      right.headers.clear();
      right.body = "<html>Please sign in</html>".getBytes(ISO_8859_1);
      right.headers.put("Content-Type", "text/html");
      right.stateLength();
      call.write(right);
    };
  }

  /** All slices have this version. */
  static Lie version(String etag, String length) {
    return (call, right) -> {
      String one = "[\"" + etag.replace("\"", "\\\"") + "\"," + length + "]";
      if (call.batch().together()) {
        String all = String.join(",", Collections.nCopies(call.batch().slices().size(), one));
        right.headers.put(SliceProtocol.VERSIONS_HEADER, "[" + all + "]");
      } else if (etag.contains("\\r")) {
        right.headers.put(SliceProtocol.ETAG_HEADER, "a\u007fb");
      } else {
        right.headers.put(SliceProtocol.ETAG_HEADER, etag);
        right.headers.put(SliceProtocol.SIZE_HEADER, length);
      }
      call.write(right);
    };
  }
}
