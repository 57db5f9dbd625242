package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.SliceCall;
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a read needs of one stored object.
 *
 * @param object which object
 * @param objectBytes its length, where that is known before reading it
 * @param bytes which of its bytes
 * @param decoded what the slice function would have to do instead if it decodes the object and
 *     answers the selected elements alone; empty if it can only answer stored bytes
 * @param held what is needed too but is in memory, and so not among {@code bytes}
 */
public record ObjectNeed(
    StorePath object,
    OptionalLong objectBytes,
    NeededBytes bytes,
    Optional<SliceCall> decoded,
    Held held) {

  /** A need of stored bytes. */
  public ObjectNeed(StorePath object, OptionalLong objectBytes, NeededBytes bytes) {
    this(object, objectBytes, bytes, Optional.empty());
  }

  /** A need of which nothing is held. */
  public ObjectNeed(
      StorePath object, OptionalLong objectBytes, NeededBytes bytes, Optional<SliceCall> decoded) {
    this(object, objectBytes, bytes, decoded, Held.NONE);
  }

  /** Throws if something is null. */
  public ObjectNeed {
    Objects.requireNonNull(object);
    Objects.requireNonNull(objectBytes);
    Objects.requireNonNull(bytes);
    Objects.requireNonNull(decoded);
    Objects.requireNonNull(held);
  }

  /** The same need where only these bytes are left to fetch. */
  public ObjectNeed rest(List<ByteRuns> left, Held inMemory) {
    return new ObjectNeed(object, objectBytes, NeededBytes.runs(left), decoded, inMemory);
  }

  /** True if nothing is left to fetch. */
  public boolean isNothing() {
    return bytes instanceof NeededBytes.Runs && ((NeededBytes.Runs) bytes).parts().isEmpty();
  }

  /** The same need with another amount of work for a function that decodes the object. */
  public ObjectNeed withDecoded(long spanBytes, long answerBytes) {
    long chunkBytes = decoded.map(SliceCall::chunkBytes).orElse(spanBytes);
    SliceCall call = new SliceCall(chunkBytes, spanBytes, answerBytes);
    return new ObjectNeed(object, objectBytes, bytes, Optional.of(call), held);
  }

  /**
   * The length of the object, else what is taken for likely, else {@code unknown}; but no less than
   * where the last needed byte is.
   */
  long assumedBytes(long unknown) {
    long least = 0;
    if (bytes instanceof NeededBytes.Runs) {
      for (ByteRuns part : ((NeededBytes.Runs) bytes).parts()) {
        least = Math.max(least, part.end());
      }
    }
    return objectBytes.orElse(Math.max(least, decoded.map(SliceCall::chunkBytes).orElse(unknown)));
  }

  /** What the slice function would have to do; empty if it cannot help. */
  public Optional<SliceCall> sliceCall() {
    if (decoded.isPresent()) {
      return decoded;
    }
    if (!(bytes instanceof NeededBytes.Runs) || ((NeededBytes.Runs) bytes).parts().isEmpty()) {
      return Optional.empty();
    }
    List<ByteRuns> parts = new ArrayList<>(((NeededBytes.Runs) bytes).parts());
    parts.sort(Comparator.comparingLong(ByteRuns::first));
    long end = parts.get(0).first();
    long span = 0;
    for (ByteRuns part : parts) {
      long start = part.first() - end > SliceProtocol.GAP_BYTES ? part.first() : end;
      span += Math.max(0, part.end() - start);
      end = Math.max(end, part.end());
    }
    long runs = parts.stream().mapToLong(ByteRuns::runCount).reduce(0, ObjectNeed::sum);
    return Optional.of(
        new SliceCall(objectBytes.orElse(end), span, neededBytes(), parts.size(), runs));
  }

  private static long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
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
