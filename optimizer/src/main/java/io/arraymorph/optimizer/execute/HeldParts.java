package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.ShardIndex;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.Held;
import io.arraymorph.optimizer.plan.HeldObjects;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a reader holds of stored objects: decoded chunks, indexes of shards, and that an object does
 * not exist. Each is of the version that the reader has pinned. Thread-safe; asking counts no hit.
 */
final class HeldParts implements HeldObjects {
  private final ReadContext context;

  HeldParts(ReadContext context) {
    this.context = context;
  }

  @Override
  public boolean isNothing() {
    return context.chunks().isEmpty()
        && context.indexes().isEmpty()
        && context.versions().isEmpty();
  }

  @Override
  public ObjectNeed rest(
      ObjectNeed need,
      ChunkedArray array,
      ChunkCoordinates chunk,
      List<OrthogonalSelection> within) {
    if (context.versions().isAbsent(need.object())) {
      return need.rest(List.of(), need.held());
    }
    Shape shape = array.grid().chunkShape(chunk);
    CodecPipeline pipeline = array.pipeline(shape);
    DataType type = array.schema().dataType();
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      return need;
    }
    if (addressing instanceof Addressing.Sharded) {
      return ofShard(need, pipeline, (Addressing.Sharded) addressing, type, within);
    }
    return holds(need.object(), 0)
        ? need.rest(List.of(), new Held(1, PartResolver.decodedBytes(shape, type), false))
        : need;
  }

  private boolean holds(StorePath object, long offset) {
    return context.chunks().get(new SharedChunk.Place(object, offset)) != null;
  }

  private ObjectNeed ofShard(
      ObjectNeed need,
      CodecPipeline pipeline,
      Addressing.Sharded shard,
      DataType type,
      List<OrthogonalSelection> within) {
    Optional<ShardIndex> index = context.indexes().peek(ChunkPart.Region.whole(need.object()));
    if (index == null) {
      return need;
    }
    if (index.isEmpty()) {
      return need.rest(List.of(), Held.NONE);
    }
    Addressing inner = shard.inner().addressing();
    if (inner instanceof Addressing.Fixed || inner instanceof Addressing.Sharded) {
      Held held = new Held(0, 0, true);
      return new ObjectNeed(need.object(), need.objectBytes(), need.bytes(), need.decoded(), held);
    }
    long decoded = PartResolver.decodedBytes(shard.innerGrid().chunkShape(), type);
    Set<Integer> seen = new HashSet<>();
    List<ByteRuns> left = new ArrayList<>();
    Held held = new Held(0, 0, true);
    for (OrthogonalSelection product : within) {
      for (Hyperslab slab : product.hyperslabs()) {
        for (ChunkSelection part : ChunkSelections.of(shard.innerGrid(), pipeline.toStored(slab))) {
          int number = ChunkDecoder.innerNumber(shard, part);
          if (!seen.add(number) || index.get().isMissing(number)) {
            continue;
          }
          long offset = index.get().offset(number);
          if (holds(need.object(), offset)) {
            held = held.plus(new Held(1, decoded, true));
          } else if (index.get().length(number) > 0) {
            left.add(ByteRuns.of(offset, offset + index.get().length(number)));
          }
        }
      }
    }
    return need.rest(left, held);
  }
}
