package io.arraymorph.optimizer.execute;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ForwardingObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Shows the buffers that a store answers with, and how many reads are under way at most. */
final class CapturingStore extends ForwardingObjectStore {
  private final List<byte[]> answers;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  CapturingStore(ObjectStore store, List<byte[]> answers) {
    super(store);
    this.answers = answers;
  }

  int mostUnderWay() {
    return most.get();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    return super.get(key, range, condition)
        .whenComplete(
            (answer, failure) -> {
              underWay.decrementAndGet();
              if (answer != null) {
                synchronized (answers) {
                  answers.add(answer.bytes().array());
                }
              }
            });
  }

  @Override
  public void close() {
    // The store under it belongs to the test.
  }
}
