package io.arraymorph.layout.codec;

import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import java.nio.ByteBuffer;

/**
 * The codecs of an array bound to one chunk shape, data type and fill value.
 *
 * <p>Array-to-array codecs (transpose, ..) give a chunk a <em>stored</em> shape that may differ
 * from its own. Whoever reads parts of a chunk maps a selection into stored space with {@link
 * #toStored}, reads there by {@link #addressing()}, and maps the packed result back with {@link
 * #fromStored}.
 *
 * <p>Immutable and thread-safe. Failures are {@link CodecException}s; callers add the object's
 * name.
 */
public interface CodecPipeline {

  /** What parts of an encoded chunk can be read without the rest, in stored space. */
  Addressing addressing();

  /** The same elements in stored space. */
  Hyperslab toStored(Hyperslab within);

  /**
   * Elements read in stored space (shape: counts of the stored selection) as the array has them.
   */
  Elements fromStored(Elements packed);

  /**
   * Decodes a whole chunk.
   *
   * @param encoded all bytes of the encoded chunk; position and limit are left unspecified
   * @return all elements of the chunk's nominal shape, in C order
   */
  Elements decode(ByteBuffer encoded);

  /**
   * As {@link #decode(ByteBuffer)}, for elements that are copied to their place at once: those of
   * fixed width may lie in {@code scratch}, and are valid until it is used again.
   */
  Elements decode(ByteBuffer encoded, Scratch scratch);

  /** True if stored space is the array's own: nothing is moved or changed between the two. */
  boolean keepsPlaces();

  /**
   * Encodes a whole chunk.
   *
   * @param chunk elements of the chunk's nominal shape
   * @return the encoded chunk; may be the array that holds {@code chunk}, if nothing changes
   * @throws io.arraymorph.ArrayMorphException with UNSUPPORTED_CODEC if a codec can only decode, or
   *     TOO_LARGE
   */
  byte[] encode(Elements chunk);
}
