package io.arraymorph.spark.delta;

import io.arraymorph.delta.table.DeltaTensor;
import io.arraymorph.store.StoreConfig;

/**
 * A tensor and how to reach it.
 *
 * @param config of the store; may hold credentials, not to be printed
 */
record TensorSource(String path, StoreConfig config, DeltaTensor tensor) {
  @Override
  public String toString() {
    return path + " tensor '" + tensor.header().tensorId() + "'";
  }
}
