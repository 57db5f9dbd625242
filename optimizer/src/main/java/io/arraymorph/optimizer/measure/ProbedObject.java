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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** The object that a measurement reads, within its bounds. For one thread. */
final class ProbedObject {
  private static final int PAGES = 10;

  private final StoreProbe bounds;
  private final long deadline;
  private final StorePath object;
  private final long bytes;
  private final ObjectStat smallest;
  private long moved;

  private ProbedObject(
      StoreProbe bounds, long deadline, StorePath object, long bytes, ObjectStat smallest) {
    this.bounds = bounds;
    this.deadline = deadline;
    this.object = object;
    this.bytes = bytes;
    this.smallest = smallest;
  }

  /**
   * The largest object found at or below a path.
   *
   * @throws ArrayMorphException with OBJECT_NOT_FOUND if there is none of 64 KiB or more
   */
  static ProbedObject find(StorePath path, StoreProbe bounds) {
    long deadline = System.nanoTime() + bounds.maxDuration().toNanos();
    String largest = null;
    long size = 0;
    ObjectStat smallest = null;
    String continuation = "";
    for (int page = 0; page < PAGES; page++) {
      ListPage found = await(path.store().list(path.key(), "", continuation), path);
      for (ObjectStat stat : found.objects()) {
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
    return new ProbedObject(bounds, deadline, object, size, smallest);
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

  /** True if so many bytes may still be moved, and there is time. */
  boolean mayMove(long count) {
    return System.nanoTime() < deadline && moved + count <= bounds.maxBytes();
  }

  /** Bytes of the smallest object found; it may be the same. */
  long smallestBytes() {
    return smallest.size();
  }

  /** Seconds that so many reads of the whole smallest object take, all asked for at once. */
  double secondsOfSmallest(int count) {
    long start = System.nanoTime();
    List<CompletableFuture<ObjectBytes>> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      answers.add(object.store().get(smallest.key(), ByteRange.WHOLE, ReadCondition.NONE));
    }
    answers.forEach(answer -> moved += await(answer, object).bytes().remaining());
    return Math.max(1e-9, (System.nanoTime() - start) / 1e9);
  }

  /** The smallest object found if it is no longer than that, else the largest. */
  StorePath smallObject(long most) {
    return smallest.size() <= most ? new StorePath(object.store(), smallest.key()) : object;
  }

  /** Seconds of so many small reads at once: of all of that object, or a byte of the largest. */
  double secondsOfMany(int count, long most) {
    return smallest.size() <= most ? secondsOfSmallest(count) : seconds(ranges(count, 1));
  }

  /** A part of the largest object. */
  ByteBuffer read(long start, long end) {
    return await(get(start, end), object).bytes();
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

  /** Seconds that some ranges take, all asked for at once. */
  double seconds(List<long[]> ranges) {
    long start = System.nanoTime();
    List<CompletableFuture<ObjectBytes>> answers = new ArrayList<>();
    ranges.forEach(range -> answers.add(get(range[0], range[1])));
    answers.forEach(answer -> await(answer, object));
    return Math.max(1e-9, (System.nanoTime() - start) / 1e9);
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

  private static <T> T await(CompletableFuture<T> answer, StorePath what) {
    try {
      return answer.join();
    } catch (CompletionException e) {
      StoreException failure = StoreException.of(e, what.toString());
      throw new ArrayMorphException(
          failure.kind().code(), failure.getMessage(), "Check the store and its URI", failure);
    }
  }
}
