package io.arraymorph.layout.zarr;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.layout.codec.ShardIndex;
import java.nio.ByteBuffer;

/**
 * Decodes a part of a chunk through {@link Addressing} alone: element by element, inner chunk by
 * inner chunk.
 */
final class PartialDecoder implements ChunkLoop.PartDecoder {
  int fixedParts;
  int innerChunks;

  @Override
  public Elements decode(
      ChunkedArray array, Shape chunkShape, ByteBuffer encoded, Hyperslab within) {
    return part(array.pipeline(chunkShape), array.schema().fill(), encoded, within);
  }

  private Elements part(
      CodecPipeline pipeline, Elements fill, ByteBuffer encoded, Hyperslab within) {
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      return elements(pipeline, (Addressing.Fixed) addressing, encoded, within);
    }
    if (addressing instanceof Addressing.Sharded) {
      return inner(pipeline, (Addressing.Sharded) addressing, fill, encoded, within);
    }
    return HyperslabCopy.pack(pipeline.decode(encoded), within);
  }

  private Elements elements(
      CodecPipeline pipeline, Addressing.Fixed fixed, ByteBuffer encoded, Hyperslab within) {
    fixedParts++;
    long wanted = fixed.storedShape().elementCount() * fixed.elementBytes();
    if (encoded.remaining() != wanted) {
      throw new CodecException(encoded.remaining() + " bytes instead of " + wanted);
    }
    Hyperslab stored = pipeline.toStored(within);
    int count = (int) stored.elementCount();
    ByteBuffer packed = ByteBuffer.allocate(count * fixed.elementBytes());
    long[] at = new long[stored.rank()];
    for (int i = 0; i < count; i++) {
      long element = 0;
      for (int d = 0; d < at.length; d++) {
        IndexRange range = stored.range(d);
        element = element * fixed.storedShape().length(d) + range.start() + at[d] * range.stride();
      }
      int offset = encoded.position() + (int) element * fixed.elementBytes();
      packed.put(encoded.slice(offset, fixed.elementBytes()));
      for (int d = at.length - 1; d >= 0 && ++at[d] == stored.range(d).count(); d--) {
        at[d] = 0;
      }
    }
    return pipeline.fromStored(fixed.decodePacked(packed.flip(), stored.counts()));
  }

  private Elements inner(
      CodecPipeline pipeline,
      Addressing.Sharded shard,
      Elements fill,
      ByteBuffer encoded,
      Hyperslab within) {
    int size = encoded.remaining();
    int indexBytes = (int) Math.min(size, shard.indexBytes());
    int indexAt = encoded.position() + (shard.indexAtEnd() ? size - indexBytes : 0);
    ShardIndex index = shard.decodeIndex(encoded.slice(indexAt, indexBytes), size);
    Hyperslab stored = pipeline.toStored(within);
    ElementsAssembly assembly = ElementsAssembly.of(fill.type(), stored.counts());
    Shape grid = shard.innerGrid().gridShape();
    for (ChunkSelection part : ChunkSelections.of(shard.innerGrid(), stored)) {
      innerChunks++;
      int number = 0;
      for (int d = 0; d < grid.rank(); d++) {
        number = (int) (number * grid.length(d) + part.chunk().index(d));
      }
      Elements decoded =
          index.isMissing(number)
              ? FillElements.of(fill, part.within().counts())
              : part(
                  shard.inner(),
                  fill,
                  encoded.slice(
                      encoded.position() + (int) index.offset(number), (int) index.length(number)),
                  part.within());
      assembly.place(decoded, ChunkLoop.position(part.absolute(), stored));
    }
    return pipeline.fromStored(assembly.finish());
  }
}
