package io.arraymorph.optimizer.measure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ListPage;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The object that a measurement reads, within its bounds. For one thread.
 *
 * <p>What is not answered when the time is over is given up: a store that stopped answering, or a
 * network too slow for what was asked of it, ends the measurement and not more.
 */
final class ProbedObject {
  private static final int PAGES = 10;
  private static final long GUESSED_FROM = 1 << 16;

  private final StoreProbe bounds;
  private final long deadline;
  private final StorePath object;
  private final long bytes;
  private final ObjectStat smallest;
  private final AtomicLong retries;
  private long moved;
  private long requests;

  private ProbedObject(
      StoreProbe bounds,
      long deadline,
      StorePath object,
      long bytes,
      ObjectStat smallest,
      AtomicLong retries) {
    this.bounds = bounds;
    this.deadline = deadline;
    this.object = object;
    this.bytes = bytes;
    this.smallest = smallest;
    this.retries = retries;
  }

  /**
   * The largest object found at or below a path.
   *
   * @throws ArrayMorphException with OBJECT_NOT_FOUND if there is none of 64 KiB or more,
   *     STORE_UNAVAILABLE if the store does not list its objects in time
   */
  static ProbedObject find(StorePath asked, StoreProbe bounds) {
    long deadline = System.nanoTime() + bounds.maxDuration().toNanos();
    AtomicLong retries = new AtomicLong();
    StorePath path =
        new StorePath(
            asked.store().reportingRetriesTo((key, why) -> retries.incrementAndGet()), asked.key());
    String below = path.key().isEmpty() || path.key().endsWith("/") ? "" : "/";
    String largest = null;
    long size = 0;
    ObjectStat smallest = null;
    String continuation = "";
    for (int page = 0; page < PAGES; page++) {
      ListPage found =
          await(path.store().list(path.key(), "", continuation), path, deadline)
              .orElseThrow(() -> late("the objects below " + path, bounds));
      for (ObjectStat stat : found.objects()) {
        // A prefix of a store is one of texts: "a" is one of "ab/c" too.
        if (!stat.key().equals(path.key()) && !stat.key().startsWith(path.key() + below)) {
          continue;
        }
        if (stat.size() > size) {
          largest = stat.key();
          size = stat.size();
        }
        if (stat.size() > 0 && (smallest == null || stat.size() < smallest.size())) {
          smallest = stat;
        }
      }
      continuation = found.continuation();
      if (continuation.isEmpty()) {
        break;
      }
    }
    if (size < StoreProbe.LEAST_OBJECT) {
      throw new ArrayMorphException(
          ErrorCode.OBJECT_NOT_FOUND,
          "there is no object of 64 KiB or more below " + path,
          "Name an object or a prefix with larger objects");
    }
    StorePath object = new StorePath(path.store(), largest);
    return new ProbedObject(bounds, deadline, object, size, smallest, retries);
  }

  StorePath object() {
    return object;
  }

  long bytes() {
    return bytes;
  }

  /** Bytes moved so far. */
  long moved() {
    return moved;
  }

  /** Counts bytes that came another way. */
  void addMoved(long count) {
    moved += count;
  }

  /** Requests sent so far, those of the function apart. */
  long requests() {
    return requests;
  }

  /** How many of them the store refused or lost, so that they were sent again. */
  long retries() {
    return retries.get();
  }

  /** Counts requests that are sent another way. */
  void addRequests(long count) {
    requests += count;
  }

  /** True if so many requests for so many bytes in all may still be sent, and there is time. */
  boolean may(long more, long bytesOfAll) {
    return secondsLeft() > 0
        && moved + bytesOfAll <= bounds.maxBytes()
        && requests + more <= bounds.maxRequests();
  }

  /** Until the time is over; not above 0 if it is. */
  double secondsLeft() {
    return (deadline - System.nanoTime()) / 1e9;
  }

  /** What a measurement fails with that cannot do without an answer. */
  ArrayMorphException late() {
    return late("parts of " + object, bounds);
  }

  private static ArrayMorphException late(String what, StoreProbe bounds) {
    return new ArrayMorphException(
        ErrorCode.STORE_UNAVAILABLE,
        what + " did not come within " + bounds.maxDuration(),
        "Allow more time, or check the connection and the endpoint");
  }

  /** Bytes of the smallest object found; it may be the same. */
  long smallestBytes() {
    return smallest.size();
  }

  /**
   * Seconds that so many reads of the whole smallest object take, all asked for at once; none if
   * the time was over before.
   */
  OptionalDouble secondsOfSmallest(int count) {
    moved += count * smallest.size();
    return secondsOf(
        count, i -> object.store().get(smallest.key(), ByteRange.WHOLE, ReadCondition.NONE));
  }

  /** The smallest object found if it is no longer than that, else the largest. */
  StorePath smallObject(long most) {
    return smallest.size() <= most ? new StorePath(object.store(), smallest.key()) : object;
  }

  /** Seconds of so many small reads at once: of all of that object, or a byte of the largest. */
  OptionalDouble secondsOfMany(int count, long most) {
    return smallest.size() <= most ? secondsOfSmallest(count) : seconds(ranges(count, 1));
  }

  /** A part of the largest object. */
  ByteBuffer read(long start, long end) {
    requests++;
    return await(get(start, end), object, deadline).orElseThrow(this::late).bytes();
  }

  /** Fails an answer that does not come within the bounds. */
  <T> CompletableFuture<T> inTime(CompletableFuture<T> answer) {
    long left = Math.max(1, deadline - System.nanoTime());
    return answer.copy().orTimeout(left, TimeUnit.NANOSECONDS);
  }

  private CompletableFuture<ObjectBytes> get(long start, long end) {
    moved += end - start;
    return object.store().get(object.key(), ByteRange.of(start, end), ReadCondition.NONE);
  }

  /** Seconds that some ranges take, all asked for at once; none if the time was over before. */
  OptionalDouble seconds(List<long[]> ranges) {
    return secondsOf(ranges.size(), i -> get(ranges.get(i)[0], ranges.get(i)[1]));
  }

  private OptionalDouble secondsOf(int count, IntFunction<CompletableFuture<ObjectBytes>> sent) {
    requests += count;
    long start = System.nanoTime();
    List<CompletableFuture<ObjectBytes>> answers =
        IntStream.range(0, count).mapToObj(sent).toList();
    try {
      for (CompletableFuture<ObjectBytes> answer : answers) {
        if (await(answer, object, deadline).isEmpty()) {
          return OptionalDouble.empty();
        }
      }
      return OptionalDouble.of(Math.max(1e-9, (System.nanoTime() - start) / 1e9));
    } finally {
      answers.forEach(answer -> answer.cancel(true));
    }
  }

  /** Speed of a small part, so that no later one takes all of the time; 0 if there is none. */
  double guessedBytesPerSecond(double latency) {
    long some = Math.min(bytes, Math.min(GUESSED_FROM, bounds.maxBytes() / 16));
    if (!may(1, some)) {
      return 0;
    }
    OptionalDouble taken = seconds(ranges(1, some));
    return taken.isEmpty()
        ? 0
        : some / Math.max(taken.getAsDouble() - latency, taken.getAsDouble() / 20);
  }

  /** So many ranges of the object, each of so many bytes; they may overlap. */
  List<long[]> ranges(int count, long each) {
    List<long[]> ranges = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long start = (bytes - each) * i / Math.max(1, count - 1);
      ranges.add(new long[] {start, start + each});
    }
    return ranges;
  }

  private static <T> Optional<T> await(CompletableFuture<T> answer, StorePath what, long deadline) {
    try {
      return Optional.of(
          answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      answer.cancel(true);
      return Optional.empty();
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new ArrayMorphException(
          ErrorCode.CANCELLED, "the measurement of " + what + " was interrupted", "Start it anew");
    } catch (ExecutionException e) {
      StoreException failure = StoreException.of(e.getCause(), what.toString());
      throw new ArrayMorphException(
          failure.kind().code(), failure.getMessage(), "Check the store and its URI", failure);
    }
  }
}
