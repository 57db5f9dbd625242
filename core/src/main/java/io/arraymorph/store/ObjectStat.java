package io.arraymorph.store;

import java.time.Instant;

/**
 * What a store says of an object without its bytes.
 *
 * @param size length in bytes
 * @param etag the current version, never empty
 * @param lastModified when that version was written, by the store's clock
 */
public record ObjectStat(String key, long size, String etag, Instant lastModified) {}
