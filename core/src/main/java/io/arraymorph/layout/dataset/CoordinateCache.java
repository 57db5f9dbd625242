package io.arraymorph.layout.dataset;

import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.zarr.ReplacementCheck;
import io.arraymorph.layout.zarr.ZarrArray;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Coordinate values that were read before in this process, the most recently used within a bound on
 * their bytes. Thread-safe.
 *
 * <p>Kept are those of arrays whose metadata name the write that made them: each of our writes
 * names itself anew, so equal metadata mean equal values, and a query that has read the metadata
 * needs to ask for nothing more. Others change chunks in place and leave the metadata as they are;
 * what they wrote is read again by every table that is opened.
 */
final class CoordinateCache {
  /** The coordinates of this process. */
  static final CoordinateCache SHARED = new CoordinateCache(64L << 20);

  /**
   * What the values follow from.
   *
   * @param path with the root of the store
   */
  private record Version(String path, String metadata, String decoding) {}

  private record Kept(DecodedColumn values, long bytes) {}

  private final long capacity;
  private final Map<Version, Kept> kept = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /**
   * @param capacity in bytes of values
   */
  CoordinateCache(long capacity) {
    this.capacity = capacity;
  }

  /** The values of a coordinate array, read if they are not known. */
  DecodedColumn values(ChunkedArray array, CfDecoding decoding, Supplier<DecodedColumn> read) {
    Optional<Version> version = version(array, decoding);
    if (version.isEmpty()) {
      return read.get();
    }
    synchronized (this) {
      Kept known = kept.get(version.get());
      if (known != null) {
        return known.values();
      }
    }
    DecodedColumn values = read.get();
    keep(version.get(), values);
    return values;
  }

  private static Optional<Version> version(ChunkedArray array, CfDecoding decoding) {
    if (!(array instanceof ZarrArray)) {
      return Optional.empty();
    }
    ZarrArray zarr = (ZarrArray) array;
    return ReplacementCheck.generation(zarr.attributes()).isEmpty()
        ? Optional.empty()
        : Optional.of(new Version(zarr.path().toString(), zarr.metadataText(), decoding.toJson()));
  }

  private synchronized void keep(Version version, DecodedColumn values) {
    long size = 256L + 2L * version.metadata().length() + values.byteSize();
    if (size > capacity || kept.putIfAbsent(version, new Kept(values, size)) != null) {
      return;
    }
    bytes += size;
    Iterator<Kept> eldest = kept.values().iterator();
    while (bytes > capacity) {
      bytes -= eldest.next().bytes();
      eldest.remove();
    }
  }

  /** About the bytes that are kept. */
  synchronized long bytes() {
    return bytes;
  }
}
