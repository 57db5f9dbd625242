package io.arraymorph.spark.read;

import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.io.Serializable;

/**
 * An open array as it travels to executors: where it lies and the metadata that were read on the
 * driver, so that no task reads them again and all tasks see the same.
 *
 * @param uri of the array
 * @param metadata the text that {@link ZarrArray#reopen} takes
 * @param decode whether the attributes of CF are applied
 */
record ArrayImage(String uri, String metadata, boolean decode) implements Serializable {

  /** The image of an array that was opened. */
  static ArrayImage of(ZarrArray array, boolean decode) {
    return new ArrayImage(array.path().toString(), array.metadataText(), decode);
  }

  /** The array again; no request is made. */
  ZarrArray open(StoreConfig config) {
    StorePath path = ObjectStores.open(uri, config);
    return ZarrArray.reopen(path, metadata);
  }

  /** How the elements of the array become values. */
  CfDecoding decoding(ZarrArray array) {
    return decode
        ? CfDecoding.of(array.schema().dataType(), array.attributes())
        : CfDecoding.raw(array.schema().dataType());
  }
}
