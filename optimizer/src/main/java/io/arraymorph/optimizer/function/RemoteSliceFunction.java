package io.arraymorph.optimizer.function;

import io.arraymorph.optimizer.execute.CircuitBreaker;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.slice.SliceBatch;
import io.arraymorph.slice.SliceClient;
import io.arraymorph.slice.SliceException;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A slice function over HTTP. Thread-safe.
 *
 * <p>All readers of a process share what is known of an endpoint's health: if it is down, not each
 * task finds that out anew.
 */
public final class RemoteSliceFunction implements SliceFunction {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final Duration SIGNED_FOR = Duration.ofMinutes(5);
  private static final Map<URI, CircuitBreaker> BREAKERS = new ConcurrentHashMap<>();

  /** Endpoints that refused several slices in one call. */
  private static final Set<URI> OLD = ConcurrentHashMap.newKeySet();

  private final SliceClient client;
  private final URI endpoint;
  private final CircuitBreaker breaker;
  private final boolean required;
  private final boolean presigned;

  private RemoteSliceFunction(
      SliceClient client,
      URI endpoint,
      CircuitBreaker breaker,
      boolean required,
      boolean presigned) {
    this.client = client;
    this.endpoint = endpoint;
    this.breaker = breaker;
    this.required = required;
    this.presigned = presigned;
  }

  /** The function that a user named; nothing is sent yet. */
  public static RemoteSliceFunction of(SliceFunctionOptions options) {
    return new RemoteSliceFunction(
        new SliceClient(options.endpoint(), options.token(), TIMEOUT),
        options.endpoint(),
        BREAKERS.computeIfAbsent(
            options.endpoint(), endpoint -> new CircuitBreaker(System::nanoTime)),
        options.required(),
        options.presigned());
  }

  @Override
  public CompletableFuture<Answer> slice(
      StorePath object, Optional<String> etag, List<ByteRuns> runs) {
    long bytes = runs.stream().mapToLong(ByteRuns::byteCount).sum();
    return slice(new Slice(object, etag, runs, Optional.empty(), bytes, bytes));
  }

  @Override
  public boolean decodes() {
    return true;
  }

  @Override
  public CompletableFuture<Answer> slice(Slice slice) {
    return send(
        List.of(slice),
        requests -> client.slice(requests.get(0), Math.toIntExact(slice.bytes())),
        RemoteSliceFunction::answer);
  }

  @Override
  public int mostTogether() {
    return OLD.contains(endpoint) ? 1 : SliceBatch.MAX_SLICES;
  }

  @Override
  public CompletableFuture<List<Optional<Answer>>> sliceAll(List<Slice> slices) {
    List<Integer> bytes = slices.stream().map(slice -> Math.toIntExact(slice.bytes())).toList();
    CompletableFuture<List<Optional<Answer>>> answer = new CompletableFuture<>();
    CompletableFuture<List<Optional<Answer>>> together =
        send(
            slices,
            requests -> client.sliceAll(requests, bytes),
            found -> found.stream().map(one -> one.map(RemoteSliceFunction::answer)).toList());
    CompletableFuture<?> unused =
        together.whenComplete(
            (found, failure) -> {
              if (failure instanceof SliceException
                  && ((SliceException) failure).isUnknownVersion()) {
                // A function of before understands one slice a call.
                OLD.add(endpoint);
                oneByOne(slices, answer);
              } else if (failure != null) {
                answer.completeExceptionally(failure);
              } else {
                answer.complete(found);
              }
            });
    abortWith(answer, together);
    return answer;
  }

  private void oneByOne(List<Slice> slices, CompletableFuture<List<Optional<Answer>>> answer) {
    List<CompletableFuture<Optional<Answer>>> each = new ArrayList<>();
    for (Slice slice : slices) {
      CompletableFuture<Answer> one = slice(slice);
      abortWith(answer, one);
      each.add(
          one.handle(
              (found, failure) -> {
                if (failure == null) {
                  return Optional.of(found);
                }
                if (failure instanceof StoreException
                    && ((StoreException) failure).kind() == StoreException.Kind.NOT_FOUND) {
                  return Optional.empty();
                }
                throw new CompletionException(failure);
              }));
    }
    CompletableFuture<?> unused =
        CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
            .whenComplete(
                (ignored, failure) -> {
                  if (failure == null) {
                    answer.complete(each.stream().map(CompletableFuture::join).toList());
                  } else {
                    answer.completeExceptionally(
                        failure.getCause() == null ? failure : failure.getCause());
                  }
                });
  }

  private static void abortWith(CompletableFuture<?> answer, CompletableFuture<?> call) {
    CompletableFuture<?> unused =
        answer.whenComplete(
            (ignored, failure) -> {
              if (answer.isCancelled()) {
                call.cancel(true);
              }
            });
  }

  private static Answer answer(SliceClient.Answer found) {
    return new Answer(found.bytes(), found.etag(), found.objectBytes());
  }

  private static SliceRequest.Part part(Slice slice) {
    if (slice.decoded().isPresent()) {
      Decoded decoded = slice.decoded().get();
      return new SliceRequest.Boxes(decoded.metadata(), decoded.chunkShape(), decoded.boxes());
    }
    List<SliceRuns> wanted = new ArrayList<>();
    for (ByteRuns part : slice.runs()) {
      long[] counts = new long[part.runs().levels()];
      long[] strides = new long[counts.length];
      for (int level = 0; level < counts.length; level++) {
        counts[level] = part.runs().count(level);
        strides[level] = part.runs().stride(level);
      }
      wanted.add(new SliceRuns(part.first(), part.runLength(), counts, strides));
    }
    return new SliceRequest.Runs(wanted);
  }

  private CompletableFuture<SliceRequest> request(Slice slice) {
    StorePath object = slice.object();
    if (!presigned) {
      return CompletableFuture.completedFuture(
          new SliceRequest(object.toString(), slice.etag(), part(slice)));
    }
    return object
        .store()
        .presign(object.key(), SIGNED_FOR)
        .thenApply(
            signed -> {
              if (signed.isEmpty()) {
                throw new IllegalStateException(
                    "the store of " + object + " cannot sign URLs with its credentials");
              }
              Optional<URI> url = Optional.of(signed.get().url());
              return new SliceRequest(object.toString(), url, slice.etag(), part(slice));
            });
  }

  /** Makes requests, sends them, and reads the answer; cancelling the result aborts the call. */
  private <T, R> CompletableFuture<R> send(
      List<Slice> slices,
      Function<List<SliceRequest>, CompletableFuture<T>> call,
      Function<T, R> read) {
    CompletableFuture<R> answer = new CompletableFuture<>();
    List<CompletableFuture<SliceRequest>> made = slices.stream().map(this::request).toList();
    CompletableFuture<?> unused =
        CompletableFuture.allOf(made.toArray(CompletableFuture[]::new))
            .whenComplete(
                (ignored, failure) -> {
                  if (failure != null) {
                    answer.completeExceptionally(
                        failure instanceof CompletionException && failure.getCause() != null
                            ? failure.getCause()
                            : failure);
                  } else if (!answer.isDone()) {
                    List<SliceRequest> requests =
                        made.stream().map(CompletableFuture::join).toList();
                    send(requests, call, read, answer);
                  }
                });
    return answer;
  }

  private <T, R> void send(
      List<SliceRequest> requests,
      Function<List<SliceRequest>, CompletableFuture<T>> call,
      Function<T, R> read,
      CompletableFuture<R> answer) {
    CompletableFuture<T> sent = call.apply(requests);
    CompletableFuture<?> unused =
        sent.whenComplete(
            (found, thrown) -> {
              if (thrown == null) {
                answer.complete(read.apply(found));
                return;
              }
              answer.completeExceptionally(failure(thrown, requests.get(0).object()));
            });
    abortWith(answer, sent);
  }

  /** What the store answered the function is a failure of the store. */
  private static Throwable failure(Throwable thrown, String object) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (cause instanceof SliceException) {
      String code = ((SliceException) cause).code();
      if (code.equals("NOT_FOUND")) {
        return new StoreException(StoreException.Kind.NOT_FOUND, object, "no such object", cause);
      }
      if (code.equals("PRECONDITION_FAILED")) {
        return new StoreException(
            StoreException.Kind.PRECONDITION_FAILED, object, "another version", cause);
      }
    }
    return cause;
  }

  @Override
  public CircuitBreaker breaker() {
    return breaker;
  }

  @Override
  public boolean isRequired() {
    return required;
  }

  @Override
  public String toString() {
    return client.toString();
  }
}
