package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Locale;

/** The ways in which a tensor is cut into pieces that become rows. */
public enum TensorEncoding {
  /** Flattened tensor storage: dense chunks on a regular grid. */
  FTSF,
  /** Runs of cells in axis order. */
  COO,
  /** Runs of compressed rows: all axes but the last make the row number. */
  CSR,
  /** Runs of compressed columns: all axes but the first make the column number. */
  CSC,
  /** Runs of subtrees of a compressed sparse fibre tree. */
  CSF,
  /** Blocks on a regular grid, each dense, bitmap or sparse inside. */
  BSGS;

  /** The name in options and headers, as {@code bsgs}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** True if pieces are the blocks of a regular grid. */
  public boolean usesBlocks() {
    return this == FTSF || this == BSGS;
  }

  /** The encoding of this name; INVALID_OPTION otherwise. */
  public static TensorEncoding of(String label) {
    for (TensorEncoding encoding : values()) {
      if (encoding.label().equals(label.toLowerCase(Locale.ROOT))) {
        return encoding;
      }
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        "storage '" + label + "' is not a tensor encoding",
        "Use ftsf, coo, csr, csc, csf, bsgs or auto");
  }
}
