package io.arraymorph.layout.zarr.write;

/** What a write does with what is at its target, in the words of Spark. */
public enum WriteMode {
  /** Fails if there is something. */
  ERRORIFEXISTS,
  /** Replaces it. */
  OVERWRITE,
  /** Lets the array grow along one axis. */
  APPEND,
  /** Leaves it and writes nothing. */
  IGNORE
}
