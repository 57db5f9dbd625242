package io.arraymorph.spark.procedure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ChunkShapeChoice;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How a copied array is stored: as it was, except for what is given. Sizes hold for the arrays that
 * have as many dimensions; the others (coordinates) stay as they are.
 */
final class CopiedLayout {
  private static final String V2_DIMENSIONS = "_ARRAY_DIMENSIONS";

  private final Optional<Shape> chunks;
  private final Optional<Shape> shards;
  private final Optional<Compression> compression;

  /**
   * @throws ArrayMorphException INVALID_OPTION for what is not understood
   */
  CopiedLayout(Optional<String> chunks, Optional<String> shards, Optional<String> compression) {
    this.chunks = chunks.map(text -> sizes("chunks", text));
    this.shards = shards.map(text -> sizes("shards", text));
    this.compression = compression.map(Compression::parse);
    if (shards.isPresent() && chunks.isEmpty()) {
      throw Arguments.invalid(
          "shards", shards.get(), "Give chunks too, of which they are multiples");
    }
  }

  private static Shape sizes(String name, String text) {
    try {
      long[] sizes =
          Arrays.stream(text.split(",", -1)).map(String::trim).mapToLong(Long::parseLong).toArray();
      if (Arrays.stream(sizes).allMatch(size -> size > 0)) {
        return Shape.of(sizes);
      }
    } catch (NumberFormatException e) {
      throw Arguments.invalid(name, text, "Give positive sizes, as 12,90,180");
    }
    throw Arguments.invalid(name, text, "Give positive sizes, as 12,90,180");
  }

  /** As arguments take them: {@code 12,90,180}. */
  static String sizes(Shape shape) {
    return Arrays.stream(shape.toArray()).mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  /** Makes sure that sizes fit at least one of some arrays. */
  void requireUse(List<ZarrArray> arrays) {
    boolean used = chunks.isEmpty() || arrays.stream().anyMatch(a -> fits(a.schema().shape()));
    if (!used) {
      throw Arguments.invalid(
          "chunks", sizes(chunks.get()), "No array has " + chunks.get().rank() + " dimensions");
    }
  }

  private boolean fits(Shape shape) {
    return chunks.isPresent() && chunks.get().rank() == shape.rank();
  }

  /** The copy of an array. */
  ZarrArraySpec of(ZarrArray array) {
    ArraySchema schema = array.schema();
    Compression codec = compression.orElseGet(() -> compressionOf(array));
    ChunkShapeChoice grid =
        fits(schema.shape()) ? ChunkShapeChoice.given(chunks.get(), shards) : gridOf(array, codec);
    ObjectNode attributes = array.attributes().deepCopy();
    attributes.remove(V2_DIMENSIONS);
    return new ZarrArraySpec(
        schema.dataType(),
        schema.shape(),
        grid.chunk(),
        grid.shard(),
        codec,
        schema.fill(),
        schema.dimensionNames(),
        attributes);
  }

  /** What compresses the source, if we write that too; else zstd. */
  private static Compression compressionOf(ZarrArray array) {
    try {
      return Compression.parse(array.compressionText());
    } catch (ArrayMorphException notWritten) {
      return Compression.ZSTD;
    }
  }

  private static ChunkShapeChoice gridOf(ZarrArray array, Compression codec) {
    if (!(array.grid() instanceof RegularChunkGrid)) {
      int width = Math.max(1, array.schema().dataType().byteWidth());
      return ChunkShapeChoice.of(array.schema().shape(), width, codec.isPresent());
    }
    Shape stored = ((RegularChunkGrid) array.grid()).chunkShape();
    Shape chunk = array.readChunkShape();
    return chunk.equals(stored)
        ? ChunkShapeChoice.given(stored, Optional.empty())
        : ChunkShapeChoice.given(chunk, Optional.of(stored));
  }
}
