package io.arraymorph.cloud.s3;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.Set;

/**
 * The time by the clock of a server: ours until it refuses a request because ours is wrong, then
 * what the Date of its answer says. Servers accept signatures of the last quarter of an hour, so
 * that seconds do not matter. Thread-safe.
 */
final class ServerClock {
  /** Codes that speak of the time. */
  private static final Set<String> OF_TIME =
      Set.of("RequestTimeTooSkewed", "RequestExpired", "RequestInTheFuture");

  /** Codes that a wrong time may have caused. */
  private static final Set<String> OF_SIGNATURE =
      Set.of("AuthFailure", "InvalidSignatureException", "SignatureDoesNotMatch");

  /** A clock that is less wrong than this is not the cause. */
  private static final Duration TOLERATED = Duration.ofMinutes(4);

  private final Clock ours;
  private volatile Duration offset = Duration.ZERO;

  ServerClock(Clock ours) {
    this.ours = ours;
  }

  Instant now() {
    return ours.instant().plus(offset);
  }

  /**
   * Learns from an answer that refused a request.
   *
   * @param code of the refusal
   * @param signed the time that the request named
   * @return true if another time in its place may help
   */
  boolean learn(HttpGets.Head answer, String code, Instant signed) {
    boolean certain = OF_TIME.contains(code);
    if (!certain && !(answer.status() / 100 == 4 && OF_SIGNATURE.contains(code))) {
      return false;
    }
    Optional<Instant> theirs = answer.header("Date").flatMap(ServerClock::parse);
    if (theirs.isEmpty() || Duration.between(signed, theirs.get()).abs().compareTo(TOLERATED) < 0) {
      return false;
    }
    offset = Duration.between(ours.instant(), theirs.get());
    return true;
  }

  private static Optional<Instant> parse(String date) {
    try {
      return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)));
    } catch (DateTimeException e) {
      return Optional.empty(); // As good as none.
    }
  }
}
