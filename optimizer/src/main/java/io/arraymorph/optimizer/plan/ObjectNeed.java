package io.arraymorph.optimizer.plan;

import io.arraymorph.store.StorePath;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * What a read needs of one stored object.
 *
 * @param object which object
 * @param objectBytes its length, where that is known before reading it
 * @param bytes which of its bytes
 */
public record ObjectNeed(StorePath object, OptionalLong objectBytes, NeededBytes bytes) {

  /** Throws if something is null. */
  public ObjectNeed {
    Objects.requireNonNull(object);
    Objects.requireNonNull(objectBytes);
    Objects.requireNonNull(bytes);
  }

  /** The number of needed bytes; overlapping runs count twice; 0 if all of an unknown length. */
  public long neededBytes() {
    if (bytes instanceof NeededBytes.Runs) {
      return ((NeededBytes.Runs) bytes)
          .parts().stream().mapToLong(ByteRuns::byteCount).reduce(0, Math::addExact);
    }
    return objectBytes.orElse(0);
  }
}
