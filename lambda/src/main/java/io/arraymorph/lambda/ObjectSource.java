package io.arraymorph.lambda;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.util.concurrent.CompletableFuture;

/** One object, wherever it is read from. Thread-safe. */
interface ObjectSource {

  /** A range of the object; fails with {@code StoreException}. */
  CompletableFuture<ObjectBytes> get(ByteRange range, ReadCondition condition);

  /** What it is called in messages. */
  String name();

  /** The store that it is read from, without credentials. */
  String store();

  /** An object of a store, read with the credentials of this process. */
  static ObjectSource of(StorePath path) {
    return new ObjectSource() {
      @Override
      public CompletableFuture<ObjectBytes> get(ByteRange range, ReadCondition condition) {
        return path.store().get(path.key(), range, condition);
      }

      @Override
      public String name() {
        return path.toString();
      }

      @Override
      public String store() {
        return path.storeUri();
      }
    };
  }
}
