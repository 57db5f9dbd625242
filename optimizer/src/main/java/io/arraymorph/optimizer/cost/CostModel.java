package io.arraymorph.optimizer.cost;

import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.StoreProfile;
import java.util.Optional;

/**
 * Estimates what requests to a store cost. Immutable and thread-safe.
 *
 * <p>Costs depend on sums only, so that a search may change a plan here and there and ask again.
 */
public interface CostModel {

  /** The name users choose it by. */
  String label();

  /** The store that is read. */
  StoreProfile profile();

  /** Seconds of these requests together. */
  double seconds(AccessTotals totals);

  /** Seconds of one call of the slice function, alone, from the request to the last byte. */
  double callSeconds(FunctionProfile function, SliceCall call);

  /** Seconds of a call that are billed. */
  double billedSeconds(FunctionProfile function, SliceCall call);

  /** Seconds and dollars of these requests together. */
  default AccessCost cost(AccessTotals totals) {
    AccessTotals charged = totals.withCalls(sent(totals.calls()));
    return new AccessCost(seconds(totals), Fees.of(profile(), charged));
  }

  /**
   * Seconds and dollars of requests of which some wait for the answers to others: the passes one
   * after the other, with what calls beside them delay them, or, where there are requests beside
   * them, as long as all take together if that is longer.
   *
   * @param all requests, also those beside the passes
   * @param passes each sent when the one before has ended
   */
  default AccessCost inPasses(AccessTotals all, AccessTotals... passes) {
    AccessCost together = cost(all);
    double inTurn = 0;
    double requests = 0;
    for (AccessTotals pass : passes) {
      inTurn += seconds(pass);
      requests += pass.requests();
    }
    // Together, indexes would count in one round with the ranges that wait for them.
    boolean beside = all.calls().calls() > 0 || all.requests() > requests * (1 + 1e-9);
    double seconds = beside ? Math.max(inTurn + delaySeconds(all), together.seconds()) : inTurn;
    return new AccessCost(seconds, together.dollars());
  }

  /** Seconds by which reads, and calls of the slice function at the same time, delay each other. */
  default double delaySeconds(AccessTotals totals) {
    return 0;
  }

  /** The calls that are sent for slices: fewer where small ones share some. */
  default CallTotals sent(CallTotals planned) {
    return planned;
  }

  /**
   * The calls that answer one slice of one object: one, or as many as the limits of the function
   * ask for.
   *
   * @param slice as if one call could answer it
   * @return empty if there is no function, or it cannot answer within its limits
   */
  default Optional<CallTotals> calls(SliceCall slice) {
    if (profile().function().isEmpty()) {
      return Optional.empty();
    }
    FunctionProfile function = profile().function().get();
    long most = Math.max(1, slice.answerBytes());
    long count = (most + function.answer().maxBytes() - 1) / function.answer().maxBytes();
    SliceCall one = slice.divided(count);
    if (!slice.canBeNamed(count) || callSeconds(function, one) > function.maxSeconds()) {
      return Optional.empty();
    }
    double seconds = callSeconds(function, one);
    double dollars = count * Fees.ofCall(profile(), function, one, billedSeconds(function, one));
    SharedSlices shared =
        count == 1 && SharedSlices.isSmall(slice.answerBytes(), slice.spanBytes())
            ? new SharedSlices(
                1, (double) slice.answerBytes(), (double) slice.spanBytes(), seconds, dollars)
            : SharedSlices.NONE;
    return Optional.of(
        new CallTotals(
            count,
            slice.answerBytes(),
            count * seconds,
            seconds,
            count * function.host().seconds((double) one.spanBytes()),
            dollars,
            shared));
  }
}
