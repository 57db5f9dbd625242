package io.arraymorph.delta.encoding;

import io.arraymorph.array.ArraySchema;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a table says of one tensor: the content of its header row.
 *
 * @param tensorId the name of the tensor in its table, at most 255 characters, not empty
 * @param schema type, shape, dimension names and fill value
 * @param layout how it is cut and encoded
 * @param storedCells the number of stored cells
 * @param attributes free text by name; names that start with {@code arraymorph.} are ours
 */
public record TensorHeader(
    String tensorId,
    ArraySchema schema,
    TensorLayout layout,
    long storedCells,
    Map<String, String> attributes) {

  /** The version of header and row layout that this code writes, and the latest it reads. */
  public static final int FORMAT = 3;

  /** The most dimensions of a tensor in a table. */
  public static final int MAX_RANK = 8;

  /** Copies the attributes, sorted by name. */
  public TensorHeader {
    attributes = java.util.Collections.unmodifiableMap(new TreeMap<>(attributes));
    HeaderCheck.check(tensorId, schema, layout);
  }

  /** The same tensor with another shape and number of stored cells. */
  public TensorHeader with(ArraySchema newSchema, long newStoredCells) {
    return new TensorHeader(tensorId, newSchema, layout, newStoredCells, attributes);
  }

  /** The same tensor with one more attribute. */
  public TensorHeader withAttribute(String name, String value) {
    Map<String, String> more = new TreeMap<>(attributes);
    more.put(name, value);
    return new TensorHeader(tensorId, schema, layout, storedCells, more);
  }
}
