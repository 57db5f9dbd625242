package io.arraymorph.slice;

/** A slice that was not answered, or not as asked. */
public final class SliceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  /**
   * @param status of HTTP, 0 if there was no answer
   * @param code as docs/spec/subset.md names it
   */
  public SliceException(int status, String code, String message, Throwable cause) {
    super(code + ": " + message, cause);
    this.status = status;
    this.code = code;
  }

  /** The HTTP status, 0 if there was no answer. */
  public int status() {
    return status;
  }

  /** What went wrong, as docs/spec/subset.md names it. */
  public String code() {
    return code;
  }
}
