package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.Held;
import io.arraymorph.optimizer.plan.NeededBytes;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * What one batch needs of one object, and then the bytes that came.
 *
 * <p>Needs are stated by one thread before the batch is planned; afterwards only {@link #fetched()}
 * changes.
 */
final class ObjectRead {
  private final StorePath object;
  private final List<ByteRuns> runs = new ArrayList<>();
  private final CompletableFuture<Fetched> fetched = new CompletableFuture<>();
  private boolean whole;
  private Held held = Held.NONE;
  private long expected;
  private OptionalLong size = OptionalLong.empty();

  ObjectRead(StorePath object) {
    this.object = object;
  }

  StorePath object() {
    return object;
  }

  void needWhole() {
    whole = true;
  }

  void need(ByteRuns needed) {
    runs.add(needed);
  }

  /** Notes a chunk that is in memory, and so need not be fetched. */
  void hold(long decodedBytes) {
    held = held.plus(new Held(1, decodedBytes, false));
  }

  void knowSize(long bytes) {
    size = OptionalLong.of(bytes);
  }

  /** About the length of the object, for estimates while it is not known. */
  void expectSize(long bytes) {
    expected = bytes;
  }

  /** About the bytes that the whole object has; 0 if nobody can tell. */
  long expectedSize() {
    return size.orElse(expected);
  }

  ObjectNeed need() {
    NeededBytes bytes = whole ? NeededBytes.WHOLE : NeededBytes.runs(runs);
    return new ObjectNeed(object, size, bytes, Optional.empty(), held);
  }

  CompletableFuture<Fetched> fetched() {
    return fetched;
  }

  /** The bytes, which must have come. */
  Fetched bytes() {
    return fetched.join();
  }
}
