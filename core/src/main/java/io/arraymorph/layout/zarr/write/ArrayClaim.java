package io.arraymorph.layout.zarr.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ObjectStat;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The right of one writer to change a target, held as an object in the store and renewed by a
 * daemon thread until it is given back ({@code docs/spec/writing.md}, section 3).
 *
 * <p>Thread-safe.
 */
final class ArrayClaim {
  static final String KEY = StagingArea.PRIVATE + "claim.json";

  private final TargetObjects objects;
  private final Duration staleAge;
  private final ScheduledExecutorService heartbeat;
  private final ScheduledFuture<?> beats;
  private ClaimRecord record;
  private String etag;
  private boolean released;
  private volatile long renewedNanos;
  private volatile RuntimeException lost;

  private ArrayClaim(
      TargetObjects objects, Duration staleAge, ClaimRecord record, String etag, long sentNanos) {
    this.objects = objects;
    this.staleAge = staleAge;
    this.record = record;
    this.etag = etag;
    this.renewedNanos = sentNanos;
    this.heartbeat =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "arraymorph-claim");
              thread.setDaemon(true);
              return thread;
            });
    long period = staleAge.toMillis() / 5 + 1;
    this.beats =
        heartbeat.scheduleWithFixedDelay(this::beat, period, period, TimeUnit.MILLISECONDS);
  }

  /**
   * Takes the claim.
   *
   * @throws ArrayMorphException ARRAY_BEING_WRITTEN if somebody else holds it
   */
  static ArrayClaim take(TargetObjects objects, ClaimRecord wanted, ClaimPolicy policy) {
    byte[] bytes = wanted.toBytes();
    long sent = System.nanoTime();
    try {
      String etag = objects.put(KEY, bytes, WriteCondition.IF_ABSENT);
      return new ArrayClaim(objects, policy.staleAge(), wanted, etag, sent);
    } catch (StoreException failure) {
      if (failure.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        throw failure;
      }
    }
    Optional<TargetObjects.Versioned> held = objects.read(KEY);
    if (held.isEmpty()) {
      throw beingWritten(objects.target(), "somebody who has just finished", null);
    }
    ClaimRecord holder = ClaimRecord.parse(held.get().json(objects.path(KEY).toString()));
    if (holder.uuid().equals(wanted.uuid())) {
      // The first try arrived and its answer was lost.
      return new ArrayClaim(objects, policy.staleAge(), wanted, held.get().etag(), sent);
    }
    Duration age = policy.force() ? null : age(objects);
    if (age != null && age.compareTo(policy.staleAge()) < 0) {
      throw beingWritten(
          objects.target(),
          holder.writer()
              + " (operation "
              + holder.operation()
              + ", renewed "
              + age.toSeconds()
              + " s ago)",
          policy.staleAge());
    }
    try {
      long again = System.nanoTime();
      String etag = objects.putOnce(KEY, bytes, WriteCondition.ifMatch(held.get().etag()));
      return new ArrayClaim(objects, policy.staleAge(), wanted, etag, again);
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.PRECONDITION_FAILED) {
        throw beingWritten(objects.target(), "another writer that took over", policy.staleAge());
      }
      throw failure;
    }
  }

  String uuid() {
    return record.uuid();
  }

  /**
   * Makes sure that nobody can have taken the claim over yet; call it before every request that
   * changes something others see.
   *
   * @throws ArrayMorphException WRITE_FAILED if the claim was or may have been lost
   */
  void ensureHeld() {
    if (lost != null) {
      throw failed("its claim was lost", lost);
    }
    long idle = System.nanoTime() - renewedNanos;
    if (idle > staleAge.toNanos() / 2) {
      throw failed(
          "its claim could not be renewed for " + TimeUnit.NANOSECONDS.toSeconds(idle) + " s",
          null);
    }
  }

  /** Gives the claim back; a claim that was lost is left to its new holder. */
  void release() {
    beats.cancel(/* mayInterruptIfRunning= */ false);
    heartbeat.shutdown();
    synchronized (this) {
      if (released || lost != null) {
        return;
      }
      released = true;
      if (deleted(etag)) {
        return;
      }
      // A renewal may have arrived whose answer was lost.
      Optional<TargetObjects.Versioned> now = objects.read(KEY);
      if (now.isPresent() && ClaimRecord.parse(now.get().json(KEY)).uuid().equals(record.uuid())) {
        deleted(now.get().etag());
      }
    }
  }

  private boolean deleted(String version) {
    try {
      objects.delete(KEY, WriteCondition.ifMatch(version));
      return true;
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.PRECONDITION_FAILED
          || failure.kind() == StoreException.Kind.NOT_FOUND) {
        return false;
      }
      throw failure;
    }
  }

  private synchronized void beat() {
    if (released || lost != null) {
      return;
    }
    ClaimRecord next = record.renewed(Instant.now().toString());
    long sent = System.nanoTime();
    try {
      etag = objects.putOnce(KEY, next.toBytes(), WriteCondition.ifMatch(etag));
      record = next;
      renewedNanos = sent;
    } catch (StoreException failure) {
      if (failure.kind() == StoreException.Kind.PRECONDITION_FAILED
          || failure.kind() == StoreException.Kind.NOT_FOUND) {
        lost = failure;
      }
      // Otherwise the next beat tries again; ensureHeld stops the write if none succeeds in time.
    }
  }

  /** The time since the claim was renewed, by the store's clock alone; zero if it is gone. */
  private static Duration age(TargetObjects objects) {
    String clock = StagingArea.PRIVATE + "clock/" + UUID.randomUUID();
    objects.put(clock, new byte[0], WriteCondition.NONE);
    try {
      Optional<ObjectStat> now = objects.head(clock);
      Optional<ObjectStat> claim = objects.head(KEY);
      return now.isEmpty() || claim.isEmpty()
          ? Duration.ZERO
          : Duration.between(claim.get().lastModified(), now.get().lastModified());
    } finally {
      objects.delete(clock, WriteCondition.NONE);
    }
  }

  static ArrayMorphException beingWritten(StorePath target, String who, Duration staleAge) {
    return new ArrayMorphException(
        ErrorCode.ARRAY_BEING_WRITTEN,
        target + " is being written by " + who,
        staleAge == null
            ? "Try again"
            : "Wait until that write ends; if its process is dead, its claim can be taken over "
                + staleAge.toSeconds()
                + " s after the last renewal, or by repair at once");
  }

  private ArrayMorphException failed(String why, Throwable cause) {
    return new ArrayMorphException(
        ErrorCode.WRITE_FAILED,
        "The write to " + objects.target() + " stopped: " + why,
        "Run the write again",
        cause);
  }
}
