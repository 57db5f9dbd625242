package io.arraymorph.layout.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType;
import java.util.List;

/**
 * One array of a table, whose cells become a column.
 *
 * @param name the name of the column
 * @param array the array
 * @param decoding how its elements become values
 * @param attributes its attributes, not to be changed
 * @param dimensions which dimensions of the table the array has, in the order of its axes; of a
 *     coordinate not all
 */
public record Variable(
    String name,
    ChunkedArray array,
    CfDecoding decoding,
    JsonNode attributes,
    List<Integer> dimensions) {

  /** Copies the list. */
  public Variable {
    dimensions = List.copyOf(dimensions);
  }

  /** The type of a cell. */
  public ColumnType type() {
    return decoding.type();
  }
}
