package io.arraymorph.delta.table;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.tensor.Region;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

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

  private FileBounds(JsonNode stats, IntFunction<String> low, IntFunction<String> high) {
    least = stats.path("minValues");
    greatest = stats.path("maxValues");
    for (int d = 0; d < TensorHeader.MAX_RANK; d++) {
      leastLow[d] = least.path(low.apply(d)).asLong(Long.MIN_VALUE);
      greatestHigh[d] = greatest.path(high.apply(d)).asLong(Long.MAX_VALUE);
    }
  }

  /** The bounds in the statistics of a log entry; text that does not parse says nothing. */
  static FileBounds of(String json) {
    return of(json, TableColumns::low, TableColumns::high);
  }

  /** The bounds of a file of a flat table with these dimensions. */
  static FileBounds ofFlat(String json, List<String> dimensions) {
    IntFunction<String> name = d -> d < dimensions.size() ? dimensions.get(d) : "";
    return of(json, name, name);
  }

  private static FileBounds of(String json, IntFunction<String> low, IntFunction<String> high) {
    try {
      return new FileBounds(JSON.readTree(json), low, high);
    } catch (JsonProcessingException e) {
      return new FileBounds(JSON.createObjectNode(), low, high);
    }
  }

  /** The greatest index along a dimension, {@link Long#MAX_VALUE} if it is not known. */
  long greatest(int dimension) {
    return greatestHigh[dimension];
  }

  /** True if the file may hold rows of a tensor. */
  boolean mayHold(String tensor) {
    return mayHold(tensor, TableColumns.TENSOR);
  }

  /** True if the file may hold rows with some text in a column. */
  boolean mayHold(String tensor, String column) {
    JsonNode from = least.path(column);
    JsonNode to = greatest.path(column);
    return (!from.isTextual() || from.asText().compareTo(tensor) <= 0)
        && (!to.isTextual() || to.asText().compareTo(tensor) >= 0);
  }

  /** The text that all rows have in a column, if the statistics tell; they may be cut off. */
  Optional<String> only(String column) {
    JsonNode from = least.path(column);
    return from.isTextual() && from.equals(greatest.path(column))
        ? Optional.of(from.asText())
        : Optional.empty();
  }

  /** True if numbers of a column may lie in {@code [from, to]}. */
  boolean mayHold(String column, long from, long to) {
    return least.path(column).asLong(from) <= to && greatest.path(column).asLong(to) >= from;
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
