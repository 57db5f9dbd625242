package io.arraymorph.optimizer.execute;

import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Shows the buffers that a store answers with, and how many reads are under way at most. */
final class CapturingStore implements ObjectStore {
  private final ObjectStore store;
  private final List<byte[]> answers;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  CapturingStore(ObjectStore store, List<byte[]> answers) {
    this.store = store;
    this.answers = answers;
  }

  int mostUnderWay() {
    return most.get();
  }

  @Override
  public String uri() {
    return store.uri();
  }

  @Override
  public CompletableFuture<ObjectBytes> get(String key, ByteRange range, ReadCondition condition) {
    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    return store
        .get(key, range, condition)
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
  public CompletableFuture<ObjectStat> head(String key) {
    return store.head(key);
  }

  @Override
  public CompletableFuture<ListPage> list(String prefix, String delimiter, String continuation) {
    return store.list(prefix, delimiter, continuation);
  }

  @Override
  public CompletableFuture<String> put(String key, ByteBuffer bytes, WriteCondition condition) {
    return store.put(key, bytes, condition);
  }

  @Override
  public CompletableFuture<String> copy(String source, String target, WriteCondition condition) {
    return store.copy(source, target, condition);
  }

  @Override
  public CompletableFuture<Void> delete(String key, WriteCondition condition) {
    return store.delete(key, condition);
  }

  @Override
  public CompletableFuture<Void> deleteAll(Collection<String> keys) {
    return store.deleteAll(keys);
  }

  @Override
  public void close() {}
}
