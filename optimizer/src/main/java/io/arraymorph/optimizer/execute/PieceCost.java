package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;

/** Estimates the memory that reading a chunk selection takes, before anything is known of it. */
final class PieceCost {
  private PieceCost() {}

  /** Bytes fetched plus bytes decoded, at most; compressed bytes count as their decoded size. */
  static long of(CodecPipeline pipeline, Shape chunkShape, Hyperslab within, DataType type) {
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      Addressing.Fixed fixed = (Addressing.Fixed) addressing;
      ElementRuns runs = ElementRuns.of(pipeline.toStored(within), fixed.storedShape());
      return (runs.end() - runs.first()) * fixed.elementBytes();
    }
    if (addressing instanceof Addressing.Sharded) {
      Addressing.Sharded shard = (Addressing.Sharded) addressing;
      long touched = ChunkSelections.touchedChunks(shard.innerGrid(), pipeline.toStored(within));
      long inner = PartResolver.decodedBytes(shard.innerGrid().chunkShape(), type);
      return Math.min(saturated(touched, inner), most(chunkShape, type));
    }
    return most(chunkShape, type);
  }

  /** An object fetched whole and decoded. */
  static long most(Shape chunkShape, DataType type) {
    return saturated(2, PartResolver.decodedBytes(chunkShape, type));
  }

  private static long saturated(long a, long b) {
    return b != 0 && a > Long.MAX_VALUE / 4 / b ? Long.MAX_VALUE / 4 : a * b;
  }
}
