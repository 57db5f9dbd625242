package io.arraymorph.layout.zarr.write;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Which keys below a node are Zarr's; all others are somebody else's and never touched. */
final class ZarrKeys {
  /** The metadata document of a node of version 3. */
  static final String DOCUMENT = "zarr.json";

  /** The metadata documents of version 2. */
  static final List<String> V2_DOCUMENTS = List.of(".zarray", ".zgroup", ".zattrs", ".zmetadata");

  private static final Pattern CHUNK =
      Pattern.compile("c|c(/\\d+)+|c(\\.\\d+)+|\\d+(\\.\\d+)*|\\d+(/\\d+)+");

  private static final Pattern DEFAULT_CHUNK = Pattern.compile("c(/\\d+)*");

  private ZarrKeys() {}

  /** True for the {@code zarr.json} of a node at or below the target. */
  static boolean isDocument(String key) {
    return key.equals(DOCUMENT) || key.endsWith("/" + DOCUMENT);
  }

  /** True for a metadata document of Zarr v2. */
  static boolean isV2Document(String key) {
    return V2_DOCUMENTS.contains(key.substring(key.lastIndexOf('/') + 1));
  }

  /** True for keys, relative to an array, that its chunks have under any chunk key encoding. */
  static boolean isChunk(String key) {
    return CHUNK.matcher(key).matches();
  }

  /** True for a chunk key, relative to its array, under the default encoding of Zarr v3. */
  static boolean isDefaultChunk(String key) {
    return DEFAULT_CHUNK.matcher(key).matches();
  }

  /**
   * The chunk coordinates in a chunk key relative to its array, under any encoding.
   *
   * @param rank how many numbers the key must have
   */
  static Optional<long[]> coordinates(String key, int rank) {
    if (!isChunk(key)) {
      return Optional.empty();
    }
    long[] numbers =
        Arrays.stream(key.split("[./]"))
            .filter(part -> !part.isEmpty() && Character.isDigit(part.charAt(0)))
            .filter(part -> part.length() < 19)
            .mapToLong(Long::parseLong)
            .toArray();
    return numbers.length == rank ? Optional.of(numbers) : Optional.empty();
  }

  /** The node a document belongs to, relative to the target; empty for the target itself. */
  static String nodeOf(String document) {
    int slash = document.lastIndexOf('/');
    return slash < 0 ? "" : document.substring(0, slash);
  }

  /** The key of something in a member; the member is empty for the target itself. */
  static String in(String member, String name) {
    return member.isEmpty() ? name : member + "/" + name;
  }
}
