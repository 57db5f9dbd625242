package io.arraymorph.optimizer.profile;

/**
 * Refuses a user's profile whose numbers no store has: they are in other units, as milliseconds,
 * megabytes a second, or dollars for a gigabyte or a million of requests.
 *
 * <p>A wrong unit would not fail anything: plans would silently be bad. The bounds are far beyond
 * every known store's values and below most of the same values in the usual other unit.
 */
final class PlausibleUnits {
  /** Slower than any store, and more than any store's megabytes or gigabytes a second. */
  private static final double LEAST_BYTES_PER_SECOND = 1e3;

  private static final double MOST_LATENCY = 3;
  private static final double MOST_SECONDS = 60;
  private static final double MOST_SECONDS_A_REQUEST = 1;
  private static final double MOST_SECONDS_A_BYTE = 1e-3;

  /** Two times what archives ask for; a million requests cost more. */
  private static final double MOST_DOLLARS_A_REQUEST = 1e-4;

  /** A hundred times what clouds ask for; a gigabyte costs more. */
  private static final double MOST_DOLLARS_A_BYTE = 1e-8;

  private static final double MOST_DOLLARS_A_GIGABYTE_SECOND = 1e-2;
  private static final double MOST_GIGABYTES = 100;
  private static final int MOST_AT_ONCE = 100_000;

  private final String where;

  private PlausibleUnits(String where) {
    this.where = where;
  }

  /**
   * Returns the profile.
   *
   * @param where file name for messages
   * @throws io.arraymorph.ArrayMorphException with PROFILE_INVALID
   */
  static StoreProfile checked(StoreProfile profile, String where) {
    new PlausibleUnits(where + ": transport: ").check(profile.transport());
    new PlausibleUnits(where + ": prices: ").check(profile.prices());
    profile.function().ifPresent(f -> new PlausibleUnits(where + ": function: ").check(f));
    return profile;
  }

  private void check(Transport transport) {
    for (BandwidthCurve.Point point : transport.bandwidth().points()) {
      fast("bandwidth", point.bytesPerSecond());
    }
    fast("connectionBytesPerSecond", transport.connectionBytesPerSecond());
    most("latencySeconds", transport.latencySeconds(), MOST_LATENCY, "seconds");
    most("tailLatencySeconds", transport.tailLatencySeconds(), MOST_SECONDS, "seconds");
    most("requestSeconds", transport.requestSeconds(), MOST_SECONDS_A_REQUEST, "seconds");
    most("partSeconds", transport.partSeconds(), MOST_SECONDS_A_REQUEST, "seconds");
    most("concurrency", transport.concurrency(), MOST_AT_ONCE, "requests");
  }

  private void check(Prices prices) {
    aRequest("dollarsPerRequest", prices.dollarsPerRequest());
    aByte("dollarsPerRetrievedByte", prices.dollarsPerRetrievedByte());
    prices.egress().forEach(tier -> aByte("egress", tier.dollarsPerByte()));
  }

  private void check(FunctionProfile function) {
    FunctionProfile.Speed speed = function.speed();
    most("overheadSeconds", speed.overheadSeconds(), MOST_LATENCY, "seconds");
    most("storeLatencySeconds", speed.storeLatencySeconds(), MOST_LATENCY, "seconds");
    fast("scanBytesPerSecond", speed.scanBytesPerSecond());
    fast("packBytesPerSecond", speed.packBytesPerSecond());
    most("coldSeconds", speed.coldSeconds(), MOST_SECONDS, "seconds");
    most("alphaSecondsPerByte", speed.alphaSecondsPerByte(), MOST_SECONDS_A_BYTE, "seconds");
    most("betaSeconds", speed.betaSeconds(), MOST_LATENCY, "seconds");
    fast("slowAnswerBytesPerSecond", function.answer().slowBytesPerSecond());
    most("concurrency", function.concurrency(), MOST_AT_ONCE, "calls");
    most("maxSeconds", function.maxSeconds(), 86_400, "seconds");
    FunctionProfile.FunctionPrices prices = function.prices();
    aRequest("dollarsPerCall", prices.dollarsPerCall());
    most("memoryGigabytes", prices.memoryGigabytes(), MOST_GIGABYTES, "gigabytes");
    most(
        "dollarsPerGigabyteSecond",
        prices.dollarsPerGigabyteSecond(),
        MOST_DOLLARS_A_GIGABYTE_SECOND,
        "dollars for a gigabyte and a second");
    most("minimumSeconds", prices.minimumSeconds(), MOST_SECONDS, "seconds");
    most("granularitySeconds", prices.granularitySeconds(), MOST_SECONDS, "seconds");
    most("callsPerInstance", prices.callsPerInstance(), MOST_AT_ONCE, "calls");
    aByte("dollarsPerSlowByte", prices.dollarsPerSlowByte());
    most("storeReadsPerCall", prices.storeReadsPerCall(), MOST_AT_ONCE, "requests");
    FunctionProfile.Host host = function.host();
    most("host: objectSeconds", host.objectSeconds(), MOST_SECONDS_A_REQUEST, "seconds");
    most("host: byteSeconds", host.byteSeconds(), MOST_SECONDS_A_BYTE, "seconds");
    most("host: contention", host.contention(), 100, "times the shorter time");
  }

  private void fast(String name, double value) {
    if (value < LEAST_BYTES_PER_SECOND) {
      throw ProfileFields.invalid(
          where
              + name
              + " is "
              + value
              + ", which no store has: it must be in bytes a second, at least "
              + LEAST_BYTES_PER_SECOND);
    }
  }

  private void aRequest(String name, double value) {
    most(name, value, MOST_DOLLARS_A_REQUEST, "dollars for one request");
  }

  private void aByte(String name, double value) {
    most(name, value, MOST_DOLLARS_A_BYTE, "dollars for one byte");
  }

  private void most(String name, double value, double most, String unit) {
    if (value > most) {
      throw ProfileFields.invalid(
          where
              + name
              + " is "
              + value
              + ", which no store has: it must be in "
              + unit
              + ", at most "
              + most);
    }
  }
}
