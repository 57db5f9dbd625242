package io.arraymorph.layout.codec;

/** Encoded bytes that cannot be decoded: truncated, of the wrong size, or failing a checksum. */
public final class CodecException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A failure with what is wrong, as {@code crc32c mismatch (stored 1f.., computed 77..)}. */
  public CodecException(String message) {
    super(message);
  }

  /** As above, with the exception of the decoder. */
  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }
}
