package io.arraymorph.optimizer.profile;

import java.util.Objects;

/**
 * What a slice function beside a store does in which time, within which limits, for which price.
 *
 * @param speed of a call
 * @param answer limits of what a call may return
 * @param concurrency calls under way at once from one host, at least 1
 * @param maxSeconds of one call
 * @param prices of calls
 * @param host what all calls share; nothing where each has an instance of its own
 */
public record FunctionProfile(
    Speed speed,
    Answer answer,
    int concurrency,
    double maxSeconds,
    FunctionPrices prices,
    Host host) {

  /** Throws {@link IllegalArgumentException} for values that make no sense. */
  public FunctionProfile {
    Objects.requireNonNull(speed);
    Objects.requireNonNull(answer);
    Objects.requireNonNull(prices);
    Objects.requireNonNull(host);
    Checks.positive("concurrency", concurrency);
    Checks.positive("maxSeconds", maxSeconds);
  }

  /** A function whose calls share nothing. */
  public FunctionProfile(
      Speed speed, Answer answer, int concurrency, double maxSeconds, FunctionPrices prices) {
    this(speed, answer, concurrency, maxSeconds, prices, Host.NONE);
  }

  /** This function with another host. */
  public FunctionProfile withHost(Host value) {
    return new FunctionProfile(speed, answer, concurrency, maxSeconds, prices, value);
  }

  /**
   * What calls that run at once have in common: the processors of one machine, if the function is a
   * server on one, and the store that it reads.
   *
   * @param objectSeconds for each object that is read, whatever runs beside
   * @param byteSeconds for each byte from the first to the last needed one, the same
   * @param contention how much of the shorter is felt where calls keep their host busy for some
   *     time and the reader's own requests the store: 0 if they share nothing, 1 if one waits for
   *     the other, more if they hinder each other
   */
  public record Host(double objectSeconds, double byteSeconds, double contention) {
    /** Calls do not feel each other. */
    public static final Host NONE = new Host(0, 0, 0);

    /** Throws {@link IllegalArgumentException} for values that make no sense. */
    public Host {
      Checks.notNegative("objectSeconds", objectSeconds);
      Checks.notNegative("byteSeconds", byteSeconds);
      Checks.notNegative("contention", contention);
    }

    /** Seconds of one slice. */
    public double seconds(double spanBytes) {
      return objectSeconds + spanBytes * byteSeconds;
    }
  }

  /**
   * Time of a call beside that of an ordinary request.
   *
   * @param overheadSeconds more latency than an ordinary request has, not billed
   * @param storeLatencySeconds of the function's own reads, billed
   * @param scanBytesPerSecond of its reads, from the first to the last needed byte
   * @param packBytesPerSecond of making the answer
   * @param coldProbability of a start that has to wait, from 0 to 1
   * @param coldSeconds how long that takes
   * @param alphaSecondsPerByte of the paper's T_lambda = alpha size + beta, size being the chunk's
   * @param betaSeconds of the same
   */
  public record Speed(
      double overheadSeconds,
      double storeLatencySeconds,
      double scanBytesPerSecond,
      double packBytesPerSecond,
      double coldProbability,
      double coldSeconds,
      double alphaSecondsPerByte,
      double betaSeconds) {

    /** Throws {@link IllegalArgumentException} for values that make no sense. */
    public Speed {
      Checks.notNegative("overheadSeconds", overheadSeconds);
      Checks.notNegative("storeLatencySeconds", storeLatencySeconds);
      Checks.positive("scanBytesPerSecond", scanBytesPerSecond);
      Checks.positive("packBytesPerSecond", packBytesPerSecond);
      Checks.share("coldProbability", coldProbability);
      Checks.notNegative("coldSeconds", coldSeconds);
      Checks.notNegative("alphaSecondsPerByte", alphaSecondsPerByte);
      Checks.notNegative("betaSeconds", betaSeconds);
    }
  }

  /**
   * Limits of an answer.
   *
   * @param maxBytes of one answer; larger slices take several calls
   * @param fastBytes that flow at full speed
   * @param slowBytesPerSecond of the rest of an answer
   */
  public record Answer(long maxBytes, long fastBytes, double slowBytesPerSecond) {

    /** Throws {@link IllegalArgumentException} for values that make no sense. */
    public Answer {
      Checks.positive("maxAnswerBytes", (double) maxBytes);
      Checks.notNegative("fastAnswerBytes", (double) fastBytes);
      Checks.positive("slowAnswerBytesPerSecond", slowBytesPerSecond);
    }
  }

  /**
   * Prices of calls in dollars.
   *
   * @param dollarsPerCall for each call
   * @param memoryGigabytes of an instance
   * @param dollarsPerGigabyteSecond of an instance while it runs
   * @param minimumSeconds billed at least
   * @param granularitySeconds to which time is rounded up; 0 if it is not
   * @param callsPerInstance that share an instance and its price, at least 1
   * @param dollarsPerSlowByte of answer bytes beyond {@link Answer#fastBytes}
   * @param storeReadsPerCall requests of the function itself, as the store charges them
   */
  public record FunctionPrices(
      double dollarsPerCall,
      double memoryGigabytes,
      double dollarsPerGigabyteSecond,
      double minimumSeconds,
      double granularitySeconds,
      double callsPerInstance,
      double dollarsPerSlowByte,
      double storeReadsPerCall) {

    /** Throws {@link IllegalArgumentException} for values that make no sense. */
    public FunctionPrices {
      Checks.notNegative("dollarsPerCall", dollarsPerCall);
      Checks.positive("memoryGigabytes", memoryGigabytes);
      Checks.notNegative("dollarsPerGigabyteSecond", dollarsPerGigabyteSecond);
      Checks.notNegative("minimumSeconds", minimumSeconds);
      Checks.notNegative("granularitySeconds", granularitySeconds);
      Checks.positive("callsPerInstance", callsPerInstance);
      Checks.notNegative("dollarsPerSlowByte", dollarsPerSlowByte);
      Checks.notNegative("storeReadsPerCall", storeReadsPerCall);
    }
  }
}
