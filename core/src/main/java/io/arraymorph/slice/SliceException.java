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

  /** True if a function of before refused what it does not know yet: it names the version. */
  public boolean isUnknownVersion() {
    return status == 400
        && code.equals("INVALID_REQUEST")
        && getMessage().contains("arraymorph_slice is ");
  }

  /** What went wrong, as docs/spec/subset.md names it. */
  public String code() {
    return code;
  }
}
