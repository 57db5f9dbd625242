package io.arraymorph.layout.zarr.write;

/**
 * The names of the objects of one write before they are in place, relative to its target.
 *
 * @param uuid names the write
 */
record StagingArea(String uuid) {
  /** Everything below a target that is not Zarr. */
  static final String PRIVATE = "_arraymorph/";

  /** The staging areas of all writes. */
  static final String ALL = PRIVATE + "staging/";

  /** Of the staging area that holds this key. */
  static StagingArea holding(String key) {
    int end = key.indexOf('/', ALL.length());
    return new StagingArea(key.substring(ALL.length(), end < 0 ? key.length() : end));
  }

  String root() {
    return ALL + uuid + "/";
  }

  /** Chunk objects that wait to be moved into place, by their final keys. */
  String data() {
    return root() + "data/";
  }

  /** Metadata that wait to be published, by their final keys. */
  String metadata() {
    return root() + "metadata/";
  }

  /** What one task attempt wrote under names of its own, by final keys. */
  String attempt(String attempt) {
    return root() + "attempt/" + attempt + "/";
  }

  String commitRecord() {
    return root() + "commit.json";
  }
}
