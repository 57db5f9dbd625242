package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.util.Arrays;

/** How much of the array one tensor row may hold: option {@code piece}. */
public sealed interface Piece {

  /** The smallest part that is decoded on its own: a chunk, in shards an inner chunk. */
  record Chunk() implements Piece {
    @Override
    public String toString() {
      return "chunk";
    }
  }

  /** One stored object: a shard, or a chunk where there are no shards. */
  record Shard() implements Piece {
    @Override
    public String toString() {
      return "shard";
    }
  }

  /** A box of this shape, anchored at the array's origin. */
  record Sizes(Shape shape) implements Piece {
    @Override
    public String toString() {
      return Arrays.toString(shape.toArray()).replaceAll("[\\[\\] ]", "");
    }
  }

  /**
   * The piece a text names.
   *
   * @throws ArrayMorphException with INVALID_OPTION unless it is {@code chunk}, {@code shard} or
   *     positive integers
   */
  static Piece parse(String text) {
    switch (text.trim()) {
      case "chunk":
        return new Chunk();
      case "shard":
        return new Shard();
      default:
        try {
          long[] sizes =
              Arrays.stream(text.split(",", -1))
                  .map(String::trim)
                  .mapToLong(Long::parseLong)
                  .toArray();
          if (Arrays.stream(sizes).allMatch(s -> s > 0)) {
            return new Sizes(Shape.of(sizes));
          }
        } catch (NumberFormatException e) {
          throw invalid(text, e);
        }
        throw invalid(text, null);
    }
  }

  private static ArrayMorphException invalid(String text, Exception cause) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        "option piece: '" + text + "' is neither chunk, shard nor positive sizes",
        "Use one size per dimension, as in 1,512,512",
        cause);
  }
}
