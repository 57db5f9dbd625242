package io.arraymorph.delta.payload;

/**
 * A payload that cannot be decoded: damaged, truncated, or written by a later version.
 *
 * <p>It does not know which row it was; who reads rows turns it into an error that says so.
 */
public final class PayloadException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The message says what is wrong with the bytes, without trailing full stop. */
  public PayloadException(String message) {
    super(message);
  }
}
