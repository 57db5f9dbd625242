package io.arraymorph.optimizer.cost;

import io.arraymorph.optimizer.profile.FunctionProfile;
import io.arraymorph.optimizer.profile.FunctionProfile.FunctionPrices;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.optimizer.profile.StoreProfile;

/**
 * What requests are charged: each request, each byte read and moved, and for calls of the slice
 * function their number, their duration, what they return slowly and what they read themselves.
 */
final class Fees {
  private Fees() {}

  /** Dollars of all requests, at the first tier of the month. */
  static double of(StoreProfile profile, AccessTotals totals) {
    Prices prices = profile.prices();
    return totals.chargedRequests() * prices.dollarsPerRequest()
        + totals.bytes() * prices.dollarsPerRetrievedByte()
        + totals.movedBytes() * prices.dollarsPerEgressByte(0)
        + totals.calls().dollars();
  }

  /** Dollars of one call but for moving its answer to the reader. */
  static double ofCall(
      StoreProfile profile, FunctionProfile function, SliceCall call, double seconds) {
    FunctionPrices prices = function.prices();
    double billed = Math.max(seconds, prices.minimumSeconds());
    if (prices.granularitySeconds() > 0) {
      // A hair less, so that 0.3 s in steps of 0.1 s stay three steps.
      billed =
          prices.granularitySeconds()
              * Math.ceil(billed / prices.granularitySeconds() * (1 - 1e-12));
    }
    double slowBytes = Math.max(0, call.answerBytes() - function.answer().fastBytes());
    double reads = prices.storeReadsPerCall();
    return prices.dollarsPerCall()
        + prices.memoryGigabytes()
            * billed
            * prices.dollarsPerGigabyteSecond()
            / prices.callsPerInstance()
        + slowBytes * prices.dollarsPerSlowByte()
        + reads * profile.prices().dollarsPerRequest()
        + (reads > 0 ? call.spanBytes() * profile.prices().dollarsPerRetrievedByte() : 0);
  }
}
