package io.arraymorph.layout.zarr.write;

import io.arraymorph.store.StoreException;
import java.util.function.Supplier;

/** The edge at which failures of the store become those that users see. */
final class StoreFailures {
  private StoreFailures() {}

  /** The result, or the store's failure as users see it. */
  static <T> T toUser(Supplier<T> work) {
    try {
      return work.get();
    } catch (StoreException failure) {
      throw failure.toUser();
    }
  }
}
