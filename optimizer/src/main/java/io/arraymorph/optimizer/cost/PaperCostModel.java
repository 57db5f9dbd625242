package io.arraymorph.optimizer.cost;

import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import io.arraymorph.optimizer.profile.Transport;
import java.util.Objects;

/**
 * Time as the sum of the ArrayMorph paper, section 4.1: bytes at the bandwidth of their number of
 * requests, plus the latency of rounds of requests, plus the time of rounds of function calls.
 *
 * <p>{@code T = S / BW(N_R) + T_R ceil(N_R / t) + T_l(S_C) ceil(N_l / t)} with {@code t} threads,
 * where {@code N_R} counts all requests, {@code N_l} calls of the function, and {@code T_l} is
 * linear in the size of the chunk; for chunks of several sizes their mean {@code T_l} is taken.
 * Slices above the limit of an answer take several calls, each of the full {@code T_l}.
 *
 * @param profile of the store
 */
public record PaperCostModel(StoreProfile profile) implements CostModel {
  /** The model of a profile. */
  public PaperCostModel {
    Objects.requireNonNull(profile);
  }

  @Override
  public String label() {
    return "paper";
  }

  @Override
  public double seconds(AccessTotals totals) {
    Transport transport = profile.transport();
    double calls = totals.calls().calls();
    double all = totals.requests() + calls;
    if (all == 0) {
      return 0;
    }
    double seconds =
        totals.movedBytes() / transport.bandwidth().at(Math.max(1, Math.round(all)))
            + transport.latencySeconds() * Math.ceil(all / transport.concurrency());
    if (calls > 0) {
      seconds += totals.calls().seconds() / calls * Math.ceil(calls / transport.concurrency());
    }
    return seconds;
  }

  @Override
  public double callSeconds(FunctionProfile function, SliceCall call) {
    return function.speed().alphaSecondsPerByte() * call.chunkBytes()
        + function.speed().betaSeconds();
  }

  @Override
  public double billedSeconds(FunctionProfile function, SliceCall call) {
    return callSeconds(function, call);
  }
}
