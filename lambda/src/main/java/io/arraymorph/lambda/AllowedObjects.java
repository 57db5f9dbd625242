package io.arraymorph.lambda;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a slice server may read: objects below some URIs with its own credentials, and presigned
 * URLs of some hosts. All else is refused, so that nobody can make the server ask hosts that only
 * it can reach.
 */
final class AllowedObjects {
  /**
   * Where presigned URLs may lead.
   *
   * @param suffix true if {@code host} starts with a dot and stands for all hosts that end in it
   */
  private record Origin(String scheme, String host, int port, boolean suffix) {
    static Origin parse(String text) {
      boolean suffix = text.contains("://*.");
      URI uri = URI.create(suffix ? text.replace("://*.", "://") : text);
      boolean plain = uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null;
      if (!plain || !(uri.getPath().isEmpty() || uri.getPath().equals("/"))) {
        throw new IllegalArgumentException(text + " is not scheme://host[:port]");
      }
      String host = uri.getHost().toLowerCase(Locale.ROOT);
      return new Origin(uri.getScheme(), suffix ? "." + host : host, portOf(uri), suffix);
    }

    boolean holds(URI url) {
      String asked = url.getHost().toLowerCase(Locale.ROOT);
      return (suffix ? asked.endsWith(host) : asked.equals(host))
          && scheme.equals(url.getScheme())
          && port == portOf(url);
    }

    private static int portOf(URI uri) {
      return uri.getPort() >= 0 ? uri.getPort() : "https".equals(uri.getScheme()) ? 443 : 80;
    }
  }

  private final List<String> prefixes = new ArrayList<>();
  private final List<Origin> origins = new ArrayList<>();

  /**
   * @param allowed URIs of stores, as {@code s3://bucket/dir}, and origins of presigned URLs, as
   *     {@code https://bucket.s3.amazonaws.com} or {@code https://*.blob.core.windows.net}
   * @throws IllegalArgumentException for an origin with a path, or if nothing is allowed
   */
  AllowedObjects(List<String> allowed) {
    if (allowed.isEmpty()) {
      throw new IllegalArgumentException("a slice server needs URIs that it may read");
    }
    for (String uri : allowed) {
      if (uri.startsWith("https://") || uri.startsWith("http://")) {
        origins.add(Origin.parse(uri));
      } else {
        prefixes.add(plainScheme(uri));
      }
    }
  }

  /** True if the object is one of the allowed URIs or lies below one, by whole segments. */
  boolean holds(String object) {
    String asked = plainScheme(object);
    if (List.of(asked.split("/", -1)).contains("..")) {
      return false;
    }
    for (String prefix : prefixes) {
      String folder = prefix.endsWith("/") ? prefix : prefix + "/";
      if (asked.equals(prefix) || asked.startsWith(folder)) {
        return true;
      }
    }
    return false;
  }

  /** One bucket has several schemes. */
  private static String plainScheme(String uri) {
    return uri.startsWith("s3a://") ? "s3://" + uri.substring(6) : uri;
  }

  /** True if a presigned URL is of an allowed origin: scheme, host and port. */
  boolean holds(URI url) {
    boolean plain = url.getHost() != null && url.getUserInfo() == null && url.getFragment() == null;
    return plain && origins.stream().anyMatch(origin -> origin.holds(url));
  }
}
