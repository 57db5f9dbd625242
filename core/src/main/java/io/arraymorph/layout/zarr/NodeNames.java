package io.arraymorph.layout.zarr;

import java.util.Locale;
import java.util.Set;

/** Which names a node may have, so that no metadata leads outside its store. */
final class NodeNames {
  private static final Set<String> RESERVED =
      Set.of("zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata");

  private NodeNames() {}

  /** True if every segment of {@code a/b/c} is a name that a node may have. */
  static boolean isPath(String path) {
    for (String segment : path.split("/", -1)) {
      if (!isName(segment)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isName(String segment) {
    String lower = segment.toLowerCase(Locale.ROOT);
    boolean dots = segment.chars().allMatch(c -> c == '.');
    boolean encoded = lower.contains("%2e") || lower.contains("%2f") || lower.contains("%5c");
    return !segment.isEmpty()
        && !dots
        && !encoded
        && !segment.startsWith("__")
        && !RESERVED.contains(lower)
        && segment.indexOf('\\') < 0
        && segment.chars().noneMatch(Character::isISOControl);
  }
}
