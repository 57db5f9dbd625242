package io.arraymorph.delta.table;

import java.util.Locale;

/** The forms that tables of tensors have. */
public enum TableForm {
  /** Rows of encoded pieces with bounds: any number of tensors. */
  COMPACT,
  /** One tensor as plain columns, a row for each stored cell. */
  FLAT,
  /** Any number of tensors in one of the paper's column layouts. */
  PAPER;

  /** The name as a value of option {@code layout}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
