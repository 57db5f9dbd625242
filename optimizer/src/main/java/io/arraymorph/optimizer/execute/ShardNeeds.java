package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.optimizer.plan.ShardNeed;
import io.arraymorph.optimizer.plan.TouchedInnerChunks;
import io.arraymorph.store.StorePath;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of the shards of a batch before their indexes were read: how many inner chunks each
 * can hold, and how many are needed. Immutable.
 */
final class ShardNeeds {
  /**
   * Of one shard: inner chunks that lie in the array, those that are touched, bytes of each
   * decoded.
   */
  private record Shard(
      long innerChunks, TouchedInnerChunks touched, double innerBytes, boolean compressed) {}

  private final Map<StorePath, Shard> shards = new HashMap<>();
  private double decodedBytes;

  private ShardNeeds() {}

  static ShardNeeds of(List<Piece> pieces) {
    ShardNeeds needs = new ShardNeeds();
    for (Piece piece : pieces) {
      if (piece.pipeline().addressing() instanceof Addressing.Sharded) {
        needs.add(piece, (Addressing.Sharded) piece.pipeline().addressing());
      }
    }
    for (Shard shard : needs.shards.values()) {
      needs.decodedBytes += (double) shard.innerChunks * shard.innerBytes;
    }
    return needs;
  }

  private void add(Piece piece, Addressing.Sharded addressing) {
    Shard shard = shards.get(piece.object());
    if (shard == null) {
      // At the edge of the array a shard has fewer inner chunks than it can hold.
      Hyperslab inside = Hyperslab.all(piece.clippedShape());
      long held =
          ChunkSelections.touchedChunks(addressing.innerGrid(), piece.pipeline().toStored(inside));
      long bytes = PartResolver.decodedBytes(addressing.innerGrid().chunkShape(), piece.dataType());
      shard =
          new Shard(
              held,
              new TouchedInnerChunks(addressing.innerGrid()),
              (double) bytes,
              ShardNeed.isCompressed(addressing));
      shards.put(piece.object(), shard);
    }
    shard.touched.add(piece.pipeline().toStored(piece.selection().within()));
  }

  /** What is known of a shard; empty if there is no such shard. */
  Optional<ShardNeed> need(StorePath object) {
    Shard shard = shards.get(object);
    return shard == null
        ? Optional.empty()
        : Optional.of(
            new ShardNeed(
                shard.innerChunks,
                Math.min(shard.innerChunks, shard.touched.count()),
                (long) Math.min(0x1p61, (double) shard.innerChunks * shard.innerBytes),
                shards.size(),
                decodedBytes,
                shard.compressed,
                object));
  }
}
