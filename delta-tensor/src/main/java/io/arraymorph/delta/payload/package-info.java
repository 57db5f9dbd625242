/**
 * The bytes of one table row's binary columns: variable-length integers, element values and their
 * checksum.
 *
 * <p>Start with {@link io.arraymorph.delta.payload.PayloadWriter}. Byte layouts are written down in
 * {@code docs/spec/delta-tensor.md}.
 */
package io.arraymorph.delta.payload;
