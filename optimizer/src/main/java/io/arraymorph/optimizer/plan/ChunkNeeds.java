package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.optimizer.cost.SharedSlices;
import io.arraymorph.optimizer.cost.SliceCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Finds what a selection needs of single chunks and shards: exact for raw chunks; inner chunks of
 * shards are taken to lie where they would if stored raw and in order. Immutable.
 */
final class ChunkNeeds {
  /**
   * How much smaller compressed chunks are taken to be than decoded ones, for choosing; inner
   * chunks of shards are taken as they lie when stored raw.
   */
  static final int LIKELY_RATIO = 2;

  private final ChunkedArray array;
  private final AccessPlanner planner;
  private final long together;
  private final double meanShardBytes;

  /**
   * @param touched all chunks that are read together
   */
  ChunkNeeds(ChunkedArray array, TouchedChunks touched, AccessPlanner planner) {
    this.array = array;
    this.planner = planner;
    this.together = Math.max(1, Math.min(SharedSlices.MOST_TOGETHER, touched.count()));
    this.meanShardBytes = StoredShard.meanBytes(array, touched);
  }

  /**
   * What is needed of a chunk.
   *
   * @param within the selected elements, disjoint products of indices of the chunk
   */
  ChunkNeed of(ChunkCoordinates chunk, List<OrthogonalSelection> within) {
    Shape shape = array.grid().chunkShape(chunk);
    CodecPipeline pipeline = array.pipeline(shape);
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      Addressing.Fixed fixed = (Addressing.Fixed) addressing;
      List<ByteRuns> runs = new ArrayList<>();
      for (OrthogonalSelection product : within) {
        addRawRuns(pipeline, fixed, product, 0, runs);
      }
      long size = fixed.storedShape().elementCount() * fixed.elementBytes();
      NeededBytes bytes = NeededBytes.runs(runs);
      return new ChunkNeed(
          new ObjectNeed(array.chunkObject(chunk), OptionalLong.of(size), bytes), size, 0, true);
    }
    if (addressing instanceof Addressing.Sharded) {
      return ofShard(chunk, pipeline, (Addressing.Sharded) addressing, within);
    }
    long decoded = shape.elementCount() * PlanEstimator.elementBytes(type());
    long likely = Math.max(1, decoded / LIKELY_RATIO);
    ObjectNeed need = encoded(chunk, NeededBytes.WHOLE, decodedCall(likely, likely, within));
    return new ChunkNeed(need, decoded, 0, false);
  }

  private DataType type() {
    return array.schema().dataType();
  }

  private ObjectNeed encoded(ChunkCoordinates chunk, NeededBytes bytes, Optional<SliceCall> call) {
    return new ObjectNeed(array.chunkObject(chunk), OptionalLong.empty(), bytes, call);
  }

  /** What a function has to do that decodes a chunk: read some of its bytes, answer elements. */
  private Optional<SliceCall> decodedCall(
      long stored, long read, List<OrthogonalSelection> within) {
    if (!type().isFixedWidth()) {
      return Optional.empty();
    }
    long elements = within.stream().mapToLong(OrthogonalSelection::elementCount).sum();
    return Optional.of(
        new SliceCall(Math.max(1, stored), Math.max(1, read), elements * type().byteWidth()));
  }

  private static void addRawRuns(
      CodecPipeline pipeline,
      Addressing.Fixed fixed,
      OrthogonalSelection within,
      long offset,
      List<ByteRuns> runs) {
    for (Hyperslab slab : within.hyperslabs()) {
      ElementRuns elements = ElementRuns.of(pipeline.toStored(slab), fixed.storedShape());
      runs.add(ByteRuns.of(elements, fixed.elementBytes(), offset));
    }
  }

  private ChunkNeed ofShard(
      ChunkCoordinates chunk,
      CodecPipeline pipeline,
      Addressing.Sharded addressing,
      List<OrthogonalSelection> within) {
    StoredShard shard = StoredShard.of(array, chunk, pipeline, addressing);
    List<Hyperslab> stored = new ArrayList<>();
    TouchedInnerChunks touched = new TouchedInnerChunks(addressing.innerGrid());
    for (OrthogonalSelection product : within) {
      for (Hyperslab slab : product.hyperslabs()) {
        stored.add(pipeline.toStored(slab));
        touched.add(stored.get(stored.size() - 1));
      }
    }
    long needed = Math.min(shard.innerChunks(), touched.count());
    Optional<SliceCall> call =
        decodedCall(shard.decodedBytes(), shard.innerBytes() * needed, within);
    long all = shard.decodedBytes() + addressing.indexBytes();
    ShardNeed need =
        new ShardNeed(
            shard.innerChunks(),
            needed,
            shard.decodedBytes(),
            together,
            meanShardBytes * (double) together,
            ShardNeed.isCompressed(addressing),
            array.chunkObject(chunk));
    if (planner.readsWhole(need)) {
      return new ChunkNeed(encoded(chunk, NeededBytes.WHOLE, call), all, 0, false);
    }
    NeededBytes bytes = NeededBytes.runs(innerRuns(addressing, stored, shard));
    return new ChunkNeed(encoded(chunk, bytes, call), all, addressing.indexBytes(), false);
  }

  /** Inner chunks where they would lie if all were stored raw and in order. */
  private static List<ByteRuns> innerRuns(
      Addressing.Sharded addressing, List<Hyperslab> stored, StoredShard shard) {
    CodecPipeline pipeline = addressing.inner();
    List<ByteRuns> runs = new ArrayList<>();
    Set<Long> seen = new HashSet<>();
    for (Hyperslab slab : stored) {
      for (ChunkSelection inner : ChunkSelections.of(addressing.innerGrid(), slab)) {
        long offset = shard.offset(inner.chunk());
        if (pipeline.addressing() instanceof Addressing.Fixed) {
          Addressing.Fixed fixed = (Addressing.Fixed) pipeline.addressing();
          addRawRuns(pipeline, fixed, OrthogonalSelection.of(inner.within()), offset, runs);
        } else if (seen.add(offset)) {
          runs.add(ByteRuns.of(offset, offset + Math.max(1, shard.innerBytes())));
        }
      }
    }
    return runs;
  }
}
