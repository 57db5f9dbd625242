package io.arraymorph.layout.codec;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import java.util.Optional;

/**
 * Chunks inside chunks (Zarr v3 codec {@code sharding_indexed}): inner chunks, each encoded on its
 * own, and an index of their byte ranges at one end.
 *
 * @param innerShape shape of the inner chunks, which divides the shard's
 * @param inner how an inner chunk is encoded; may be sharded again
 * @param index how the index is encoded; its encoded size must be known
 * @param indexAtEnd true if the index is the last part of the shard, else the first
 */
public record ShardingCodec(
    Shape innerShape, CodecChain inner, CodecChain index, boolean indexAtEnd)
    implements ArrayBytesCodec {

  private static final DataType UINT64 = new DataType.Int(64, false);

  @Override
  public String name() {
    return "sharding_indexed";
  }

  @Override
  public ArrayBytesCodec.Bound bind(ChunkRepresentation shard) {
    RegularChunkGrid grid = innerGrid(shard.shape());
    if (shard.fill().isEmpty()) {
      throw CodecConfigurationException.unsupported(
          "sharding_indexed after a filter for which the fill value is not defined");
    }
    long count = innerCount(grid);
    CodecPipeline innerPipeline =
        inner.bind(new ChunkRepresentation(shard.type(), innerShape, shard.fill()));
    return new BoundSharding(
        shard,
        grid,
        innerPipeline,
        BoundCodecChain.of(index, indexRepresentation(grid, count)),
        indexAtEnd);
  }

  private RegularChunkGrid innerGrid(Shape shard) {
    boolean divides = innerShape.rank() == shard.rank() && !innerShape.isEmpty();
    for (int d = 0; divides && d < shard.rank(); d++) {
      divides = shard.length(d) % innerShape.length(d) == 0;
    }
    if (!divides) {
      throw CodecConfigurationException.invalid(
          "inner chunks " + innerShape + " of sharding_indexed do not divide chunk " + shard);
    }
    return new RegularChunkGrid(shard, innerShape);
  }

  private static long innerCount(RegularChunkGrid grid) {
    long count;
    try {
      count = grid.gridShape().elementCount();
    } catch (ArithmeticException e) {
      count = Long.MAX_VALUE;
    }
    if (count > CodecLimits.MAX_INNER_CHUNKS) {
      throw CodecConfigurationException.tooLarge(
          "a shard "
              + grid.arrayShape()
              + " of "
              + grid.chunkShape()
              + " holds more than "
              + CodecLimits.MAX_INNER_CHUNKS
              + " inner chunks");
    }
    return count;
  }

  private ChunkRepresentation indexRepresentation(RegularChunkGrid grid, long count) {
    int rank = grid.arrayShape().rank();
    long[] shape = java.util.Arrays.copyOf(grid.gridShape().toArray(), rank + 1);
    shape[rank] = 2;
    byte[] missing = new byte[8];
    java.util.Arrays.fill(missing, (byte) -1);
    ChunkRepresentation chunk =
        new ChunkRepresentation(
            UINT64,
            Shape.of(shape),
            Optional.of(new FixedWidthElements(UINT64, Shape.of(), missing, 0)));
    if (!BoundCodecChain.of(index, chunk).encodedSize().isExact()) {
      throw CodecConfigurationException.invalid(
          "index_codecs " + index + " do not give the index of " + count + " chunks a fixed size");
    }
    return chunk;
  }
}
