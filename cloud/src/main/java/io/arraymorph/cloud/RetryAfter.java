package io.arraymorph.cloud;

import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;

/** The HTTP header Retry-After: seconds, or a date (RFC 9110, section 10.2.3). */
public final class RetryAfter {
  private RetryAfter() {}

  /** How long to wait; zero for what does not parse or lies in the past. */
  public static Duration parse(String header) {
    String text = header.trim();
    try {
      if (text.matches("\\d{1,9}")) {
        return Duration.ofSeconds(Long.parseLong(text));
      }
      Instant date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      Duration wait = Duration.between(Instant.now(), date);
      return wait.isNegative() ? Duration.ZERO : wait;
    } catch (DateTimeParseException e) {
      return Duration.ZERO;
    }
  }
}
