package io.arraymorph.slice;

/** A slice that was not answered, or not as asked. */
public final class SliceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private final String said;

  /**
   * @param status of HTTP, 0 if there was no answer
   * @param code as docs/spec/subset.md names it
   */
  public SliceException(int status, String code, String message, Throwable cause) {
    this(status, code, message, "", cause);
  }

  private SliceException(int status, String code, String message, String said, Throwable cause) {
    super(code + ": " + message, cause);
    this.status = status;
    this.code = code;
    this.said = said;
  }

  /** A refusal: who refused with which status, and what was said. */
  static SliceException refusal(int status, String code, String who, String said) {
    return new SliceException(status, code, who + said, said, null);
  }

  /** The HTTP status, 0 if there was no answer. */
  public int status() {
    return status;
  }

  /**
   * True if a function of before refused what it does not know yet: it names the version, or the
   * field that it did not expect.
   */
  public boolean isUnknownVersion() {
    return status == 400
        && code.matches("INVALID(_REQUEST)?")
        && (said.startsWith("arraymorph_slice is ") || said.startsWith("unknown field 'slices'"));
  }

  /** What went wrong, as docs/spec/subset.md names it. */
  public String code() {
    return code;
  }
}
