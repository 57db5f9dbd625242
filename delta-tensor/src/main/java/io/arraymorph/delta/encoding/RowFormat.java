package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;

/** How the two payloads of a data row are laid out: the values of column {@code enc}. */
@SuppressWarnings("ImmutableEnumChecker") // Position codecs have no state.
public enum RowFormat {
  /** A dense box; every cell is stored. */
  FTSF("ftsf", new AllPositions()),
  /** A run of cells, one column of indices per axis. */
  COO("coo", new CooPositions()),
  /** A run of compressed rows. */
  CSR("csr", new GcxsPositions()),
  /** A run of compressed columns. */
  CSC("csc", new GcxsPositions()),
  /** A run of subtrees. */
  CSF("csf", new CsfPositions()),
  /** A block by gaps between positions. */
  BLOCK_SPARSE("bsgs-sparse", new LinearPositions()),
  /** A block by one bit per position. */
  BLOCK_BITMAP("bsgs-bitmap", new BitmapPositions()),
  /** A block with a value at every position; those with the fill value are not stored cells. */
  BLOCK_DENSE("bsgs-dense", new AllPositions());

  private final String label;
  private final PositionCodec positions;

  RowFormat(String label, PositionCodec positions) {
    this.label = label;
    this.positions = positions;
  }

  /** The text in column {@code enc}. */
  public String label() {
    return label;
  }

  PositionCodec positions() {
    return positions;
  }

  /** True if the values of all positions of the box are stored, and no positions. */
  public boolean isDense() {
    return this == FTSF || this == BLOCK_DENSE;
  }

  /** The format of this label; UNSUPPORTED_FEATURE for one that this version does not know. */
  public static RowFormat of(String label) {
    for (RowFormat format : values()) {
      if (format.label.equals(label)) {
        return format;
      }
    }
    throw new ArrayMorphException(
        ErrorCode.UNSUPPORTED_FEATURE,
        "row encoding '" + label + "' is not known",
        "The table was written by a later version; upgrade arraymorph");
  }
}
