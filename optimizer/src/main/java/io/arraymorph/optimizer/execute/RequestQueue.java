package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.profile.ObservedTransport;
import io.arraymorph.optimizer.profile.Transport;
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
 * less while the store asks to slow down ({@link ConcurrencyLimit}), and one after the other while
 * a stream has more to read than it may hold ({@link Pacing}). A request that takes much longer
 * than its neighbours ({@link Stragglers}) is sent once more, and the first answer counts.
 * Thread-safe.
 *
 * <p>Answers complete on threads of the store; what hangs on them must be short.
 */
final class RequestQueue {
  private static final long LOOK_MILLIS = 10;

  /** Requests under way beside which the pipe has room. */
  private static final int FEW = 8;

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

  private Pacing pacing;
  private boolean paced;
  private double bytesUnderWay;
  private double bytesWaiting;

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

  /** There is more to read than may be held at once: from now on requests are spread over time. */
  synchronized void pace() {
    paced = true;
    if (pacing != null) {
      pacing.want();
    }
  }

  /**
   * Asks for a range of an object; fails with {@link StoreException}.
   *
   * @param expected about how many bytes a range without an end has, 0 if nobody can tell
   */
  CompletableFuture<ObjectBytes> get(
      StorePath object, ByteRange range, long expected, Supplier<ReadCondition> condition) {
    Flight flight = new Flight(object, range, expected, condition);
    synchronized (this) {
      if (cancelled) {
        flight.fail();
        return flight.answer;
      }
      if (limit == null) {
        // Requests at once that the profile says hide the latency: plans count on them.
        Transport known = planner.model(object.storeUri()).profile().transport();
        int reached = view(object).seen().concurrency(clock.getAsLong());
        int start = Math.max(reached, known.concurrency());
        limit = new ConcurrencyLimit(Math.max(ConcurrencyLimit.FIRST, start), most, clock);
        pacing = new Pacing(known, clock);
        if (paced) {
          pacing.want();
        }
      }
      waiting.add(flight);
      bytesWaiting += flight.expected;
    }
    sendWaiting();
    return flight.answer;
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
        if (cancelled
            || underWay.size() >= limit.slots()
            || waiting.isEmpty()
            || !pacing.allows(bytesUnderWay, bytesWaiting, underWay.size())) {
          sending = false;
          return;
        }
        flight = waiting.poll();
        underWay.add(flight);
        bytesUnderWay += flight.expected;
        bytesWaiting -= flight.expected;
        flight.sent = stragglers.sent(flight.expected, clock.getAsLong());
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
      bytesUnderWay -= flight.expected;
      losers = List.copyOf(flight.attempts);
      if (failure == null) {
        limit.answered(now - start, !waiting.isEmpty());
        stragglers.answered(flight.sent, now - start);
        pacing.answered(bytes.bytes().remaining());
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

  /** Sees to it that somebody looks again while something is under way; holds the lock. */
  private void look() {
    if (!looking && !cancelled && !underWay.isEmpty()) {
      looking = true;
      Future<?> unused = LOOKOUT.schedule(this::lookOut, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Sends what is late once more, and what may be sent as time has passed. */
  private void lookOut() {
    List<Flight> again = new ArrayList<>();
    boolean more;
    synchronized (this) {
      looking = false;
      long now = clock.getAsLong();
      boolean idle = waiting.isEmpty() && underWay.size() <= FEW;
      for (Flight flight : underWay) {
        if (flight.attempts.size() == 1 && !flight.repeated && isLate(flight, now, idle)) {
          flight.repeated = true;
          again.add(flight);
        }
      }
      more = !waiting.isEmpty();
      look();
    }
    for (Flight flight : again) {
      metrics.addHedge();
      send(flight);
    }
    if (more) {
      sendWaiting();
    }
  }

  /** Late twice: after a stop of this process its neighbours may not have been looked at yet. */
  private boolean isLate(Flight flight, long now, boolean idle) {
    boolean before = flight.late;
    flight.late = stragglers.isLate(flight.sent, now, idle);
    return before && flight.late && stragglers.tryRepeat(flight.sent, now);
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
}
