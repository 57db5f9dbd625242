package io.arraymorph.optimizer.cost;

import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.Transport;
import java.util.Objects;

/**
 * Time as the longer of two bounds that overlap: the pipe, which moves all bytes, and the slots,
 * which answer so many requests at once.
 *
 * <p>Pipe: first byte, then all bytes at the host's bandwidth, while the host spends its own time
 * on each request; these two overlap, so the longer of them counts, and three eighths of the other.
 * Slots: {@code ceil(n / concurrency)} rounds of an average request, but not less than the longest
 * one. A request takes the first byte, then its bytes at the speed of one connection; but all
 * requests of a round are sent at once and answered at once, one after the other through the pipe.
 * So a round takes what its requests take in the pipe if that is longer, and the last one first
 * waits, then is in the pipe: that is felt even if the pipe was idle in every round before
 * (docs/adr/0033). Calls of the slice function have slots of their own. To the slots comes the
 * tail: the more requests, the likelier one is among the slowest percent; while the pipe is full
 * nobody waits for it. A call waits for the function, the function's own first byte, its scan from
 * the first to the last needed byte, packing, and the answer. Small slices share calls, which saves
 * requests and fees; the function works on as many slices at once as it takes calls, and no faster
 * than its host; what host and reader get in each other's way is felt beside the longer of both.
 *
 * @param profile of the store; its transport is what this reader may use of it
 */
public record OverlapCostModel(StoreProfile profile) implements CostModel {
  /** How much of the shorter of moving and asking is felt beside the longer one. */
  private static final double FELT = 3.0 / 8;

  /** The model of a profile. */
  public OverlapCostModel {
    Objects.requireNonNull(profile);
  }

  @Override
  public String label() {
    return "overlap";
  }

  @Override
  public double seconds(AccessTotals totals) {
    Transport transport = profile.transport();
    double slices = totals.calls().calls();
    CallTotals sent = sent(totals.calls());
    double all = totals.requests() + sent.calls();
    if (all == 0) {
      return 0;
    }
    double moving = totals.movedBytes() / transport.bandwidth().maximum();
    double asking = all * transport.requestSeconds() + totals.parts() * transport.partSeconds();
    double busy = Math.max(moving, asking) + FELT * Math.min(moving, asking);
    double host = hostSeconds(totals.calls(), sent.calls());
    double pipe = transport.latencySeconds() + Math.max(busy, host) + besideHost(totals, host);
    double slots = 0;
    if (totals.requests() > 0) {
      double rounds = Math.ceil(totals.requests() / transport.concurrency());
      double mean = request(totals.bytes() / totals.requests());
      slots = Math.max(request(totals.longestBytes()), rounds * mean);
      pipe = Math.max(pipe, rounds(totals, mean));
    }
    if (slices > 0) {
      double rounds = Math.ceil(slices / profile.function().orElseThrow().concurrency());
      slots = Math.max(slots, rounds * totals.calls().seconds() / slices);
      slots = Math.max(slots, sent.longestSeconds());
    }
    double slow = transport.tailLatencySeconds() - transport.latencySeconds();
    return Math.max(pipe, slots + (slow > 0 ? slow * (1 - Math.pow(0.99, all)) : 0));
  }

  /**
   * Seconds of all reads if each round is sent at once.
   *
   * @param mean seconds of one alone
   */
  private double rounds(AccessTotals totals, double mean) {
    double each = busySeconds(totals) / totals.requests();
    Transport transport = profile.transport();
    double slots = transport.concurrency();
    double before = Math.max(0, Math.ceil(totals.requests() / slots) - 1);
    double last = transport.latencySeconds() + (totals.requests() - before * slots) * each;
    return before * Math.max(mean, slots * each) + Math.max(mean, last);
  }

  /** Seconds that calls keep busy what they share: each of them, beside what each asks for. */
  private double hostSeconds(CallTotals calls, double sent) {
    return calls.hostSeconds() == 0
        ? 0
        : calls.hostSeconds() + sent * profile.function().orElseThrow().speed().overheadSeconds();
  }

  /** What requests and answers feel of the time that the host of the function is busy. */
  private double besideHost(AccessTotals totals, double host) {
    double answers = totals.calls().answerBytes() / profile.transport().bandwidth().maximum();
    return delay(totals, host) + FELT * Math.min(answers, host);
  }

  private double delay(AccessTotals totals, double host) {
    return host == 0
        ? 0
        : profile.function().orElseThrow().host().contention()
            * Math.min(busySeconds(totals), host);
  }

  @Override
  public double delaySeconds(AccessTotals totals) {
    return delay(totals, hostSeconds(totals.calls(), sent(totals.calls()).calls()));
  }

  /** Seconds that all reads keep the pipe busy, calls not among them. */
  private double busySeconds(AccessTotals totals) {
    Transport transport = profile.transport();
    double moving = totals.bytes() / transport.bandwidth().maximum();
    double asking =
        totals.requests() * transport.requestSeconds() + totals.parts() * transport.partSeconds();
    return Math.max(moving, asking) + FELT * Math.min(moving, asking);
  }

  private double request(double bytes) {
    Transport transport = profile.transport();
    return transport.latencySeconds() + bytes / transport.connectionBytesPerSecond();
  }

  @Override
  public CallTotals sent(CallTotals planned) {
    SharedSlices shared = planned.shared();
    double calls = shared.calls();
    if (calls >= shared.slices()) {
      return planned;
    }
    FunctionProfile function = profile.function().orElseThrow();
    SliceCall one =
        new SliceCall(
            0,
            (long) Math.ceil(shared.spanBytes() / calls),
            (long) Math.ceil(shared.answerBytes() / calls));
    double waiting = (shared.rounds() - 1) * function.speed().storeLatencySeconds();
    double seconds = callSeconds(function, one) + waiting;
    double reads = function.prices().storeReadsPerCall() * profile.prices().dollarsPerRequest();
    double dollars =
        calls * Fees.ofCall(profile, function, one, billedSeconds(function, one) + waiting)
            + (shared.slices() - calls) * reads;
    return new CallTotals(
        planned.calls() - shared.slices() + calls,
        planned.answerBytes(),
        planned.seconds() - shared.seconds() + calls * seconds,
        Math.max(planned.longestSeconds(), seconds),
        planned.hostSeconds(),
        planned.dollars() - shared.dollars() + Math.min(dollars, shared.dollars()),
        SharedSlices.NONE);
  }

  @Override
  public double callSeconds(FunctionProfile function, SliceCall call) {
    return request((double) call.answerBytes())
        + function.speed().overheadSeconds()
        + function.speed().coldProbability() * function.speed().coldSeconds()
        + billedSeconds(function, call);
  }

  @Override
  public double billedSeconds(FunctionProfile function, SliceCall call) {
    double slow = Math.max(0, call.answerBytes() - function.answer().fastBytes());
    return function.speed().storeLatencySeconds()
        + call.spanBytes() / function.speed().scanBytesPerSecond()
        + call.answerBytes() / function.speed().packBytesPerSecond()
        + slow / function.answer().slowBytesPerSecond();
  }
}
