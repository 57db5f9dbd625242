package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.SliceCall;
import io.arraymorph.store.StorePath;
import java.util.Objects;
import java.util.Optional;
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

  /** What the slice function would have to do; empty if all of the object is needed. */
  public Optional<SliceCall> sliceCall() {
    if (!(bytes instanceof NeededBytes.Runs) || ((NeededBytes.Runs) bytes).parts().isEmpty()) {
      return Optional.empty();
    }
    long first = Long.MAX_VALUE;
    long end = 0;
    for (ByteRuns part : ((NeededBytes.Runs) bytes).parts()) {
      first = Math.min(first, part.first());
      end = Math.max(end, part.end());
    }
    return Optional.of(new SliceCall(objectBytes.orElse(end), end - first, neededBytes()));
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
