package io.arraymorph.optimizer.execute;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A request with its one or two attempts; guarded by the queue. */
final class Flight {
  final StorePath object;
  final ByteRange range;
  final Supplier<ReadCondition> condition;
  final CompletableFuture<ObjectBytes> answer = new CompletableFuture<>();
  final List<CompletableFuture<ObjectBytes>> attempts = new ArrayList<>(2);
  final long expected;
  Stragglers.Sent sent;
  boolean late;
  boolean repeated;
  boolean landed;

  Flight(StorePath object, ByteRange range, long expected, Supplier<ReadCondition> condition) {
    this.object = object;
    this.range = range;
    this.condition = condition;
    if (range instanceof ByteRange.Bounded) {
      this.expected = ((ByteRange.Bounded) range).end() - ((ByteRange.Bounded) range).start();
    } else if (range instanceof ByteRange.Suffix) {
      this.expected = ((ByteRange.Suffix) range).length();
    } else {
      this.expected = expected;
    }
  }

  void fail() {
    answer.completeExceptionally(
        new StoreException(
            StoreException.Kind.CANCELLED, object.toString(), "the read was cancelled", null));
  }
}
