package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.Locale;

/** What the absence of a chunk's object (404) means. */
public enum MissingChunk {
  /** All its elements have the fill value, as Zarr says. */
  FILL,
  /** The read fails with CHUNK_MISSING. */
  ERROR;

  /**
   * The value of a text, {@code fill} or {@code error}.
   *
   * @throws ArrayMorphException with INVALID_OPTION for other texts
   */
  public static MissingChunk named(String name) {
    for (MissingChunk value : values()) {
      if (value.name().equals(name.trim().toUpperCase(Locale.ROOT))) {
        return value;
      }
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        "missing '" + name + "' is not known",
        "Use missing=fill or missing=error");
  }
}
