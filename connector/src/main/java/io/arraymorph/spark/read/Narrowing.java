package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;

/**
 * What a predicate says about which cells can be in the result. Exactness is a type, not a flag
 * that can be forgotten.
 */
sealed interface Narrowing {

  /** The cells that may be in the result. */
  Selection selection();

  /** The predicate is true for these cells and for no other. */
  record Exact(Selection selection) implements Narrowing {}

  /** The predicate is true for none but these cells; it must still be evaluated for them. */
  record Superset(Selection selection) implements Narrowing {}
}
