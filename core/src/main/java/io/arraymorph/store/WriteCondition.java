package io.arraymorph.store;

/** Under which condition an object may be written or deleted. */
public sealed interface WriteCondition {

  /** No condition: the last writer wins. */
  WriteCondition NONE = new None();

  /** Only if no object has the key. */
  WriteCondition IF_ABSENT = new IfAbsent();

  /** Always. */
  record None() implements WriteCondition {}

  /** Only if no object has the key; else kind PRECONDITION_FAILED. */
  record IfAbsent() implements WriteCondition {}

  /** Only if the current version has this ETag; else kind PRECONDITION_FAILED. */
  record IfMatch(String etag) implements WriteCondition {}

  /** Only if the current version has this ETag. */
  static WriteCondition ifMatch(String etag) {
    return new IfMatch(etag);
  }
}
