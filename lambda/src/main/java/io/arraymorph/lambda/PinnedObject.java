package io.arraymorph.lambda;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Reads of one version of one object, within a deadline and a bound on bytes, some at once. For one
 * thread.
 */
final class PinnedObject {
  private static final int AT_ONCE = 4;
  private static final int ATTEMPTS = 3;
  private static final long PART_BYTES = 8 << 20;

  private final ObjectSource source;
  private final Deadline deadline;
  private final long maxBytes;
  private final HeapBudget.Lease memory;
  private Optional<String> etag;
  private final Optional<EarlyRead> early;
  private long objectBytes = -1;
  private long bytesRead;

  /**
   * @param etag the version that must be read; empty to read the one that is found first
   * @param maxBytes of all reads together
   * @param memory of the call
   * @param early what was asked for already
   */
  PinnedObject(
      ObjectSource source,
      Optional<String> etag,
      Deadline deadline,
      long maxBytes,
      HeapBudget.Lease memory,
      Optional<EarlyRead> early) {
    this.memory = memory;
    this.early = early;
    this.source = source;
    this.etag = etag;
    this.deadline = deadline;
    this.maxBytes = maxBytes;
  }

  String name() {
    return source.name();
  }

  long bytesRead() {
    return bytesRead;
  }

  /** The version that was read; something must have been. */
  String etag() {
    return etag.orElse("");
  }

  /** The length of the object; something must have been read. */
  long objectBytes() {
    return objectBytes;
  }

  /**
   * What was asked for before this slice was begun; empty if there is none, or it came to grief.
   */
  Optional<ObjectBytes> early() {
    if (early.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(took(deadline.await(early.get().answer())));
    } catch (ExecutionException e) {
      StoreException failure = StoreException.of(e.getCause(), name());
      if (!failure.kind().isTransient()) {
        throw failure;
      }
      return Optional.empty();
    }
  }

  /** Memory of this call for something else than what is read. */
  void reserve(String what, long bytes) {
    memory.take(what, bytes);
  }

  /**
   * All of the object by one request; empty if it is longer, and then a part of it was read in
   * vain.
   *
   * @param bytes at least 1
   */
  Optional<ObjectBytes> allIfAtMost(long bytes) {
    if (bytes > maxBytes - bytesRead) {
      return Optional.empty();
    }
    ObjectBytes found = get(ByteRange.of(0, bytes));
    return found.objectSize() <= bytes ? Optional.of(found) : Optional.empty();
  }

  Deadline deadline() {
    return deadline;
  }

  /** One request, of no more than some bytes. */
  private ObjectBytes get(ByteRange.Bounded range) {
    reserve("what is read of the object", range.length());
    return read(range);
  }

  /** The last bytes of the object. */
  ObjectBytes last(long bytes) {
    reserve("what is read of the object", bytes);
    return read(new ByteRange.Suffix(bytes));
  }

  /** The first bytes of the object. */
  ObjectBytes first(long bytes) {
    return get(ByteRange.of(0, bytes));
  }

  private ObjectBytes read(ByteRange range) {
    for (int attempt = 1; ; attempt++) {
      try {
        return took(deadline.await(source.get(range, condition())));
      } catch (ExecutionException e) {
        StoreException failure = StoreException.of(e.getCause(), name());
        if (!failure.kind().isTransient() || attempt == ATTEMPTS) {
          throw failure;
        }
        deadline.check();
      }
    }
  }

  private ReadCondition condition() {
    return etag.map(ReadCondition::ifMatch).orElse(ReadCondition.NONE);
  }

  private ObjectBytes took(ObjectBytes bytes) {
    bytesRead += bytes.bytes().remaining();
    if (bytesRead > maxBytes) {
      throw tooLarge("what must be read of the object", bytesRead, maxBytes);
    }
    if (etag.isPresent() && !etag.get().equals(bytes.etag())) {
      throw new StoreException(
          StoreException.Kind.PRECONDITION_FAILED, name(), "another version", null);
    }
    etag = Optional.of(bytes.etag());
    objectBytes = bytes.objectSize();
    return bytes;
  }

  static ArrayMorphException tooLarge(String what, long bytes, long most) {
    return new ArrayMorphException(
        ErrorCode.TOO_LARGE,
        what + " takes " + bytes + " bytes, the limit is " + most,
        "Ask for less at a time");
  }

  /**
   * Some ranges, large ones in parts, a few requests at once.
   *
   * @return the bytes of each range; shorter where the object ends before
   */
  List<ObjectBytes> getAll(List<ByteRange.Bounded> ranges) {
    long sum = ranges.stream().mapToLong(ByteRange.Bounded::length).sum();
    if (sum > maxBytes - bytesRead) {
      throw tooLarge("what must be read of the object", sum, maxBytes);
    }
    List<ByteRange.Bounded> parts = new ArrayList<>();
    for (ByteRange.Bounded range : ranges) {
      for (long start = range.start(); start < range.end(); start += PART_BYTES) {
        parts.add(ByteRange.of(start, Math.min(range.end(), start + PART_BYTES)));
      }
    }
    // Several parts of a range are joined, which takes as much again.
    reserve("what is read of the object", parts.size() > ranges.size() ? 2 * sum : sum);
    List<ObjectBytes> found = new ArrayList<>();
    if (etag.isEmpty() && !parts.isEmpty()) {
      // The first names the version that the others must be of.
      found.add(read(parts.get(0)));
    }
    List<CompletableFuture<ObjectBytes>> underWay = new ArrayList<>();
    try {
      for (int next = found.size(); next < parts.size() || !underWay.isEmpty(); ) {
        while (next < parts.size() && underWay.size() < AT_ONCE) {
          underWay.add(source.get(parts.get(next++), condition()));
        }
        CompletableFuture<ObjectBytes> first = underWay.get(0);
        try {
          found.add(took(deadline.await(first)));
        } catch (ExecutionException e) {
          StoreException failure = StoreException.of(e.getCause(), name());
          if (!failure.kind().isTransient()) {
            throw failure;
          }
          found.add(read(parts.get(found.size())));
        }
        underWay.remove(0);
      }
    } finally {
      underWay.forEach(request -> request.cancel(true));
    }
    return found;
  }
}
