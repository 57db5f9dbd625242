package io.arraymorph;

/**
 * Stable identifiers of everything that can go wrong, shown to users as {@code
 * [ARRAYMORPH_<NAME>]}.
 *
 * <p>Codes are part of the user-visible surface: they are added, never renamed.
 */
public enum ErrorCode {
  /** No array or group where the user pointed. */
  NOT_AN_ARRAY,
  /** An array or variable name that the group does not hold. */
  UNKNOWN_ARRAY,
  /** A dimension name that the array does not have. */
  UNKNOWN_DIMENSION,
  /** Metadata that break the specification of their format. */
  METADATA_INVALID,
  /** A codec or filter that is not supported. */
  UNSUPPORTED_CODEC,
  /** A data type that is not supported here. */
  UNSUPPORTED_TYPE,
  /** A format feature (grid, key encoding, storage transformer, version) that is not supported. */
  UNSUPPORTED_FEATURE,
  /** Stored chunk bytes that cannot be decoded or fail their checksum. */
  CHUNK_CORRUPT,
  /** A chunk object that does not exist, where the user asked for an error. */
  CHUNK_MISSING,
  /** An object that must exist and does not. */
  OBJECT_NOT_FOUND,
  /** An object that changed while a query was reading it. */
  OBJECT_CHANGED,
  /** A conditional write whose condition did not hold. */
  PRECONDITION_FAILED,
  /** The store refused access. */
  ACCESS_DENIED,
  /** The store did not answer, or kept failing after all retries. */
  STORE_UNAVAILABLE,
  /** The store answered with something that breaks its protocol (status, length, Content-Range). */
  STORE_PROTOCOL,
  /** No room left in the store. */
  STORE_FULL,
  /** A URI that names no known store or is malformed. */
  INVALID_URI,
  /** A name in SQL that cannot be a name in a catalog of arrays. */
  INVALID_IDENTIFIER,
  /** Something larger than a limit that protects memory. */
  TOO_LARGE,
  /** An option with a value that is not understood. */
  INVALID_OPTION,
  /** A store profile whose values make no sense. */
  PROFILE_INVALID,
  /** A slice function that was required and did not answer as asked. */
  SLICE_FUNCTION_FAILED,
  /** A slice text that does not parse. */
  INVALID_SLICE,
  /** A predicate on a packed dimension that cannot become a hyperslab exactly. */
  CANNOT_CLIP,
  /** A write target that already exists. */
  ARRAY_EXISTS,
  /** A tensor id that the table does not hold. */
  UNKNOWN_TENSOR,
  /** A Delta table that does not hold tensors, or no Delta table at all. */
  NOT_A_TENSOR_TABLE,
  /** A commit that lost against others again and again, or against one that it cannot follow. */
  CONCURRENT_WRITE,
  /** Another writer holds the claim on the array. */
  ARRAY_BEING_WRITTEN,
  /** The array is being replaced and cannot be read until that is finished or rolled back. */
  ARRAY_BEING_REPLACED,
  /** Data whose shape does not fit the array. */
  SHAPE_MISMATCH,
  /** Data whose type does not fit the array. */
  TYPE_MISMATCH,
  /** Two rows for one cell. */
  DUPLICATE_CELL,
  /** An index outside the array. */
  OUT_OF_BOUNDS,
  /** A write that did not finish; nothing of it is visible. */
  WRITE_FAILED,
  /** Work stopped because its task was killed or its reader closed. */
  CANCELLED,
  /** A defect of this program or of what it runs in, not of the data. */
  INTERNAL_ERROR;

  /** The text users see and search for, as {@code ARRAYMORPH_CHUNK_CORRUPT}. */
  public String label() {
    return "ARRAYMORPH_" + name();
  }
}
