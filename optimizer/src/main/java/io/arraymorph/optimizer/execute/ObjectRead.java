package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.Held;
import io.arraymorph.optimizer.plan.NeededBytes;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

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
  private final List<Piece> readers = new CopyOnWriteArrayList<>();
  private boolean whole;
  private Held held = Held.NONE;
  private long expected;
  private OptionalLong size = OptionalLong.empty();

  ObjectRead(StorePath object) {
    this.object = object;
    CompletableFuture<?> unused = fetched.whenComplete((bytes, failure) -> readers.clear());
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

  /** A piece that is told of bytes as they come, from now on. */
  void tell(Piece piece) {
    if (!fetched.isDone()) {
      readers.add(piece);
    }
  }

  /** Some of the bytes have come; before {@link #fetched()} says that all have. */
  void came(ObjectBytes bytes) {
    readers.forEach(piece -> piece.came(bytes));
  }

  CompletableFuture<Fetched> fetched() {
    return fetched;
  }

  /** The bytes, which must have come. */
  Fetched bytes() {
    return fetched.join();
  }
}
