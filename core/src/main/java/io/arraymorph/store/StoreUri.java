package io.arraymorph.store;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A URI or plain path of an object, taken apart as Hadoop does it: nothing is percent-decoded,
 * repeated and trailing slashes mean nothing.
 *
 * @param scheme lower case; {@code file} for plain paths
 * @param authority the bucket or container part, empty for files
 * @param key relative to the root of the store, empty for the root
 */
record StoreUri(String scheme, String authority, String key) {
  private static final Pattern SCHEME =
      Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+:.*", Pattern.DOTALL);
  private static final Pattern SIGNED =
      Pattern.compile("[?&](sig|x-amz-[a-z-]*|awsaccesskeyid|x-goog-[a-z-]*)=");

  /**
   * @throws ArrayMorphException INVALID_URI if it is malformed or carries credentials; the message
   *     does not repeat them
   */
  static StoreUri parse(String text) {
    if (text.isBlank()) {
      throw invalid("The path is empty", "Name an array, as s3a://bucket/array.zarr");
    }
    if (!SCHEME.matcher(text).matches()) {
      return file(text);
    }
    int colon = text.indexOf(':');
    String scheme = text.substring(0, colon).toLowerCase(Locale.ROOT);
    String rest = text.substring(colon + 1);
    String authority = "";
    if (rest.startsWith("//")) {
      int slash = rest.indexOf('/', 2);
      authority = rest.substring(2, slash < 0 ? rest.length() : slash);
      rest = slash < 0 ? "" : rest.substring(slash);
    }
    refuseCredentials(scheme, authority, rest);
    if (scheme.equals("file")) {
      if (!authority.isEmpty() && !authority.equals("localhost")) {
        throw invalid(
            "'" + text + "' names a file on another host",
            "Write file:/path or file:///path, or mount that host");
      }
      return file(rest);
    }
    if (authority.isEmpty()) {
      throw invalid(
          "'" + text + "' names no bucket or container",
          "Write " + scheme + "://bucket/path, or a plain path for a local file");
    }
    return new StoreUri(scheme, authority, key(scheme + "://" + authority, rest));
  }

  /** The root of the store, as {@code s3a://bucket}. */
  String root() {
    return scheme + "://" + authority;
  }

  private static StoreUri file(String text) {
    try {
      String path = Path.of(text).toAbsolutePath().normalize().toString();
      return new StoreUri("file", "", key("file://", path));
    } catch (InvalidPathException e) {
      throw invalid("'" + text + "' is not a path: " + e.getReason(), "Correct the path");
    }
  }

  private static String key(String root, String path) {
    List<String> segments = new ArrayList<>();
    for (String segment : path.split("/")) {
      if (!segment.isEmpty()) {
        segments.add(segment);
      }
    }
    String key = String.join("/", segments);
    if (!key.isEmpty() && !ObjectKeys.isValid(key)) {
      throw invalid(
          "'" + key + "' is not a key in " + root, "Write the path without . and .. segments");
    }
    return key;
  }

  private static void refuseCredentials(String scheme, String authority, String path) {
    int at = authority.indexOf('@');
    // In abfss://container@account the part before @ is no secret.
    boolean container = scheme.startsWith("abfs") || scheme.startsWith("wasb");
    boolean inAuthority = at >= 0 && (!container || authority.substring(0, at).contains(":"));
    if (inAuthority || SIGNED.matcher(path.toLowerCase(Locale.ROOT)).find()) {
      throw invalid(
          "The " + scheme + " URI carries credentials",
          "Remove them from the URI and set them in the session, as fs.s3a.access.key and"
              + " fs.s3a.secret.key, or use the default credential chain");
    }
  }

  private static ArrayMorphException invalid(String problem, String remedy) {
    return new ArrayMorphException(ErrorCode.INVALID_URI, problem, remedy);
  }
}
