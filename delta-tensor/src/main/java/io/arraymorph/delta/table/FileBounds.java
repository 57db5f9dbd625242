package io.arraymorph.delta.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Region;

/**
 * What the log's statistics of a file say of its rows. Where they say nothing, anything is
 * possible. Immutable.
 */
final class FileBounds {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode least;
  private final JsonNode greatest;
  private final long[] leastLow = new long[TensorHeader.MAX_RANK];
  private final long[] greatestHigh = new long[TensorHeader.MAX_RANK];

  private FileBounds(JsonNode stats) {
    least = stats.path("minValues");
    greatest = stats.path("maxValues");
    for (int d = 0; d < TensorHeader.MAX_RANK; d++) {
      leastLow[d] = least.path(TableColumns.low(d)).asLong(Long.MIN_VALUE);
      greatestHigh[d] = greatest.path(TableColumns.high(d)).asLong(Long.MAX_VALUE);
    }
  }

  /** The bounds in the statistics of a log entry; text that does not parse says nothing. */
  static FileBounds of(String json) {
    try {
      return new FileBounds(JSON.readTree(json));
    } catch (JsonProcessingException e) {
      return new FileBounds(JSON.createObjectNode());
    }
  }

  /** True if the file may hold rows of a tensor. */
  boolean mayHold(String tensor) {
    JsonNode from = least.path(TableColumns.TENSOR);
    JsonNode to = greatest.path(TableColumns.TENSOR);
    return (!from.isTextual() || from.asText().compareTo(tensor) <= 0)
        && (!to.isTextual() || to.asText().compareTo(tensor) >= 0);
  }

  /** True if the file may hold rows of a kind. */
  boolean mayHold(int kind) {
    return least.path(TableColumns.KIND).asInt(kind) <= kind
        && greatest.path(TableColumns.KIND).asInt(kind) >= kind;
  }

  /** True if the file may hold rows with cells of a region, which must not be empty. */
  boolean mayHold(Region region) {
    for (int d = 0; d < region.rank(); d++) {
      if (leastLow[d] > region.last(d) || greatestHigh[d] < region.first(d)) {
        return false;
      }
    }
    return true;
  }
}
