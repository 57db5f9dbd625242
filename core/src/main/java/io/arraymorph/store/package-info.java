/**
 * Objects in a store and ranges of their bytes: the {@link io.arraymorph.store.ObjectStore} SPI,
 * its local and in-memory implementations, and decorators that count, retry and fail.
 *
 * <p>Start with {@link io.arraymorph.store.ObjectStore}. This package does not know what an array
 * is; cloud stores live in module {@code cloud} and are found by {@link
 * io.arraymorph.store.ObjectStoreProvider}.
 */
package io.arraymorph.store;
