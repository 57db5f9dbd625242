package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.ChunkAccess;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Sends the requests of accesses and joins their answers, one version of each object only. */
final class ObjectFetcher {
  private final RequestQueue queue;
  private final ObjectVersions versions;
  private final long maxBytes;
  private final Optional<FunctionCalls> function;
  private final Set<CompletableFuture<?>> underWay = ConcurrentHashMap.newKeySet();
  private volatile boolean cancelled;

  /**
   * @param maxBytes the most bytes moved for one object
   * @param function answers slices, if there is one
   */
  ObjectFetcher(
      RequestQueue queue,
      ObjectVersions versions,
      long maxBytes,
      Optional<FunctionCalls> function) {
    this.queue = queue;
    this.versions = versions;
    this.maxBytes = maxBytes;
    this.function = function;
  }

  /** A range of an object, empty if the object does not exist. */
  CompletableFuture<Optional<ObjectBytes>> get(StorePath object, ByteRange range) {
    return get(object, range, 0);
  }

  private CompletableFuture<Optional<ObjectBytes>> get(
      StorePath object, ByteRange range, long expected) {
    if (versions.isAbsent(object)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return queue
        .get(object, range, expected, () -> versions.condition(object))
        .handle((answer, failure) -> check(object, answer, failure));
  }

  private Optional<ObjectBytes> check(StorePath object, ObjectBytes answer, Throwable failure) {
    if (failure == null) {
      versions.found(object, answer.etag());
      return Optional.of(answer);
    }
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof StoreException) {
      switch (((StoreException) cause).kind()) {
        case NOT_FOUND:
          versions.absent(object);
          return Optional.empty();
        case PRECONDITION_FAILED:
          throw ObjectVersions.changed(object, "has another ETag", cause);
        default:
          break;
      }
    }
    throw cause instanceof RuntimeException
        ? (RuntimeException) cause
        : new CompletionException(cause);
  }

  /**
   * Completes {@code read} with what the requests of {@code access} bring.
   *
   * @param calls takes the calls of the slice function; the caller sends them
   */
  void fetch(ChunkAccess access, ObjectRead read, SliceCalls calls) {
    StorePath object = read.object();
    long bytes = access.bytesToMove().orElse(0);
    if (bytes > maxBytes) {
      read.fetched()
          .completeExceptionally(
              new ArrayMorphException(
                  ErrorCode.TOO_LARGE,
                  bytes
                      + " bytes of object "
                      + object
                      + " are needed at once, the limit is "
                      + maxBytes,
                  "Select less of each chunk, or use planner=auto or range"));
      return;
    }
    if (access instanceof ChunkAccess.SliceFunction) {
      slice((ChunkAccess.SliceFunction) access, read, calls);
      return;
    }
    List<CompletableFuture<Optional<ObjectBytes>>> answers = new ArrayList<>();
    for (ByteRange range : access.requests()) {
      answers.add(
          get(object, range, read.expectedSize())
              .thenApply(
                  answer -> {
                    answer.ifPresent(read::came);
                    return answer;
                  }));
    }
    CompletableFuture<?> unused =
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
            .whenComplete(
                (ignored, failure) -> {
                  if (failure != null) {
                    read.fetched().completeExceptionally(failure);
                    return;
                  }
                  List<ObjectBytes> found = new ArrayList<>();
                  answers.forEach(answer -> answer.join().ifPresent(found::add));
                  read.fetched().complete(found.isEmpty() ? Fetched.ABSENT : Fetched.of(found));
                });
  }

  /** By the slice function, or if it fails from the store itself. */
  private void slice(ChunkAccess.SliceFunction access, ObjectRead read, SliceCalls calls) {
    StorePath object = read.object();
    if (!hasFunction() || versions.isAbsent(object)) {
      fetch(withoutFunction(access), read, calls);
      return;
    }
    Duration time = FunctionCalls.time(access.callSeconds());
    List<List<ByteRuns>> divided = access.dividedRuns();
    List<CompletableFuture<SliceFunction.Answer>> answers = new ArrayList<>();
    for (List<ByteRuns> runs : divided) {
      answers.add(calls.add(slice(object, runs), read.need().objectBytes(), time));
    }
    CompletableFuture<?> unused =
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
            .whenComplete(
                (ignored, failure) -> {
                  if (failure != null) {
                    ArrayMorphException fatal = function.get().fatal(failure);
                    if (fatal != null) {
                      read.fetched().completeExceptionally(fatal);
                    } else {
                      fetch(withoutFunction(access), read, calls);
                    }
                    return;
                  }
                  List<ObjectBytes> segments = new ArrayList<>();
                  try {
                    for (int i = 0; i < answers.size(); i++) {
                      SliceFunction.Answer answer = answers.get(i).join();
                      versions.found(object, answer.etag());
                      segments.addAll(FunctionCalls.segments(answer, divided.get(i)));
                    }
                    read.fetched().complete(Fetched.of(segments));
                  } catch (RuntimeException e) {
                    read.fetched().completeExceptionally(e);
                  }
                });
  }

  private SliceFunction.Slice slice(StorePath object, List<ByteRuns> runs) {
    long bytes = runs.stream().mapToLong(ByteRuns::byteCount).sum();
    long first = runs.stream().mapToLong(ByteRuns::first).min().orElse(0);
    long end = runs.stream().mapToLong(ByteRuns::end).max().orElse(0);
    return new SliceFunction.Slice(
        object, pinned(object), runs, Optional.empty(), bytes, end - first);
  }

  /** True if there is a slice function that is worth calling now. */
  boolean hasFunction() {
    return function.isPresent() && function.get().isAvailable();
  }

  /** The calls of the slice function; there must be one. */
  FunctionCalls function() {
    return function.orElseThrow();
  }

  /**
   * A call of the slice function that is aborted when this is cancelled.
   *
   * @param check the bytes of an answer; fails if it is not what was asked for
   */
  @SuppressWarnings("CollectionUndefinedEquality") // by identity, which is meant
  <T> CompletableFuture<T> call(
      Function<SliceFunction, CompletableFuture<T>> call, ToLongFunction<T> check, Duration time) {
    FunctionCalls calls = function.orElseThrow();
    CompletableFuture<T> answer = calls.call(() -> call.apply(calls.function()), check, time);
    underWay.add(answer);
    CompletableFuture<?> unused =
        answer.whenComplete((ignored, failure) -> underWay.remove(answer));
    if (cancelled) {
      answer.cancel(true);
    }
    return answer;
  }

  /** Aborts calls of the slice function, now and later ones; requests are the queue's. */
  void cancel() {
    cancelled = true;
    List.copyOf(underWay).forEach(answer -> answer.cancel(true));
  }

  /** The version of an object that was read first. */
  Optional<String> pinned(StorePath object) {
    ReadCondition condition = versions.condition(object);
    return condition instanceof ReadCondition.IfMatch
        ? Optional.of(((ReadCondition.IfMatch) condition).etag())
        : Optional.empty();
  }

  private static ChunkAccess withoutFunction(ChunkAccess access) {
    return GapPlanner.DEFAULT.plan(List.of(access.need())).accesses().get(0);
  }
}
