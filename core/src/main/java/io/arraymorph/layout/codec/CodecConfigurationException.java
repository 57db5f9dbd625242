package io.arraymorph.layout.codec;

import io.arraymorph.ErrorCode;

/**
 * Codecs that cannot be used on an array: a parameter out of range, a wrong order, an unsupported
 * name, sizes beyond a limit. Whoever opens the array adds its name and shows an {@link
 * io.arraymorph.ArrayMorphException} with the same code.
 */
public final class CodecConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /**
   * @param code METADATA_INVALID, UNSUPPORTED_CODEC, UNSUPPORTED_TYPE or TOO_LARGE
   * @param problem what is wrong, with the value; no trailing full stop
   */
  public CodecConfigurationException(ErrorCode code, String problem) {
    super(problem);
    this.code = code;
  }

  /** A parameter that breaks the codec's specification. */
  public static CodecConfigurationException invalid(String problem) {
    return new CodecConfigurationException(ErrorCode.METADATA_INVALID, problem);
  }

  /** A codec or a use of it that is legal but not supported. */
  public static CodecConfigurationException unsupported(String problem) {
    return new CodecConfigurationException(ErrorCode.UNSUPPORTED_CODEC, problem);
  }

  /** A size beyond a limit that protects memory. */
  public static CodecConfigurationException tooLarge(String problem) {
    return new CodecConfigurationException(ErrorCode.TOO_LARGE, problem);
  }

  /** What users see as the code. */
  public ErrorCode code() {
    return code;
  }
}
