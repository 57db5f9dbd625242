package io.arraymorph.optimizer.function;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.optimizer.execute.CircuitBreaker;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.plan.ByteRuns;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;

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

  private final SliceClient client;
  private final CircuitBreaker breaker;
  private final boolean required;
  private final boolean presigned;

  private RemoteSliceFunction(
      SliceClient client, CircuitBreaker breaker, boolean required, boolean presigned) {
    this.client = client;
    this.breaker = breaker;
    this.required = required;
    this.presigned = presigned;
  }

  /** The function that a user named; nothing is sent yet. */
  public static RemoteSliceFunction of(SliceFunctionOptions options) {
    return new RemoteSliceFunction(
        new SliceClient(options.endpoint(), options.token(), TIMEOUT),
        BREAKERS.computeIfAbsent(
            options.endpoint(), endpoint -> new CircuitBreaker(System::nanoTime)),
        options.required(),
        options.presigned());
  }

  @Override
  public CompletableFuture<Answer> slice(
      StorePath object, Optional<String> etag, List<ByteRuns> runs) {
    List<SliceRuns> wanted = new ArrayList<>();
    long bytes = 0;
    for (ByteRuns part : runs) {
      long[] counts = new long[part.runs().levels()];
      long[] strides = new long[counts.length];
      for (int level = 0; level < counts.length; level++) {
        counts[level] = part.runs().count(level);
        strides[level] = part.runs().stride(level);
      }
      wanted.add(new SliceRuns(part.first(), part.runLength(), counts, strides));
      bytes += part.byteCount();
    }
    return send(object, etag, new SliceRequest.Runs(wanted), bytes);
  }

  @Override
  public CompletableFuture<Answer> sliceDecoded(
      StorePath object,
      Optional<String> etag,
      String metadata,
      Shape chunkShape,
      List<Hyperslab> boxes,
      long bytes) {
    return send(object, etag, new SliceRequest.Boxes(metadata, chunkShape, boxes), bytes);
  }

  @Override
  public boolean decodes() {
    return true;
  }

  private CompletableFuture<Answer> send(
      StorePath object, Optional<String> etag, SliceRequest.Part part, long bytes) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    if (!presigned) {
      send(new SliceRequest(object.toString(), etag, part), bytes, answer);
      return answer;
    }
    CompletableFuture<?> unused =
        object
            .store()
            .presign(object.key(), SIGNED_FOR)
            .whenComplete(
                (signed, failure) -> {
                  if (failure != null) {
                    answer.completeExceptionally(failure);
                  } else if (signed.isEmpty()) {
                    answer.completeExceptionally(
                        new IllegalStateException(
                            "the store of " + object + " cannot sign URLs with its credentials"));
                  } else if (!answer.isDone()) {
                    Optional<URI> url = Optional.of(signed.get().url());
                    send(new SliceRequest(object.toString(), url, etag, part), bytes, answer);
                  }
                });
    return answer;
  }

  private void send(SliceRequest request, long bytes, CompletableFuture<Answer> answer) {
    CompletableFuture<SliceClient.Answer> sent = client.slice(request, Math.toIntExact(bytes));
    CompletableFuture<?> unused =
        sent.whenComplete(
            (found, failure) -> {
              if (failure == null) {
                answer.complete(new Answer(found.bytes(), found.etag(), found.objectBytes()));
              } else {
                answer.completeExceptionally(failure(failure, request.object()));
              }
            });
    unused =
        answer.whenComplete(
            (ignored, failure) -> {
              if (answer.isCancelled()) {
                sent.cancel(true);
              }
            });
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
