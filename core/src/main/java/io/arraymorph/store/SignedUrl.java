package io.arraymorph.store;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;

/**
 * A URL with which whoever holds it may read one object for a while, without credentials of their
 * own.
 *
 * <p>It reads with GET and any {@code Range}; it neither writes nor lists. It is a secret until it
 * expires: {@link #toString()} leaves the signature out.
 *
 * @param url with the signature in its query
 * @param expires when it stops working; earlier if the credentials that signed it expire earlier
 */
public record SignedUrl(URI url, Instant expires) {
  /** The longest time for which S3 and Google Cloud Storage sign. */
  public static final Duration LONGEST = Duration.ofDays(7);

  /**
   * Returns a lifetime that every store accepts.
   *
   * @throws IllegalArgumentException if it is below a second or above {@link #LONGEST}
   */
  public static Duration checkLifetime(Duration lifetime) {
    if (lifetime.toSeconds() < 1 || lifetime.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("lifetime " + lifetime + " is not in [1 s, 7 days]");
    }
    return lifetime;
  }

  /** The URL without its query. */
  @Override
  public String toString() {
    String text = url.toString();
    int query = text.indexOf('?');
    return "SignedUrl[" + (query < 0 ? text : text.substring(0, query)) + ", " + expires + "]";
  }
}
