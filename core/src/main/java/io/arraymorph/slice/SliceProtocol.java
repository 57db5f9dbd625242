package io.arraymorph.slice;

/** What slice functions and those who call them have agreed on: docs/spec/subset.md. */
public final class SliceProtocol {
  /** The version of requests for one slice. */
  public static final int VERSION = 1;

  /** The version of requests for several slices. */
  public static final int TOGETHER = 2;

  /** The function reads gaps between needed parts of an object unless they are longer. */
  public static final long GAP_BYTES = 256 << 10;

  /** The path that answers slices. */
  public static final String PATH = "/slice";

  /** CRC32C of the body, hexadecimal. */
  public static final String CRC_HEADER = "X-ArrayMorph-Crc32c";

  /** CRC32C of the body of the request that is answered. */
  public static final String REQUEST_HEADER = "X-ArrayMorph-Request-Crc32c";

  /** Bytes that the function read. */
  public static final String READ_HEADER = "X-ArrayMorph-Bytes-Read";

  /** The version of the object that was read. */
  public static final String ETAG_HEADER = "X-ArrayMorph-ETag";

  /** Versions and lengths of the objects of several slices, as JSON. */
  public static final String VERSIONS_HEADER = "X-ArrayMorph-Versions";

  /** The length of the object. */
  public static final String SIZE_HEADER = "X-ArrayMorph-Object-Bytes";

  /** Microseconds that the function worked. */
  public static final String TIME_HEADER = "X-ArrayMorph-Exec-Micros";

  /** Why a request was refused. */
  public static final String CODE_HEADER = "X-ArrayMorph-Code";

  private SliceProtocol() {}
}
