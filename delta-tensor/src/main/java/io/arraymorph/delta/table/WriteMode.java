package io.arraymorph.delta.table;

/** What a write does to a tensor that is already in the table. */
public enum WriteMode {
  /** It fails with ARRAY_EXISTS. */
  CREATE,
  /** The old tensor gives way, in the same commit; time travel still finds it. */
  REPLACE
}
