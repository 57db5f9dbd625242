/**
 * Codecs between elements and stored bytes, and what parts of an encoded chunk can be read alone.
 *
 * <p>Start with {@link io.arraymorph.layout.codec.CodecPipeline} and {@link
 * io.arraymorph.layout.codec.Addressing}. No I/O. Every decoder is given the exact size of its
 * result and fails unless it fills it exactly; nothing is allocated from sizes found in data.
 */
package io.arraymorph.layout.codec;
