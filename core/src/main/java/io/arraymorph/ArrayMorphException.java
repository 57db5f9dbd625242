package io.arraymorph;

import java.util.Objects;

/**
 * The one exception that arraymorph shows to users: a stable code, the problem with the offending
 * value, and what to do about it.
 *
 * <p>The message reads {@code [ARRAYMORPH_CODE] problem. remedy}. It never contains credentials.
 */
public final class ArrayMorphException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * @param problem what is wrong, naming the object and the value; no trailing full stop
   * @param remedy what the user can do, a full sentence without trailing full stop
   */
  public ArrayMorphException(ErrorCode code, String problem, String remedy) {
    this(code, problem, remedy, null);
  }

  /** As the other constructor, with the exception that caused it (may be null). */
  public ArrayMorphException(ErrorCode code, String problem, String remedy, Throwable cause) {
    super("[" + code.label() + "] " + problem + ". " + remedy + ".", cause);
    this.code = Objects.requireNonNull(code);
  }

  /** The stable code of the problem. */
  public ErrorCode code() {
    return code;
  }
}
