package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.profile.ObservedTransport;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.RequestPool;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Sends requests in order of arrival, at most so many at once: more while that hides latency, and
 * less while the store asks to slow down ({@link ConcurrencyLimit}). A request that takes much
 * longer than its like is sent once more, and the first answer counts. Thread-safe.
 *
 * <p>Answers complete on threads of the store; what hangs on them must be short.
 */
final class RequestQueue {
  private static final long LOOK_MILLIS = 10;
  private static final ScheduledThreadPoolExecutor LOOKOUT = lookout();

  private final ReadMetrics metrics;
  private final LongSupplier clock;
  private final int most;
  private final AccessPlanner planner;
  private final Stragglers stragglers;
  private final Deque<Flight> waiting = new ArrayDeque<>();
  private final Set<Flight> underWay = Collections.newSetFromMap(new IdentityHashMap<>());

  /** The stores as seen by this queue. */
  private final Map<ObjectStore, View> views = new ConcurrentHashMap<>();

  /** Known with the first request: a stream reads one store. */
  private ConcurrencyLimit limit;

  private boolean sending;
  private boolean looking;
  private boolean cancelled;

  RequestQueue(ReadSettings settings, ReadMetrics metrics, LongSupplier clock) {
    this.metrics = metrics;
    this.clock = clock;
    this.most = settings.concurrency();
    this.planner = settings.planner();
    this.stragglers = new Stragglers(settings.hedging(), clock.getAsLong());
  }

  private static ScheduledThreadPoolExecutor lookout() {
    ScheduledThreadPoolExecutor pool =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "arraymorph-lookout");
              thread.setDaemon(true);
              return thread;
            });
    pool.setKeepAliveTime(10, TimeUnit.SECONDS);
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** Asks for a range of an object; fails with {@link StoreException}. */
  CompletableFuture<ObjectBytes> get(
      StorePath object, ByteRange range, Supplier<ReadCondition> condition) {
    Flight flight = new Flight(object, range, condition);
    synchronized (this) {
      if (cancelled) {
        flight.fail();
        return flight.answer;
      }
      if (limit == null) {
        int reached = view(object).seen().concurrency(clock.getAsLong());
        int start = Math.max(reached, known(object));
        limit = new ConcurrencyLimit(Math.max(ConcurrencyLimit.FIRST, start), most, clock);
      }
      waiting.add(flight);
    }
    sendWaiting();
    return flight.answer;
  }

  /**
   * Requests at once that the profile of the store says hide its latency: plans count on them, and
   * so many are sent from the start.
   */
  private int known(StorePath object) {
    return planner.model(object.storeUri()).profile().transport().concurrency();
  }

  /**
   * Sends while there are free slots. One thread at a time: a store may answer before its call
   * returns, and would otherwise nest one call in another for each request.
   */
  private void sendWaiting() {
    synchronized (this) {
      if (sending) {
        return;
      }
      sending = true;
    }
    while (true) {
      Flight flight;
      synchronized (this) {
        if (cancelled || underWay.size() >= limit.slots() || waiting.isEmpty()) {
          sending = false;
          return;
        }
        flight = waiting.poll();
        underWay.add(flight);
        stragglers.sent();
        look();
      }
      send(flight);
    }
  }

  private void send(Flight flight) {
    metrics.addRequest(!(flight.range instanceof ByteRange.Whole));
    long start = clock.getAsLong();
    View view = view(flight.object);
    long arrived = view.seen().arrived();
    CompletableFuture<ObjectBytes> attempt;
    try {
      attempt = view.store().get(flight.object.key(), flight.range, flight.condition.get());
    } catch (RuntimeException e) {
      attempt = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<ObjectBytes> sent = attempt;
    boolean late;
    synchronized (this) {
      late = cancelled || flight.landed;
      flight.started = flight.attempts.isEmpty() ? start : flight.started;
      flight.attempts.add(sent);
    }
    CompletableFuture<?> unused =
        sent.whenComplete((bytes, failure) -> ended(flight, sent, start, arrived, bytes, failure));
    if (late) {
      sent.cancel(true);
    }
  }

  @SuppressWarnings("CollectionUndefinedEquality") // attempts by identity, which is meant
  private void ended(
      Flight flight,
      CompletableFuture<ObjectBytes> attempt,
      long start,
      long arrived,
      ObjectBytes bytes,
      Throwable failure) {
    List<CompletableFuture<ObjectBytes>> losers;
    long now = clock.getAsLong();
    int together;
    int slots;
    synchronized (this) {
      together = underWay.size();
      flight.attempts.remove(attempt);
      if (flight.landed || (!flight.attempts.isEmpty() && isTransient(failure))) {
        return;
      }
      flight.landed = true;
      underWay.remove(flight);
      losers = List.copyOf(flight.attempts);
      if (failure == null) {
        limit.answered(now - start, !waiting.isEmpty());
        stragglers.answered(flight.bytes(), now - start);
      }
      slots = limit.slots();
    }
    losers.forEach(loser -> loser.cancel(true));
    RequestPool.inTurn(this::sendWaiting);
    if (failure == null) {
      metrics.addBytesRead(bytes.bytes().remaining());
      ObservedTransport seen = view(flight.object).seen();
      seen.answered(bytes.bytes().remaining(), (now - start) / 1e9, together, arrived);
      seen.reached(slots, now);
      flight.answer.complete(bytes);
    } else {
      flight.answer.completeExceptionally(failure);
    }
  }

  private static boolean isTransient(Throwable failure) {
    return failure != null && StoreException.of(failure, "").kind().isTransient();
  }

  /**
   * A store of which retries are counted here.
   *
   * @param seen what this process saw of it
   */
  private record View(ObjectStore store, ObservedTransport seen) {}

  private View view(StorePath object) {
    return views.computeIfAbsent(
        object.store(),
        store -> new View(reporting(store), ObservedTransport.of(object.storeUri())));
  }

  private ObjectStore reporting(ObjectStore store) {
    return store.reportingRetriesTo(
        (key, failure) -> {
          metrics.addRetry();
          if (failure.kind() == StoreException.Kind.THROTTLED) {
            synchronized (this) {
              limit.throttled();
            }
          }
        });
  }

  /** Sees to it that stragglers are looked for while something is under way; holds the lock. */
  private void look() {
    if (!looking && !cancelled && !underWay.isEmpty()) {
      looking = true;
      Future<?> unused = LOOKOUT.schedule(this::sendStragglers, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void sendStragglers() {
    List<Flight> again = new ArrayList<>();
    synchronized (this) {
      looking = false;
      long now = clock.getAsLong();
      for (Flight flight : underWay) {
        OptionalLong patience = stragglers.patience(flight.bytes(), waiting.isEmpty());
        if (flight.attempts.size() == 1
            && !flight.repeated
            && patience.isPresent()
            && now - flight.started > patience.getAsLong()
            && stragglers.tryRepeat(now)) {
          flight.repeated = true;
          again.add(flight);
        }
      }
      look();
    }
    for (Flight flight : again) {
      metrics.addHedge();
      send(flight);
    }
  }

  /** Drops what waits and aborts what is under way; everything fails as cancelled. Idempotent. */
  void cancel() {
    List<Flight> dropped;
    List<CompletableFuture<ObjectBytes>> aborted = new ArrayList<>();
    synchronized (this) {
      cancelled = true;
      dropped = new ArrayList<>(waiting);
      waiting.clear();
      underWay.forEach(flight -> aborted.addAll(flight.attempts));
    }
    dropped.forEach(Flight::fail);
    aborted.forEach(attempt -> attempt.cancel(true));
  }

  /** A request with its one or two attempts; guarded by the queue. */
  private static final class Flight {
    private final StorePath object;
    private final ByteRange range;
    private final Supplier<ReadCondition> condition;
    private final CompletableFuture<ObjectBytes> answer = new CompletableFuture<>();
    private final List<CompletableFuture<ObjectBytes>> attempts = new ArrayList<>(2);
    private long started;
    private boolean repeated;
    private boolean landed;

    Flight(StorePath object, ByteRange range, Supplier<ReadCondition> condition) {
      this.object = object;
      this.range = range;
      this.condition = condition;
    }

    /** The bytes asked for, or -1 for all of the object. */
    long bytes() {
      if (range instanceof ByteRange.Bounded) {
        return ((ByteRange.Bounded) range).end() - ((ByteRange.Bounded) range).start();
      }
      return range instanceof ByteRange.Suffix ? ((ByteRange.Suffix) range).length() : -1;
    }

    void fail() {
      answer.completeExceptionally(
          new StoreException(
              StoreException.Kind.CANCELLED, object.toString(), "the read was cancelled", null));
    }
  }
}
