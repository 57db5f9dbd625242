package io.arraymorph.optimizer.execute;

import io.arraymorph.optimizer.cost.SharedSlices;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * Slices of several objects that are asked for at the same time, and then sent in as few calls as
 * pay ({@link SharedSlices}). For one thread; nothing is sent before {@link #send()}.
 */
final class SliceCalls {
  /** That fit into a request (4 MiB, docs/spec/subset.md), whatever else is in it. */
  private static final long MOST_NUMBERS = 2L * SliceRequest.MAX_PARTS;

  private final ObjectFetcher fetcher;
  private final List<Wanted> wanted = new ArrayList<>();

  SliceCalls(ObjectFetcher fetcher) {
    this.fetcher = fetcher;
  }

  private record Wanted(
      SliceFunction.Slice slice,
      OptionalLong objectBytes,
      Duration time,
      CompletableFuture<SliceFunction.Answer> answer) {
    long checked(SliceFunction.Answer given) {
      return FunctionCalls.checked(given, slice, objectBytes);
    }

    /** About how many numbers name its runs or boxes. */
    long numbers() {
      long numbers = 0;
      for (ByteRuns part : slice.runs()) {
        numbers += 2 + 2L * part.runs().levels();
      }
      if (slice.decoded().isPresent()) {
        SliceFunction.Decoded boxes = slice.decoded().get();
        numbers += 3L * boxes.boxes().size() * boxes.chunkShape().rank();
      }
      return numbers;
    }

    boolean isSmall() {
      return SharedSlices.isSmall(slice.bytes(), slice.spanBytes());
    }
  }

  /**
   * Asks for a slice.
   *
   * @param objectBytes the length that the object must have, if that is known
   * @param time after which a call for it counts as failed
   */
  CompletableFuture<SliceFunction.Answer> add(
      SliceFunction.Slice slice, OptionalLong objectBytes, Duration time) {
    Wanted one = new Wanted(slice, objectBytes, time, new CompletableFuture<>());
    wanted.add(one);
    return one.answer;
  }

  /** Sends what was asked for. */
  void send() {
    List<Wanted> small = new ArrayList<>();
    for (Wanted one : wanted) {
      if (one.isSmall()) {
        small.add(one);
      } else {
        sendAlone(one);
      }
    }
    wanted.clear();
    if (small.isEmpty()) {
      return;
    }
    int size = size(small);
    List<Wanted> group = new ArrayList<>();
    long numbers = 0;
    for (Wanted one : small) {
      long more = one.numbers();
      if (!group.isEmpty() && (group.size() == size || numbers + more > MOST_NUMBERS)) {
        sendGroup(group);
        group = new ArrayList<>();
        numbers = 0;
      }
      group.add(one);
      numbers += more;
    }
    sendGroup(group);
  }

  private void sendGroup(List<Wanted> group) {
    if (group.size() == 1) {
      sendAlone(group.get(0));
    } else {
      sendTogether(group);
    }
  }

  /** How many slices a call holds. */
  private int size(List<Wanted> small) {
    long bytes = small.stream().mapToLong(one -> one.slice.bytes()).sum();
    long span = small.stream().mapToLong(one -> one.slice.spanBytes()).sum();
    SharedSlices shared = new SharedSlices(small.size(), (double) bytes, (double) span, 0, 0);
    return Math.min(shared.slicesPerCall(), fetcher.function().function().mostTogether());
  }

  private void sendAlone(Wanted one) {
    CompletableFuture<?> unused =
        fetcher
            .call(function -> function.slice(one.slice), one::checked, one.time)
            .whenComplete(
                (found, failure) -> {
                  if (failure == null) {
                    one.answer.complete(found);
                  } else {
                    one.answer.completeExceptionally(failure);
                  }
                });
  }

  private void sendTogether(List<Wanted> group) {
    List<SliceFunction.Slice> slices = group.stream().map(Wanted::slice).toList();
    Duration time = group.stream().map(Wanted::time).max(Duration::compareTo).orElseThrow();
    CompletableFuture<?> unused =
        fetcher
            .call(function -> function.sliceAll(slices), found -> checked(found, group), time)
            .whenComplete(
                (found, failure) -> {
                  for (int i = 0; i < group.size(); i++) {
                    CompletableFuture<SliceFunction.Answer> answer = group.get(i).answer;
                    if (failure != null) {
                      answer.completeExceptionally(failure);
                    } else if (found.get(i).isPresent()) {
                      answer.complete(found.get(i).get());
                    } else {
                      String object = slices.get(i).object().toString();
                      answer.completeExceptionally(
                          new StoreException(
                              StoreException.Kind.NOT_FOUND, object, "no such object", null));
                    }
                  }
                });
  }

  private static long checked(List<Optional<SliceFunction.Answer>> found, List<Wanted> group) {
    if (found.size() != group.size()) {
      throw new IllegalStateException(
          "the slice function answered " + found.size() + " slices for " + group.size());
    }
    long bytes = 0;
    for (int i = 0; i < group.size(); i++) {
      if (found.get(i).isPresent()) {
        bytes += group.get(i).checked(found.get(i).get());
      }
    }
    return bytes;
  }
}
