package io.arraymorph.spark.write;

import java.util.HashMap;
import java.util.List;
import org.apache.spark.sql.api.java.UDF1;

/** The index of a coordinate's key, or NULL for one that the dimension does not have. */
final class KeyLookup implements UDF1<Object, Long> {
  private static final long serialVersionUID = 1L;

  private final HashMap<Object, Long> indices;

  /** Looks up keys by their place in a list. */
  KeyLookup(List<Object> keys) {
    this.indices = new HashMap<>();
    for (int i = 0; i < keys.size(); i++) {
      indices.put(keys.get(i), (long) i);
    }
  }

  @Override
  public Long call(Object key) {
    return indices.get(key);
  }
}
