package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Who waits for a full pipe is not late, who hangs is; on a synthetic clock. */
class StragglersTest {
  private static final long MILLI = SharedPipe.MILLI;

  /** What one read came to. */
  private record Outcome(long millis, int hedges, int hedgesOfQuick, int slow, long bytesAgain) {}

  /** Reads objects of one length, so many at once; sends again what is late. */
  private static final class Reader {
    private final SharedPipe pipe;
    private final Stragglers stragglers;
    private final Random random;
    private final int count;
    private final long bytes;
    private final double slowShare;
    private final List<Request> underWay = new ArrayList<>();
    private int sent;
    private int done;
    private int hedges;
    private int hedgesOfQuick;
    private int slow;

    private static final class Request {
      private Stragglers.Sent sent;
      private boolean slow;
      private boolean late;
      private boolean again;
      private boolean landed;
    }

    Reader(SharedPipe pipe, double share, Random random, int count, long bytes, double slowShare) {
      this.pipe = pipe;
      this.stragglers = new Stragglers(share, 0);
      this.random = random;
      this.count = count;
      this.bytes = bytes;
      this.slowShare = slowShare;
    }

    void fill(int slots) {
      while (underWay.size() < slots && sent < count) {
        Request request = new Request();
        request.sent = stragglers.sent(bytes, pipe.nanos());
        request.slow = random.nextDouble() < slowShare;
        slow += request.slow ? 1 : 0;
        sent++;
        underWay.add(request);
        attempt(request, request.slow ? 2000 : 0);
      }
    }

    private void attempt(Request request, long late) {
      long start = pipe.nanos();
      pipe.send(
          bytes,
          late,
          () -> {
            if (!request.landed) {
              request.landed = true;
              underWay.remove(request);
              done++;
              stragglers.answered(request.sent, pipe.nanos() - start);
            }
          });
    }

    void look() {
      boolean idle = sent == count && underWay.size() <= 8;
      for (Request request : List.copyOf(underWay)) {
        boolean before = request.late;
        request.late = stragglers.isLate(request.sent, pipe.nanos(), idle);
        if (before
            && request.late
            && !request.again
            && stragglers.tryRepeat(request.sent, pipe.nanos())) {
          request.again = true;
          hedges++;
          hedgesOfQuick += request.slow ? 0 : 1;
          attempt(request, 0);
        }
      }
    }
  }

  /**
   * @param burst requests are sent by so many at once, when as many have been answered
   */
  private static Outcome read(
      long seed,
      double rate,
      int latency,
      int slots,
      int burst,
      int count,
      long bytes,
      double slow) {
    Random random = new Random(seed);
    SharedPipe pipe = new SharedPipe(rate, latency, 1, random);
    Reader reader = new Reader(pipe, 0.02, random, count, bytes, slow);
    reader.fill(slots);
    pipe.run(
        600_000,
        millis -> {
          if (reader.underWay.size() <= slots - burst || reader.underWay.isEmpty()) {
            reader.fill(slots);
          }
          if (millis % 10 == 0) {
            reader.look();
          }
        },
        () -> reader.done == count);
    assertThat(reader.done).as("seed " + seed).isEqualTo(count);
    return new Outcome(
        pipe.nanos() / MILLI,
        reader.hedges,
        reader.hedgesOfQuick,
        reader.slow,
        reader.hedges * bytes);
  }

  @Test
  void nothingIsSentTwiceThroughAFullPipe() {
    for (long seed = 0; seed < 8; seed++) {
      String what = "seed " + seed;
      assertThat(read(seed, 20e6, 90, 256, 128, 1024, 256 << 10, 0).hedges).as(what).isZero();
      assertThat(read(seed, 20e6, 90, 32, 1, 64, 3 << 20, 0).hedges).as(what).isZero();
      assertThat(read(seed, 200e6, 20, 64, 1, 1024, 256 << 10, 0).hedges).as(what).isZero();
      assertThat(read(seed, 200e6, 20, 256, 1, 4096, 16 << 10, 0).hedges).as(what).isZero();
    }
  }

  @Test
  void whoHangsIsSentAgainAndCostsLittleTime() {
    int slow = 0;
    int hedges = 0;
    int hedgesOfQuick = 0;
    double worst = 0;
    for (long seed = 0; seed < 20; seed++) {
      Outcome quick = read(seed, 200e6, 20, 64, 1, 2048, 256 << 10, 0);
      Outcome mixed = read(seed, 200e6, 20, 64, 1, 2048, 256 << 10, 0.01);
      worst = Math.max(worst, (double) mixed.millis / quick.millis);
      slow += mixed.slow;
      hedges += mixed.hedges;
      hedgesOfQuick += mixed.hedgesOfQuick;
    }
    System.out.println(slow + " slow, " + hedges + " sent again, worst " + worst);
    assertThat(hedges - hedgesOfQuick).isGreaterThan(slow * 9 / 10);
    assertThat(hedgesOfQuick).isLessThan(slow / 20);
    assertThat(worst).isLessThan(1.15);
  }

  private static Stragglers.Sent[] sent(Stragglers stragglers, int count, long bytes, long at) {
    Stragglers.Sent[] sent = new Stragglers.Sent[count];
    for (int i = 0; i < count; i++) {
      sent[i] = stragglers.sent(bytes, at);
    }
    return sent;
  }

  @Test
  void aLongQueueThatDrainsInOrderHasNoStragglers() {
    Stragglers stragglers = new Stragglers(1, 0);
    Stragglers.Sent[] sent = sent(stragglers, 256, 16 << 10, 0);
    for (int i = 0; i < sent.length; i++) {
      long now = (90 + i) * MILLI;
      stragglers.answered(sent[i], now);
      for (int j = i + 1; j < sent.length; j++) {
        assertThat(stragglers.isLate(sent[j], now, true)).as(i + ", " + j).isFalse();
      }
    }
  }

  @Test
  void whoIsOvertakenByItsNeighboursIsLateSoonerBesideFewOthers() {
    Stragglers stragglers = new Stragglers(1, 0);
    Stragglers.Sent[] sent = sent(stragglers, 64, 1000, 0);
    for (int i = 0; i < sent.length; i++) {
      if (i != 20) {
        stragglers.answered(sent[i], 40 * MILLI);
      }
    }
    assertThat(stragglers.isLate(sent[20], 49 * MILLI, true)).isFalse();
    assertThat(stragglers.isLate(sent[20], 51 * MILLI, true)).isTrue();
    assertThat(stragglers.isLate(sent[20], 59 * MILLI, false)).isFalse();
    assertThat(stragglers.isLate(sent[20], 61 * MILLI, false)).isTrue();
  }

  @Test
  void whatIsSentAgainIsBoundedInRequestsAndBytes() {
    Stragglers small = new Stragglers(0.02, 0);
    Stragglers.Sent one = sent(small, 150, 10, 0)[0];
    assertThat(repeats(small, one, 0)).isEqualTo(4); // 1 + 2 %
    assertThat(repeats(small, one, 2000 * MILLI)).isEqualTo(2); // and one a second
    Stragglers large = new Stragglers(0.02, 0);
    Stragglers.Sent big = sent(large, 1000, 1 << 20, 0)[0];
    assertThat(repeats(large, big, 0)).isEqualTo(21); // 20 and 4 MiB: the number is the bound
    Stragglers mixed = new Stragglers(0.02, 0);
    sent(mixed, 1000, 10, 0);
    Stragglers.Sent huge = mixed.sent(3 << 20, 0);
    assertThat(repeats(mixed, huge, 0)).isEqualTo(1);
    assertThat(repeats(mixed, huge, 2000 * MILLI)).isEqualTo(1); // 6 MiB by then
    assertThat(repeats(new Stragglers(0, 0), huge, 9000 * MILLI)).isZero();
  }

  private static int repeats(Stragglers stragglers, Stragglers.Sent sent, long now) {
    int count = 0;
    while (stragglers.tryRepeat(sent, now)) {
      count++;
    }
    return count;
  }
}
