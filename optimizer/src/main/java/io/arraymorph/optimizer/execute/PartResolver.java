package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.ShardIndex;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.ShardNeed;
import io.arraymorph.store.ObjectOpener;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Finds the parts of chunk selections, through the indexes of shards as far as they are known.
 *
 * <p>Does no I/O: indexes that are not known yet are collected for the caller to read.
 */
final class PartResolver {
  private final ReadContext context;
  private final Map<ChunkPart.Region, CompletableFuture<Optional<ShardIndex>>> indexes;
  private final ShardNeeds needs;
  private Map<ChunkPart.Region, Addressing.Sharded> missing = new LinkedHashMap<>();
  private Map<StorePath, WholeShard> whole = new LinkedHashMap<>();

  /** A shard that is read whole, its index with it. */
  record WholeShard(Addressing.Sharded addressing, long decodedBytes) {}

  /**
   * @param pieces all selections of the batch
   * @param indexes those this batch has asked for, whether they have come or not; may be written to
   *     between passes
   */
  PartResolver(
      List<Piece> pieces,
      ReadContext context,
      Map<ChunkPart.Region, CompletableFuture<Optional<ShardIndex>>> indexes) {
    this.context = context;
    this.indexes = indexes;
    this.needs = ShardNeeds.of(pieces);
  }

  /** The indexes to ask for; they must be in {@code indexes} before the next pass. */
  Map<ChunkPart.Region, Addressing.Sharded> takeMissing() {
    Map<ChunkPart.Region, Addressing.Sharded> taken = missing;
    missing = new LinkedHashMap<>();
    return taken;
  }

  /** The shards to read whole; their indexes must be in {@code indexes} before the next pass. */
  Map<StorePath, WholeShard> takeWhole() {
    Map<StorePath, WholeShard> taken = whole;
    whole = new LinkedHashMap<>();
    return taken;
  }

  /** Where the elements of a piece come from, or null while indexes are missing. */
  ChunkPart resolve(Piece piece) {
    if (context.versions().isAbsent(piece.object())) {
      return new ChunkPart.Fill(piece.selection().within().counts());
    }
    ChunkPart stored = stored(piece);
    if (stored != null) {
      return stored;
    }
    return part(
        ChunkPart.Region.whole(piece.object()),
        piece.pipeline(),
        piece.chunkShape(),
        piece.selection().within(),
        piece.dataType());
  }

  /** The elements of a piece where they lie, if they can be taken from there; else null. */
  private static ChunkPart stored(Piece piece) {
    Optional<StoredSink> sink = piece.request().storedSink();
    Optional<ObjectOpener> opener =
        sink.isEmpty() ? Optional.empty() : piece.object().store().opener();
    if (opener.isEmpty()
        || !(piece.pipeline().addressing() instanceof Addressing.Fixed)
        || !piece.pipeline().keepsPlaces()) {
      return null;
    }
    Addressing.Fixed fixed = (Addressing.Fixed) piece.pipeline().addressing();
    Hyperslab within = piece.selection().within();
    if (!fixed.isAsInMemory()) {
      return null;
    }
    ElementRuns elements = ElementRuns.of(within, fixed.storedShape());
    ByteRuns bytes = ByteRuns.of(elements, fixed.elementBytes(), 0);
    return StoredRuns.areLong(bytes)
        ? new StoredPart(
            piece.request(),
            piece.object(),
            opener.get(),
            fixed,
            bytes,
            within.counts(),
            sink.get())
        : null;
  }

  private ChunkPart part(
      ChunkPart.Region region,
      CodecPipeline pipeline,
      Shape chunkShape,
      Hyperslab within,
      DataType type) {
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      return new ChunkPart.Raw(region, pipeline, (Addressing.Fixed) addressing, within);
    }
    if (addressing instanceof Addressing.Sharded) {
      return shard(region, pipeline, (Addressing.Sharded) addressing, within, type);
    }
    long bytes = decodedBytes(chunkShape, type);
    checkSize(region, bytes);
    return new ChunkPart.Encoded(region, pipeline, chunkShape, bytes, within);
  }

  private void checkSize(ChunkPart.Region region, long bytes) {
    if (bytes > context.settings().maxChunkBytes()) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          "a chunk in object "
              + region.object()
              + " has "
              + bytes
              + " bytes when decoded, the limit is "
              + context.settings().maxChunkBytes(),
          "Store the array in smaller chunks");
    }
  }

  /** About the bytes of the elements in memory; text and bytes of any length count 16 each. */
  static long decodedBytes(Shape shape, DataType type) {
    try {
      return Math.multiplyExact(
          shape.elementCount(), type.isFixedWidth() ? (long) type.byteWidth() : 16L);
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  private ChunkPart shard(
      ChunkPart.Region region,
      CodecPipeline pipeline,
      Addressing.Sharded shard,
      Hyperslab within,
      DataType type) {
    Optional<ShardIndex> index = index(region, shard);
    if (index == null) {
      return null;
    }
    if (index.isEmpty()) {
      return new ChunkPart.Fill(within.counts());
    }
    Hyperslab stored = pipeline.toStored(within);
    List<ShardPart.Inner> parts = new ArrayList<>();
    boolean complete = true;
    for (ChunkSelection inner : ChunkSelections.of(shard.innerGrid(), stored)) {
      int number = ChunkDecoder.innerNumber(shard, inner);
      ChunkPart part =
          index.get().isMissing(number)
              ? new ChunkPart.Fill(inner.within().counts())
              : part(
                  new ChunkPart.Region(
                      region.object(),
                      region.offset() + index.get().offset(number),
                      index.get().length(number)),
                  shard.inner(),
                  shard.innerGrid().chunkShape(),
                  inner.within(),
                  type);
      complete &= part != null;
      parts.add(new ShardPart.Inner(part, inner.absolute()));
    }
    return complete ? new ShardPart(pipeline, stored, parts) : null;
  }

  /** The index if it is known; else null, noted as missing or the shard as read whole. */
  private Optional<ShardIndex> index(ChunkPart.Region region, Addressing.Sharded shard) {
    CompletableFuture<Optional<ShardIndex>> asked = indexes.get(region);
    if (asked != null) {
      return asked.isDone() ? asked.join() : null;
    }
    Optional<ShardIndex> kept = context.indexes().kept(region);
    if (kept != null) {
      indexes.put(region, CompletableFuture.completedFuture(kept));
      return kept;
    }
    if (missing.containsKey(region) || (region.isWhole() && whole.containsKey(region.object()))) {
      return null; // Another piece of the shard came first.
    }
    Optional<ShardNeed> need = region.isWhole() ? needs.need(region.object()) : Optional.empty();
    if (need.isPresent() && context.settings().planner().readsWhole(need.get())) {
      whole.put(region.object(), new WholeShard(shard, need.get().decodedBytes()));
    } else {
      missing.put(region, shard);
    }
    return null;
  }
}
