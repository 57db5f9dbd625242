package io.arraymorph.spark.read;

import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.RetryListener;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.io.Serializable;
import java.util.List;

/**
 * An open array as it travels to executors: where it lies and the metadata that were read on the
 * driver, so that no task reads them again and all tasks see the same.
 *
 * @param uri of the array
 * @param metadata the text that {@link ZarrArray#reopen} takes
 * @param decoding how its elements become values, as {@link CfDecoding#parse} takes it
 * @param dimensions which dimensions of the table it has, in the order of its axes
 */
record ArrayImage(String uri, String metadata, String decoding, List<Integer> dimensions)
    implements Serializable {

  /** Copies the list. */
  ArrayImage {
    dimensions = List.copyOf(dimensions);
  }

  /** The image of a variable that was opened. */
  static ArrayImage of(Variable variable) {
    ZarrArray array = (ZarrArray) variable.array();
    return new ArrayImage(
        array.path().toString(),
        array.metadataText(),
        variable.decoding().toJson(),
        variable.dimensions());
  }

  /**
   * The array again; no request is made.
   *
   * @param retries told of every request for its chunks that is made again
   */
  ZarrArray open(StoreConfig config, RetryListener retries) {
    StorePath path = ObjectStores.open(uri, config);
    ObjectStore store = path.store().reportingRetriesTo(retries);
    return ZarrArray.reopen(new StorePath(store, path.key()), metadata);
  }

  /** How the elements of the array become values. */
  CfDecoding decoding(ZarrArray array) {
    return CfDecoding.parse(array.schema().dataType(), decoding);
  }
}
