package io.arraymorph.optimizer.measure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.optimizer.execute.SliceFunction;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.Transport;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Measures what the slice function beside a store takes, by calls for little of objects that are
 * there: for one byte; for one byte of each of many objects in a few calls; for a few bytes of
 * every 4 KiB of a large object, alone and many at once; and for many objects while the reader asks
 * the store for as many itself.
 *
 * <p>Calls are warm: how often a function has to start, its fees and its limits cannot be measured,
 * and stay as they were. Every answer must have the right length, and some are compared with the
 * store.
 *
 * @param bounds on time and on bytes that come here
 */
public record FunctionProbe(StoreProbe bounds) {
  /** Requests that a measurement sends if it may, those of the function to the store apart. */
  public static final long REQUESTS = 5200;

  private static final int CALLS = 15;
  private static final int REPETITIONS = 7;

  /** Repetitions that do not count, and how many in a row must be no faster than one before. */
  private static final int MOST_WARMING = 20;

  private static final int SAME_IN_A_ROW = 5;
  private static final int OBJECTS = 256;
  private static final int CALLS_FOR_OBJECTS = 8;
  private static final int SCANS = 16;
  private static final long MOST_SPAN = 8 << 20;
  private static final int ROW = 4096;
  private static final long SMALL_OBJECT = 16 << 10;

  /** Shorter than this beside the latency, times say nothing about what runs beside them. */
  private static final double LEAST_SECONDS = 2e-3;

  private static final double MOST_CONTENTION = 3;

  /**
   * Measures a function.
   *
   * @param path of an object, or of a prefix below which the largest and the smallest object found
   *     are read
   * @param measured the profile of the store from here; that of its function says what is not
   *     measured
   * @return the same profile with the function as it is
   * @throws ArrayMorphException with SLICE_FUNCTION_FAILED if the function fails, answers something
   *     else or too late, INVALID_OPTION if the profile has no function, OBJECT_NOT_FOUND if there
   *     is no object of 64 KiB or more
   */
  public StoreProfile measure(StorePath path, StoreProfile measured, SliceFunction function) {
    FunctionProfile base =
        measured
            .function()
            .orElseThrow(
                () ->
                    new ArrayMorphException(
                        ErrorCode.INVALID_OPTION,
                        "profile " + measured.name() + " is of a store without slice functions",
                        "Name a base profile of a cloud's store"));
    return new Run(ProbedObject.find(path, bounds), measured.transport(), function)
        .profile(measured, base);
  }

  /** One measurement; single-threaded. */
  private static final class Run {
    private final ProbedObject probed;
    private final Transport transport;
    private final SliceFunction function;
    private final SliceFunction.Slice first;
    private final int objects;

    Run(ProbedObject probed, Transport transport, SliceFunction function) {
      this.probed = probed;
      this.transport = transport;
      this.function = function;
      this.first = slice(probed.smallObject(SMALL_OBJECT), ByteRuns.of(0, 1));
      this.objects = Math.min(OBJECTS, CALLS_FOR_OBJECTS * function.mostTogether());
    }

    private static SliceFunction.Slice slice(StorePath object, ByteRuns runs) {
      return new SliceFunction.Slice(
          object,
          Optional.empty(),
          List.of(runs),
          Optional.empty(),
          runs.byteCount(),
          runs.end() - runs.first());
    }

    StoreProfile profile(StoreProfile store, FunctionProfile base) {
      checkAnswers();
      warm(() -> probed.may(1, 1), () -> seconds(() -> calls(List.of(first), 1)));
      double call =
          usual(CALLS, () -> probed.may(1, 1), () -> seconds(() -> calls(List.of(first), 1)));
      long span = Math.min(probed.bytes(), MOST_SPAN) / ROW * ROW;
      SliceFunction.Slice scan = slice(probed.object(), columns(span));
      double scans = scanning(scan, 1) - call;
      double together = scanning(scan, SCANS) - call;
      double byteSeconds = Math.max(0, together / SCANS / span);
      double[] many = new double[3];
      BooleanSupplier may =
          () -> probed.may(objects + CALLS_FOR_OBJECTS, objects * (1 + SMALL_OBJECT));
      warm(() -> probed.may(CALLS_FOR_OBJECTS, objects), () -> seconds(this::objectCalls));
      many[0] = usual(REPETITIONS, may, () -> seconds(this::objectCalls));
      many[1] = usual(REPETITIONS, may, this::reads);
      many[2] = usual(REPETITIONS, may, this::besideReads);
      double overhead = Math.max(0, call - transport.latencySeconds());
      double others = (CALLS_FOR_OBJECTS - 1) * overhead;
      double objectSeconds = Math.max(0, (many[0] - call - others) / objects);
      FunctionProfile.Speed speed = base.speed();
      FunctionProfile found =
          new FunctionProfile(
              new FunctionProfile.Speed(
                  overhead,
                  0,
                  span / Math.max(1e-3, scans),
                  speed.packBytesPerSecond(),
                  0,
                  0,
                  speed.alphaSecondsPerByte(),
                  speed.betaSeconds()),
              base.answer(),
              base.concurrency(),
              base.maxSeconds(),
              base.prices(),
              new FunctionProfile.Host(objectSeconds, byteSeconds, contention(many, call)));
      String provenance =
          String.format(
              Locale.ROOT,
              "%s. Slice function: %.4g s a call, %.4g s for %d objects in %d calls (%.4g s beside"
                  + " as many reads, which alone took %.4g s), %.4g s for %d bytes and %.4g s for"
                  + " %d times as many; warm",
              store.provenance().text(),
              call,
              many[0],
              objects,
              CALLS_FOR_OBJECTS,
              many[2],
              many[1],
              scans,
              span,
              together,
              SCANS);
      return new StoreProfile(
          store.name(),
          store.date(),
          store.provenance().withFunction(provenance, "speed and host measured as text says"),
          store.location(),
          store.transport(),
          store.prices(),
          Optional.of(found));
    }

    /** Four bytes of every row of 4 KiB: too near for the function to leave anything out. */
    private static ByteRuns columns(long bytes) {
      Shape rows = Shape.of(bytes / ROW, ROW / 4);
      Hyperslab column = Hyperslab.box(new long[] {0, 1}, new long[] {bytes / ROW, 2});
      return ByteRuns.of(ElementRuns.of(column, rows), 4, 0);
    }

    private double scanning(SliceFunction.Slice scan, int count) {
      double answers = count * scan.bytes() / transport.bandwidth().maximum();
      BooleanSupplier may = () -> probed.may(count, count * scan.bytes());
      DoubleSupplier time = () -> seconds(() -> calls(List.of(scan), count));
      warm(may, time);
      return Math.max(0, usual(REPETITIONS, may, time) - answers);
    }

    /** How much of the shorter time is felt beside the longer one, latency apart. */
    private double contention(double[] many, double call) {
      double latency = Math.min(call, transport.latencySeconds());
      double shorter = Math.min(many[0], many[1]) - latency;
      double more = many[2] - Math.max(many[0], many[1]);
      return shorter < LEAST_SECONDS ? 0 : Math.max(0, Math.min(MOST_CONTENTION, more / shorter));
    }

    private double reads() {
      return probed.secondsOfMany(objects, SMALL_OBJECT).orElseThrow(probed::late);
    }

    private double besideReads() {
      long start = System.nanoTime();
      List<CompletableFuture<Long>> calls = objectCalls();
      double unused = reads();
      await(calls);
      return (System.nanoTime() - start) / 1e9;
    }

    private List<CompletableFuture<Long>> objectCalls() {
      int each = objects / CALLS_FOR_OBJECTS;
      return calls(Collections.nCopies(each, first), CALLS_FOR_OBJECTS);
    }

    /** Sends a call so many times at once; the futures give bytes. */
    private List<CompletableFuture<Long>> calls(List<SliceFunction.Slice> slices, int count) {
      probed.addRequests(count);
      List<CompletableFuture<Long>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sent.add(
            slices.size() == 1
                ? function.slice(slices.get(0)).thenApply(found -> checked(found, slices.get(0)))
                : function.sliceAll(slices).thenApply(found -> checked(found, slices)));
      }
      return sent;
    }

    private double seconds(Supplier<List<CompletableFuture<Long>>> send) {
      long start = System.nanoTime();
      await(send.get());
      return (System.nanoTime() - start) / 1e9;
    }

    private void await(List<CompletableFuture<Long>> sent) {
      try {
        for (CompletableFuture<Long> one : sent) {
          probed.addMoved(probed.inTime(one).join());
        }
      } catch (CompletionException e) {
        throw failed(String.valueOf(e.getCause()), e);
      } finally {
        sent.forEach(one -> one.cancel(true));
      }
    }

    private static long checked(SliceFunction.Answer answer, SliceFunction.Slice slice) {
      if (answer.bytes().remaining() != slice.bytes()) {
        throw new IllegalStateException(
            "it answered " + answer.bytes().remaining() + " bytes for " + slice.bytes());
      }
      return slice.bytes();
    }

    private static long checked(
        List<Optional<SliceFunction.Answer>> found, List<SliceFunction.Slice> slices) {
      long bytes = 0;
      for (int i = 0; i < slices.size(); i++) {
        if (i >= found.size() || found.get(i).isEmpty()) {
          throw new IllegalStateException("it did not find " + slices.get(i).object());
        }
        bytes += checked(found.get(i).get(), slices.get(i));
      }
      return bytes;
    }

    /** What is fast but wrong is not worth measuring. */
    private void checkAnswers() {
      long start = probed.bytes() / 2;
      SliceFunction.Slice some =
          slice(probed.object(), ByteRuns.of(start, Math.min(probed.bytes(), start + 1000)));
      CompletableFuture<SliceFunction.Answer> answer = function.slice(some);
      await(List.of(answer.thenApply(found -> checked(found, some))));
      ByteBuffer known = probed.read(start, start + some.bytes());
      if (!answer.join().bytes().equals(known)) {
        throw failed("it answered other bytes than the store", null);
      }
    }

    private ArrayMorphException failed(String problem, Throwable cause) {
      return new ArrayMorphException(
          ErrorCode.SLICE_FUNCTION_FAILED,
          function + " failed: " + problem,
          "Check the function and its token, or measure without it",
          cause);
    }

    /**
     * Goes on until some times in a row are no better than one before: a function that has just
     * been started is compiled while it works, and would be left aside for what it soon is no more.
     */
    private static void warm(BooleanSupplier may, DoubleSupplier time) {
      double best = Double.POSITIVE_INFINITY;
      int same = 0;
      for (int i = 0; i < MOST_WARMING && same < SAME_IN_A_ROW && may.getAsBoolean(); i++) {
        double taken = time.getAsDouble();
        same = taken < 0.9 * best ? 0 : same + 1;
        best = Math.min(best, taken);
      }
    }

    /** The lower quartile of some times: what else runs only ever adds to them. */
    private static double usual(int repetitions, BooleanSupplier may, DoubleSupplier time) {
      List<Double> times = new ArrayList<>();
      times.add(time.getAsDouble());
      times.clear(); // The first was not warm.
      do {
        times.add(time.getAsDouble());
      } while (times.size() < repetitions && may.getAsBoolean());
      times.sort(null);
      return times.get(times.size() / 4);
    }
  }
}
