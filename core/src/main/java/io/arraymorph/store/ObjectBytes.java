package io.arraymorph.store;

import java.nio.ByteBuffer;

/**
 * The answer to a read.
 *
 * @param bytes the bytes read, a heap buffer whose remaining bytes are the range
 * @param start offset in the object of the first byte read
 * @param objectSize the length of the whole object
 * @param etag the version read, never empty
 */
public record ObjectBytes(ByteBuffer bytes, long start, long objectSize, String etag) {}
