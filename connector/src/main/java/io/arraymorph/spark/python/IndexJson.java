package io.arraymorph.spark.python;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.JsonTree;
import java.util.ArrayList;
import java.util.List;

/** Selections as JSON: per dimension a list of ranges {@code [start, stop, step]}, end excluded. */
final class IndexJson {
  private IndexJson() {}

  static JsonNode parse(String text) {
    try {
      return JsonTree.parse(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + text, e);
    }
  }

  /**
   * The selection of a text.
   *
   * @throws ArrayMorphException SHAPE_MISMATCH or OUT_OF_BOUNDS if it does not fit the shape
   */
  static OrthogonalSelection selection(String text, Shape shape) {
    JsonNode dimensions = parse(text);
    if (dimensions.size() != shape.rank()) {
      throw new ArrayMorphException(
          ErrorCode.SHAPE_MISMATCH,
          "a selection along " + dimensions.size() + " dimensions of an array of shape " + shape,
          "Select along each dimension");
    }
    List<IndexSet> sets = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      List<IndexRange> ranges = new ArrayList<>();
      for (JsonNode range : dimensions.get(d)) {
        long start = range.get(0).asLong();
        long stop = range.get(1).asLong();
        if (start < 0 || stop > shape.length(d)) {
          throw new ArrayMorphException(
              ErrorCode.OUT_OF_BOUNDS,
              "indices " + start + ":" + stop + " along dimension " + d + " of shape " + shape,
              "Select within the array");
        }
        ranges.add(new IndexRange(start, stop, range.get(2).asLong()));
      }
      sets.add(IndexSet.of(ranges));
    }
    return OrthogonalSelection.of(sets);
  }

  /** The ranges of a set. */
  static ArrayNode ranges(IndexSet set) {
    ArrayNode node = JsonNodeFactory.instance.arrayNode();
    for (IndexRange range : set.ranges()) {
      node.addArray().add(range.start()).add(range.stop()).add(range.stride());
    }
    return node;
  }

  static ArrayNode lengths(Shape shape) {
    ArrayNode node = JsonNodeFactory.instance.arrayNode();
    for (long length : shape.toArray()) {
      node.add(length);
    }
    return node;
  }
}
