package io.arraymorph.delta.encoding;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;

/** What every header must keep to. */
final class HeaderCheck {
  private static final int MAX_ID_LENGTH = 255;

  private HeaderCheck() {}

  static void check(String tensorId, ArraySchema schema, TensorLayout layout) {
    if (tensorId.isBlank() || tensorId.length() > MAX_ID_LENGTH) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "tensor id '" + tensorId + "' has " + tensorId.length() + " characters",
          "Use 1 to " + MAX_ID_LENGTH + " characters");
    }
    int rank = schema.shape().rank();
    if (rank > TensorHeader.MAX_RANK) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "tensor '" + tensorId + "' has " + rank + " dimensions",
          "Merge some dimensions: tables hold at most " + TensorHeader.MAX_RANK);
    }
    if (layout.axisOrder().size() != rank) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "axis order "
              + layout.axisOrder()
              + " of tensor '"
              + tensorId
              + "' does not fit shape "
              + schema.shape(),
          "Give one axis per dimension");
    }
  }
}
