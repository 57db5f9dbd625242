package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import java.util.Optional;

/**
 * What a codec sees of a chunk apart from its values (Zarr v3 core specification, "chunk
 * representation").
 *
 * @param type the type of the elements
 * @param shape the shape of the chunk
 * @param fill one element (rank 0): the value of elements that are not stored; empty if a codec
 *     cannot say what it becomes
 */
public record ChunkRepresentation(DataType type, Shape shape, Optional<Elements> fill) {

  /** The number of elements; TOO_LARGE if it exceeds 63 bits. */
  public long elementCount() {
    try {
      return shape.elementCount();
    } catch (ArithmeticException e) {
      throw CodecConfigurationException.tooLarge("chunk " + shape + " has over 2^63 elements");
    }
  }

  /**
   * The number of elements as a count that fits one array of elements of {@code bytes} each.
   *
   * @throws CodecConfigurationException TOO_LARGE if such an array exceeds the limit
   */
  public int boundedCount(int bytes) {
    long count = elementCount();
    if (count > CodecLimits.MAX_CHUNK_BYTES / Math.max(1, bytes)) {
      throw CodecConfigurationException.tooLarge(
          "chunk "
              + shape
              + " of "
              + type.zarrName()
              + " has "
              + count
              + " elements, more than "
              + CodecLimits.MAX_CHUNK_BYTES
              + " bytes");
    }
    return (int) count;
  }
}
