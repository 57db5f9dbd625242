package io.arraymorph.delta.paper;

/**
 * A column of the paper's layouts.
 *
 * @param name as the paper's code has it
 * @param kind what its values are
 */
public record PaperColumn(String name, Kind kind) {

  /** What the values of a column are; in rows to be written the named Java type. */
  public enum Kind {
    /** Text that is never NULL ({@code String}). */
    TEXT,
    /** Bytes that are never NULL ({@code byte[]}). */
    BYTES,
    /** An int ({@code Integer}). */
    INTEGER,
    /** A list of ints ({@code int[]}). */
    INTEGERS,
    /** A double ({@code Double}). */
    NUMBER,
    /** A list of doubles ({@code double[]}). */
    NUMBERS,
    /** A list of lists of doubles ({@code double[][]}). */
    LISTS
  }
}
