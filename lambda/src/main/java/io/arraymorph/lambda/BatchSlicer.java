package io.arraymorph.lambda;

import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the slices of one call, a few at once. For one call.
 *
 * <p>Slices that run at once share the limits of a call, so that a call for many takes no more
 * memory than one for a single large slice.
 */
final class BatchSlicer {
  private static final Logger LOG = LoggerFactory.getLogger(BatchSlicer.class);
  private static final int AT_ONCE = 8;

  /**
   * One answer.
   *
   * @param bytes packed
   * @param version that was read
   */
  @SuppressWarnings("ArrayRecordComponent") // Not compared.
  record Part(byte[] bytes, SliceBatch.Version version) {}

  private final List<SliceRequest> slices;
  private final List<ObjectSource> sources;
  private final PacedReads.Stores reads;
  private final HeapBudget.Lease memory;
  private final SliceLimits limits;
  private final SliceLimits each;
  private final Deadline deadline;
  private final List<Optional<Part>> parts = new ArrayList<>();
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong read = new AtomicLong();
  private final Map<String, ZarrArray> arrays = new ConcurrentHashMap<>();

  private final List<Optional<EarlyRead>> early = new ArrayList<>();
  private final int atOnce;

  /**
   * @param sources where the object of each slice is read
   * @param reads small ones of all calls
   * @param memory of the call
   * @param limits of the call
   */
  BatchSlicer(
      List<SliceRequest> slices,
      List<ObjectSource> sources,
      PacedReads.Stores reads,
      HeapBudget.Lease memory,
      SliceLimits limits,
      Deadline deadline) {
    this.reads = reads;
    this.memory = memory;
    this.slices = slices;
    this.sources = sources;
    this.limits = limits;
    this.deadline = deadline;
    this.atOnce = Math.min(AT_ONCE, slices.size());
    this.each =
        limits.with(
            Math.max(1, limits.answerBytes() / atOnce),
            Math.max(1, limits.objectBytes() / atOnce),
            limits.concurrency());
    slices.forEach(slice -> parts.add(Optional.empty()));
  }

  /** Bytes that were read of all objects. */
  long bytesRead() {
    return read.get();
  }

  /**
   * The answers in order; empty for an object that does not exist, if there are several.
   *
   * <p>What needs one small read is sent first and worked on by this thread once all answers have
   * come: waking it, or a thread for each, takes longer than what there is to do. Other slices read
   * and decode some at a time.
   *
   * @param workers run those others
   * @throws RuntimeException what the first slice that failed failed with; the others are stopped
   */
  List<Optional<Part>> run(ExecutorService workers) {
    if (slices.size() == 1) {
      early.add(Optional.empty());
      return List.of(Optional.of(slice(0)));
    }
    List<Future<?>> running = new ArrayList<>();
    try {
      List<Integer> small = new ArrayList<>();
      List<Integer> others = new ArrayList<>();
      for (int i = 0; i < slices.size(); i++) {
        early.add(sentEarly(i));
        (early.get(i).isPresent() ? small : others).add(i);
      }
      AtomicInteger next = new AtomicInteger();
      for (int i = 0; i < Math.min(atOnce, others.size()); i++) {
        running.add(workers.submit(() -> runSome(others, next)));
      }
      awaitEarly();
      runSome(small, new AtomicInteger());
      for (Future<?> one : running) {
        one.get();
      }
      return List.copyOf(parts);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Deadline.SliceTimeoutException();
    } finally {
      running.forEach(one -> one.cancel(true));
      early.forEach(read -> read.ifPresent(sent -> sent.answer().cancel(true)));
    }
  }

  /** Waits for all answers, of whatever kind. */
  private void awaitEarly() {
    CompletableFuture<?>[] sent =
        early.stream()
            .flatMap(Optional::stream)
            .map(EarlyRead::answer)
            .toArray(CompletableFuture<?>[]::new);
    try {
      deadline.await(CompletableFuture.allOf(sent));
    } catch (ExecutionException e) {
      LOG.debug("an early read failed; its slice finds out", e);
    }
  }

  private Optional<EarlyRead> sentEarly(int i) {
    if ((i + 1) * EarlyRead.SMALL_BYTES > limits.objectBytes()) {
      return Optional.empty();
    }
    SliceRequest slice = slices.get(i);
    ReadCondition version = slice.etag().map(ReadCondition::ifMatch).orElse(ReadCondition.NONE);
    Optional<ByteRange> range = EarlyRead.range(slice);
    if (range.isEmpty()) {
      return Optional.empty();
    }
    memory.take("small reads", EarlyRead.SMALL_BYTES);
    ObjectSource source = sources.get(i);
    PacedReads paced = reads.of(source.store());
    return Optional.of(new EarlyRead(paced.get(() -> source.get(range.get(), version))));
  }

  private void runSome(List<Integer> some, AtomicInteger next) {
    for (int k = next.getAndIncrement(); k < some.size(); k = next.getAndIncrement()) {
      int i = some.get(k);
      Optional<Part> part;
      try {
        part = Optional.of(slice(i));
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.NOT_FOUND) {
          next.set(some.size());
          throw e;
        }
        part = Optional.empty();
      } catch (RuntimeException | Error e) {
        next.set(some.size());
        throw e;
      }
      synchronized (parts) {
        parts.set(i, part);
      }
    }
  }

  private Part slice(int i) {
    SliceRequest slice = slices.get(i);
    PinnedObject object =
        new PinnedObject(
            sources.get(i), slice.etag(), deadline, each.objectBytes(), memory, early.get(i));
    byte[] bytes = new ChunkSlicer(slice, object, each, arrays).slice();
    read.addAndGet(object.bytesRead());
    if (answered.addAndGet(bytes.length) > limits.answerBytes()) {
      throw PinnedObject.tooLarge("the answer", answered.get(), limits.answerBytes());
    }
    return new Part(bytes, new SliceBatch.Version(object.etag(), object.objectBytes()));
  }
}
