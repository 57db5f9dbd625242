package io.arraymorph.optimizer.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.optimizer.profile.BandwidthCurve;
import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.optimizer.profile.Transport;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Golden numbers: worked examples that were calculated apart from this code. */
class CostModelTest {
  private static final int CHUNK = 2048 * 2048 * 4;
  private static final long ROWS = 20 * 8192;
  private static final long COLUMNS_SPAN = 2047 * 8192 + 80;
  private static final long HALF = CHUNK / 2;
  private static final long HALF_SPAN = 2047 * 8192 + 4096;
  private static final long BOX = 21 * 21 * 4;
  private static final long BOX_SPAN = 20 * 8192 + 84;

  /** A warm function of 1 GB beside a store of round numbers. */
  private static CostModel golden(
      double latency, double connection, double pipe, int slots, double egress) {
    FunctionProfile function =
        new FunctionProfile(
            new FunctionProfile.Speed(0.010, 0.030, 90e6, 200e6, 0, 0, 0, 0),
            new FunctionProfile.Answer(1 << 30, 6_000_000, 2e6),
            256,
            900,
            new FunctionProfile.FunctionPrices(2e-7, 1, 1.33334e-5, 0, 0, 1, 8e-12, 1));
    StoreProfile s3 = StoreProfiles.of("s3.wan");
    return new OverlapCostModel(
        s3.withTransport(
                new Transport(
                    BandwidthCurve.of(List.of(new BandwidthCurve.Point(1, pipe))),
                    connection,
                    latency,
                    latency,
                    0,
                    0,
                    slots))
            .withPrices(new Prices(4e-7, 0, 0, List.of(new Prices.EgressTier(0, egress))))
            .withFunction(Optional.of(function)));
  }

  private static final CostModel IN_REGION = golden(.030, 90e6, 300e6, 8, 0);
  private static final CostModel WAN = golden(.080, 50e6, 110e6, 16, .09e-9);

  private static void check(AccessCost cost, double milliseconds, double dollars) {
    // The examples have two digits or more: 1.0 stands for 0.95 to 1.05.
    assertThat(cost.seconds() * 1e3).isCloseTo(milliseconds, within(milliseconds * 0.032));
    assertThat(cost.dollars()).isCloseTo(dollars, within(dollars * 0.05));
  }

  private static AccessCost reads(CostModel model, long requests, long bytes) {
    return model.cost(
        AccessTotals.reads((double) requests, (double) bytes, (double) bytes / requests));
  }

  private static AccessCost call(CostModel model, long span, long answer) {
    CallTotals calls = model.calls(new SliceCall(CHUNK, span, answer)).orElseThrow();
    return model.cost(new AccessTotals(0, 0, 0, 0, 0, calls));
  }

  @Test
  void oneChunkInRegion() {
    check(reads(IN_REGION, 1, CHUNK), 216, 4.0e-7);
    check(reads(IN_REGION, 1, ROWS), 32, 4.0e-7);
    check(call(IN_REGION, ROWS, ROWS), 74, 1.0e-6);
    check(reads(IN_REGION, 2048, 2048 * 80), 7_700, 8.2e-4);
    check(call(IN_REGION, COLUMNS_SPAN, 2048 * 80), 259, 3.5e-6);
    check(reads(IN_REGION, 2048, HALF), 7_700, 8.2e-4);
    check(call(IN_REGION, HALF_SPAN, HALF), 1_600, 3.9e-5);
    check(reads(IN_REGION, 1, BOX_SPAN), 32, 4.0e-7);
    check(reads(IN_REGION, 21, BOX), 90, 8.4e-6);
    check(call(IN_REGION, BOX_SPAN, BOX), 72, 1.0e-6);
  }

  @Test
  void oneChunkOverWan() {
    check(reads(WAN, 1, CHUNK), 416, 1.5e-3);
    check(reads(WAN, 1, ROWS), 83, 1.5e-5);
    check(call(WAN, ROWS, ROWS), 126, 1.6e-5);
    check(reads(WAN, 2048, 2048 * 80), 10_200, 8.3e-4);
    check(call(WAN, COLUMNS_SPAN, 2048 * 80), 311, 1.8e-5);
    check(reads(WAN, 2048, HALF), 10_300, 1.6e-3);
    check(call(WAN, HALF_SPAN, HALF), 1_700, 7.9e-4);
    check(reads(WAN, 1, BOX_SPAN), 83, 1.5e-5);
    check(reads(WAN, 21, BOX), 160, 8.6e-6);
    check(call(WAN, BOX_SPAN, BOX), 122, 1.2e-6);
  }

  /** Whole, merged, each run, function: the fastest of them. */
  private static int fastest(CostModel model, long runs, long span, long bytes) {
    double[] seconds = {
      reads(model, 1, CHUNK).seconds(),
      reads(model, 1, span).seconds(),
      reads(model, runs, bytes).seconds(),
      call(model, span, bytes).seconds()
    };
    int best = 0;
    for (int i = 1; i < seconds.length; i++) {
      // What spans nearly all of a chunk is read whole.
      best = seconds[i] < 0.98 * seconds[best] ? i : best;
    }
    return best;
  }

  @Test
  void theFastestMethodOfEachExampleIsTheOneExpected() {
    assertThat(fastest(IN_REGION, 1, ROWS, ROWS)).isEqualTo(1);
    assertThat(fastest(IN_REGION, 2048, COLUMNS_SPAN, 2048 * 80)).isEqualTo(0);
    assertThat(fastest(IN_REGION, 2048, HALF_SPAN, HALF)).isEqualTo(0);
    assertThat(fastest(IN_REGION, 21, BOX_SPAN, BOX)).isEqualTo(1);
    assertThat(fastest(WAN, 1, ROWS, ROWS)).isEqualTo(1);
    assertThat(fastest(WAN, 2048, COLUMNS_SPAN, 2048 * 80)).isEqualTo(3);
    assertThat(fastest(WAN, 2048, HALF_SPAN, HALF)).isEqualTo(0);
    assertThat(fastest(WAN, 21, BOX_SPAN, BOX)).isEqualTo(1);
  }

  /** What a byte, a request and the wait for a function are worth by the published constants. */
  @Test
  void thePapersBreakEvens() {
    String[] names = {"paper.s3", "paper.gcs", "paper.azure"};
    double[] bytes = {1.79e-8, 2.06e-8, 1.67e-8};
    double[] requests = {6.2e-5, 4.6e-5, 1.68e-4};
    double[] gaps = {3500, 2200, 10_000};
    double[] callMebibytes = {22, 40, 56};
    for (int i = 0; i < names.length; i++) {
      CostModel model = new PaperCostModel(StoreProfiles.of(names[i]));
      double more = 1 << 30;
      double perByte =
          (model.cost(AccessTotals.reads(512, 2 * more, more)).weighted(105)
                  - model.cost(AccessTotals.reads(512, more, more)).weighted(105))
              / more;
      double perRequest =
          (model.cost(AccessTotals.reads(768, 0, 0)).weighted(105)
                  - model.cost(AccessTotals.reads(512, 0, 0)).weighted(105))
              / 256;
      assertThat(perByte).as(names[i]).isCloseTo(bytes[i], withinPercentage(2));
      assertThat(perRequest).as(names[i]).isCloseTo(requests[i], withinPercentage(2));
      assertThat(perRequest / perByte).as(names[i]).isCloseTo(gaps[i], withinPercentage(3));
      CallTotals call = model.calls(new SliceCall(16 << 20, 16 << 20, 1)).orElseThrow();
      double waits = model.cost(new AccessTotals(0, 0, 0, 0, 0, call)).seconds();
      assertThat(waits / perByte / (1 << 20))
          .as(names[i])
          .isCloseTo(callMebibytes[i], withinPercentage(4));
    }
  }

  @Test
  void thePapersSumsOfItsOwnWorkload() {
    long rows = 131_072L * 1280 * 4;
    // S / BW(N) + T_R ceil(N / t), and F_R N + F_T S, with MB = 2^20 bytes.
    CostModel s3 = new PaperCostModel(StoreProfiles.of("paper.s3"));
    AccessCost ranges = s3.cost(AccessTotals.reads(154, (double) rows, rows / 154.0));
    double bandwidth = 104.4 + (105 - 104.4) * (154 - 128) / 384.0;
    double mebibytes = rows / 1048576.0;
    assertThat(ranges.seconds()).isCloseTo(mebibytes / bandwidth + .0051, within(1e-9));
    assertThat(ranges.dollars()).isCloseTo(154 * 4e-7 + mebibytes / 1024 * .09, within(1e-12));
  }

  @Test
  void thePapersFunctionTime() {
    // 128 chunks of 16 MB, 1 % of the columns each: published costs at phi = 105.
    double[] expected = {12.84, 15.29, 12.90};
    String[] names = {"paper.s3", "paper.gcs", "paper.azure"};
    for (int i = 0; i < names.length; i++) {
      CostModel model = new PaperCostModel(StoreProfiles.of(names[i]));
      long answer = 131_072L * 1310 * 4 / 128;
      CallTotals calls = model.calls(new SliceCall(16 << 20, 16 << 20, answer)).orElseThrow();
      AccessCost cost = model.cost(new AccessTotals(0, 0, 0, 0, 0, calls.times(128)));
      assertThat(cost.weighted(105)).as(names[i]).isCloseTo(expected[i], within(0.006));
    }
  }

  @Test
  void slicesAboveTheLimitTakeSeveralCalls() {
    CostModel gcs = new PaperCostModel(StoreProfiles.of("paper.gcs"));
    SliceCall slice = new SliceCall(16 << 20, 16 << 20, 10_737_418);
    assertThat(gcs.calls(slice).orElseThrow().calls()).isEqualTo(2);
    CostModel local = new OverlapCostModel(StoreProfiles.of("local"));
    assertThat(local.calls(slice)).isEmpty();
  }

  @Test
  void shortCallsAreBilledTheMinimumAndRoundedUp() {
    StoreProfile azure = StoreProfiles.of("azure-blob.in-region");
    CostModel flex = new OverlapCostModel(azure);
    double dollars = flex.calls(new SliceCall(1 << 20, 100, 100)).orElseThrow().dollars();
    // One second of 2 GB, a call and a read.
    assertThat(dollars).isCloseTo(2 * 2.6e-5 + 4e-7 + 4.4e-7, within(1e-12));
    double longer = flex.calls(new SliceCall(1 << 30, 63_000_000, 100)).orElseThrow().dollars();
    assertThat(longer).isCloseTo(1.1 * 2 * 2.6e-5 + 4e-7 + 4.4e-7, within(1e-12));
  }

  @Test
  void moreRequestsMeetTheTailMoreOften() {
    CostModel model = new OverlapCostModel(StoreProfiles.of("s3.in-region"));
    double one = model.seconds(AccessTotals.reads(1, 1, 1));
    double hundred = model.seconds(AccessTotals.reads(100, 100, 1));
    assertThat(one).isCloseTo(.028 + .01 * .092, within(1e-6));
    assertThat(hundred).isCloseTo(.028 + (1 - Math.pow(.99, 100)) * .092, within(1e-6));
    // A full pipe hides it: nobody waits for the slow one while others bring bytes.
    double bytes = model.profile().transport().bandwidth().maximum() * 10;
    double full = model.seconds(AccessTotals.reads(100, bytes, bytes / 100));
    assertThat(full).isCloseTo(10 + .028 + 1e-2 * 3 / 8, within(1e-6));
    assertThat(model.seconds(AccessTotals.NONE)).isZero();
  }

  @Test
  void theLastRoundWaitsAndIsThenInThePipe() {
    // 256 objects of 16 KiB over 20 MB/s and 90 ms: measured 0.424 to 0.428 s with 64 slots.
    double bytes = 256 * 16384.0;
    for (int slots : new int[] {64, 256}) {
      CostModel wan = golden(.090, 20e6, 20e6, slots, 0);
      double all = .090 + bytes / 20e6;
      double rounds = 3 * (.090 + 16384 / 20e6) + .090 + 64 * 16384 / 20e6;
      double seconds = wan.seconds(new AccessTotals(256, 0, 256, bytes, 16384, CallTotals.NONE));
      assertThat(seconds).isCloseTo(slots == 64 ? rounds : all, within(1e-6));
    }
  }

  @Test
  void passesTakeTheirTimeInTurnOrAllTogetherWithWhatIsBeside() {
    CostModel model = golden(.030, 30e6, 300e6, 8, 0);
    AccessTotals indexes = AccessTotals.reads(1, 1024, 1024);
    AccessTotals ranges = AccessTotals.reads(8, 24e6, 3e6);
    AccessTotals reads = indexes.plus(ranges);
    double inTurn = model.seconds(indexes) + model.seconds(ranges);
    // Nine requests of which eight may be under way would be two rounds of the ranges' length.
    assertThat(model.seconds(reads)).isGreaterThan(1.3 * inTurn);
    assertThat(model.inPasses(reads, indexes, ranges).seconds()).isEqualTo(inTurn);
    assertThat(model.inPasses(reads, indexes, ranges).dollars())
        .isEqualTo(model.cost(reads).dollars());
    AccessTotals all = reads.plus(AccessTotals.reads(40, 120e6, 3e6));
    assertThat(model.inPasses(all, indexes, ranges).seconds())
        .isEqualTo(model.seconds(all))
        .isGreaterThan(2 * inTurn);
  }

  @Test
  void requestsThatTheHostHasTimeForAreNotFree() {
    StoreProfile profile = IN_REGION.profile();
    Transport transport = profile.transport().withConcurrency(512).withRequestSeconds(4e-4, 0);
    CostModel model = new OverlapCostModel(profile.withTransport(transport));
    double few = model.seconds(AccessTotals.reads(16, 60e6, 60e6 / 16));
    double many = model.seconds(AccessTotals.reads(416, 60e6, 60e6 / 416));
    assertThat(few).isCloseTo(.030 + .2 + 16 * 4e-4 * 3 / 8, within(1e-6));
    assertThat(many - few).isCloseTo(400 * 4e-4 * 3 / 8, within(1e-6));
    double small = model.seconds(AccessTotals.reads(416, 3e6, 3e6 / 416));
    assertThat(small).isCloseTo(.030 + 416 * 4e-4 + .01 * 3 / 8, within(1e-6));
  }

  @Test
  void phiWeighsMoneyAgainstTime() {
    AccessCost fast = new AccessCost(1, 0.5);
    AccessCost cheap = new AccessCost(100, 0.25);
    assertThat(fast.weighted(0)).isLessThan(cheap.weighted(0));
    assertThat(fast.weighted(Double.POSITIVE_INFINITY))
        .isGreaterThan(cheap.weighted(Double.POSITIVE_INFINITY));
    assertThat(fast.weighted(100)).isEqualTo(51);
    assertThat(AccessCost.parsePhi(" 105 ")).isEqualTo(105);
    for (String infinite : List.of("Infinity", "inf", "1e30", "1e308", "1e999")) {
      assertThat(AccessCost.parsePhi(infinite)).as(infinite).isInfinite();
    }
    assertThat(AccessCost.parsePhi("9e29")).isEqualTo(9e29);
    for (String bad : List.of("-1", "NaN", "much", "", "-Infinity")) {
      assertThatThrownBy(() -> AccessCost.parsePhi(bad))
          .as(bad)
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_INVALID_OPTION");
    }
  }

  private static CostModel withHost(FunctionProfile.Host host) {
    StoreProfile profile = IN_REGION.profile();
    return new OverlapCostModel(
        profile.withFunction(profile.function().map(function -> function.withHost(host))));
  }

  private static AccessTotals slices(CostModel model, int count) {
    CallTotals calls = model.calls(new SliceCall(16_384, 4_096, 256)).orElseThrow().times(count);
    return new AccessTotals(0, 0, 0, 0, 0, calls);
  }

  @Test
  void aHostIsBusyForEachObjectWhateverRunsBeside() {
    CostModel free = withHost(FunctionProfile.Host.NONE);
    CostModel host = withHost(new FunctionProfile.Host(1e-3, 1e-9, 0));
    assertThat(free.seconds(slices(free, 256))).isLessThan(0.15);
    // Eight calls, each with an overhead of 10 ms.
    double busy = 8 * 0.010 + 256 * (1e-3 + 4_096 * 1e-9);
    assertThat(host.seconds(slices(host, 256))).isCloseTo(0.030 + busy, within(1e-3));
    assertThat(host.seconds(slices(host, 1))).isEqualTo(free.seconds(slices(free, 1)));
  }

  @Test
  void contentionIsFeltOnlyWhereBothReaderAndFunctionReadTheStore() {
    CostModel alone = withHost(new FunctionProfile.Host(1e-3, 0, 0));
    CostModel shared = withHost(new FunctionProfile.Host(1e-3, 0, 1));
    AccessTotals reads = AccessTotals.reads(8, 80e6, 10e6);
    AccessTotals calls = slices(shared, 256);
    assertThat(shared.seconds(reads)).isEqualTo(alone.seconds(reads));
    assertThat(shared.seconds(calls)).isEqualTo(alone.seconds(calls));
    assertThat(shared.seconds(reads.plus(calls)) - alone.seconds(reads.plus(calls)))
        .isCloseTo(80e6 / 300e6, within(0.01));
  }

  @Test
  void contentionDelaysReadsThatWaitForIndexesToo() {
    CostModel alone = withHost(new FunctionProfile.Host(1e-3, 0, 0));
    CostModel shared = withHost(new FunctionProfile.Host(1e-3, 0, .5));
    AccessTotals indexes = AccessTotals.reads(2, 2048, 1024);
    AccessTotals ranges = AccessTotals.reads(4, 20e6, 5e6);
    AccessTotals reads = indexes.plus(ranges);
    AccessTotals calls = slices(shared, 4);
    AccessTotals all = reads.plus(calls);
    double inTurn = alone.seconds(indexes) + alone.seconds(ranges);
    assertThat(alone.inPasses(all, indexes, ranges).seconds()).isEqualTo(inTurn);
    assertThat(shared.inPasses(reads, indexes, ranges).seconds()).isEqualTo(inTurn);
    double host = 4 * 1e-3 + shared.sent(calls.calls()).calls() * 0.010;
    assertThat(host).isLessThan(20e6 / 300e6);
    assertThat(shared.inPasses(all, indexes, ranges).seconds())
        .isCloseTo(inTurn + .5 * host, within(1e-6));
  }
}
