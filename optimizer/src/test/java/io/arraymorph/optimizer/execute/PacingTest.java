package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.optimizer.profile.Transport;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** While more is to be read than may be held, the pipe does not run dry; on a synthetic clock. */
class PacingTest {
  private static final long SIZE = 3_100_000;
  private static final int COUNT = 64;

  /** Requests that the window holds, and milliseconds for decoding one answer. */
  private static final int WINDOW = 32;

  private static final int DECODE = 6;

  private static Transport transport(double bandwidth, double connection, double latency) {
    Transport base = StoreProfiles.of("s3.wan").transport();
    BandwidthCurve curve = base.bandwidth().scaled(bandwidth / base.bandwidth().maximum());
    return new Transport(curve, connection, latency, 2 * latency, 0, 0, 256);
  }

  /** Reads objects within a window that is filled again when it is half empty. */
  private static final class Reader {
    private final SharedPipe pipe;
    private final Pacing pacing;
    private int admitted;
    private int sent;
    private int came;
    private int decoded;
    private int most;
    private long decoding;

    Reader(SharedPipe pipe, Transport believed) {
      this.pipe = pipe;
      this.pacing = new Pacing(believed, pipe::nanos);
    }

    void step() {
      if (came > decoded && ++decoding == DECODE) {
        decoding = 0;
        decoded++;
      }
      if (admitted - decoded <= WINDOW / 2) {
        admitted = Math.min(COUNT, decoded + WINDOW);
      }
      while (sent < admitted
          && pacing.allows(
              (double) (sent - came) * SIZE, (double) (admitted - sent) * SIZE, sent - came)) {
        sent++;
        most = Math.max(most, sent - came);
        pipe.send(
            SIZE,
            0,
            () -> {
              came++;
              pacing.answered(SIZE);
            });
      }
    }
  }

  private static Reader read(double rate, int latencyMillis, Transport believed, boolean paced) {
    SharedPipe pipe = new SharedPipe(rate, latencyMillis, 0.2, new Random(7));
    Reader reader = new Reader(pipe, believed);
    if (paced) {
      reader.pacing.want();
    }
    reader.step();
    pipe.run(600_000, millis -> reader.step(), () -> reader.came == COUNT);
    assertThat(reader.came).isEqualTo(COUNT);
    return reader;
  }

  @Test
  void aWindowAtOnceLeavesThePipeEmptyAndOneAfterTheOtherDoesNot() {
    Transport wan = transport(20e6, 20e6, 0.09);
    Reader atOnce = read(20e6, 90, wan, false);
    Reader paced = read(20e6, 90, wan, true);
    assertThat(atOnce.pipe.idleMillis()).isGreaterThan(90 + 90);
    assertThat(paced.pipe.idleMillis()).isLessThan(90 + 10);
    assertThat(paced.most).isLessThanOrEqualTo(WINDOW / 2 + 1);
  }

  @Test
  void aProfileThatIsOffByATenthOrTwiceCostsNothing() {
    for (double factor : new double[] {0.5, 0.9, 1.1, 2}) {
      Reader paced = read(20e6, 90, transport(factor * 20e6, factor * 20e6, 0.09), true);
      assertThat(paced.pipe.idleMillis()).as("times %s", factor).isLessThan(90 + 60);
    }
  }

  @Test
  void aPipeThatIsMuchWiderThanItsProfileSaysIsFilledSoon() {
    Transport narrow = transport(20e6, 20e6, 0.09);
    Reader unpaced = read(500e6, 90, narrow, false);
    Reader paced = read(500e6, 90, narrow, true);
    assertThat(unpaced.most).isEqualTo(WINDOW);
    // A few round trips more than at once.
    assertThat(paced.pipe.nanos()).isLessThan(unpaced.pipe.nanos() + 3 * 100 * SharedPipe.MILLI);
  }

  @Test
  void nothingIsHeldBackWhereAllFitsOrTheStoreIsNear() {
    Pacing fits = new Pacing(transport(20e6, 20e6, 0.09), () -> 0);
    assertThat(fits.allows(1e9, 1e9, 1000)).isTrue();
    fits.want();
    assertThat(fits.allows(1e9, 1e9, 1000)).isFalse();
    assertThat(fits.allows(14e6, 1e9, 1000)).isTrue();
    assertThat(fits.allows(1e9, 1e9, 1)).isTrue();
    Pacing near = new Pacing(transport(1e9, 1e9, 0.0005), () -> 0);
    near.want();
    assertThat(near.allows(1e9, 1e9, 1000)).isTrue();
  }
}
