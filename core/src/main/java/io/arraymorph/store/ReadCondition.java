package io.arraymorph.store;

/** Under which condition an object may be read. */
public sealed interface ReadCondition {

  /** No condition. */
  ReadCondition NONE = new None();

  /** Whatever version is there. */
  record None() implements ReadCondition {}

  /** Only the version with this ETag. */
  record IfMatch(String etag) implements ReadCondition {}

  /** Only the version with this ETag. */
  static ReadCondition ifMatch(String etag) {
    return new IfMatch(etag);
  }
}
