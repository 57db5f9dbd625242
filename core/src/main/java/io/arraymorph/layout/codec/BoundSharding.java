package io.arraymorph.layout.codec;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@link ShardingCodec} bound to one shard shape. */
final class BoundSharding implements ArrayBytesCodec.Bound, Addressing.Sharded {
  private final ChunkRepresentation shard;
  private final Elements fill;
  private final RegularChunkGrid innerGrid;
  private final CodecPipeline inner;
  private final BoundCodecChain index;
  private final boolean indexAtEnd;
  private final Shape gridShape;
  private final int innerCount;

  BoundSharding(
      ChunkRepresentation shard,
      RegularChunkGrid innerGrid,
      CodecPipeline inner,
      BoundCodecChain index,
      boolean indexAtEnd) {
    this.shard = shard;
    this.fill = shard.fill().orElseThrow();
    this.innerGrid = innerGrid;
    this.inner = inner;
    this.index = index;
    this.indexAtEnd = indexAtEnd;
    this.gridShape = innerGrid.gridShape();
    this.innerCount = (int) gridShape.elementCount();
  }

  @Override
  public RegularChunkGrid innerGrid() {
    return innerGrid;
  }

  @Override
  public boolean indexAtEnd() {
    return indexAtEnd;
  }

  @Override
  public long indexBytes() {
    return index.encodedSize().max();
  }

  @Override
  public CodecPipeline inner() {
    return inner;
  }

  @Override
  public Addressing addressing() {
    return this;
  }

  @Override
  public SizeRange encodedSize() {
    return new SizeRange(indexBytes(), CodecLimits.MAX_CHUNK_BYTES);
  }

  @Override
  public ShardIndex decodeIndex(ByteBuffer encoded, long shardBytes) {
    if (encoded.remaining() != indexBytes()) {
      throw new CodecException(
          "shard index of "
              + encoded.remaining()
              + " bytes, expected "
              + indexBytes()
              + "; the shard has "
              + shardBytes
              + " bytes");
    }
    FixedWidthElements pairs = (FixedWidthElements) index.decode(encoded);
    long[] entries = new long[2 * innerCount];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = (long) LittleEndian.LONG.get(pairs.bytes(), pairs.offset() + 8 * i);
    }
    long from = indexAtEnd ? 0 : indexBytes();
    long to = indexAtEnd ? shardBytes - indexBytes() : shardBytes;
    for (int i = 0; i < innerCount; i++) {
      checkEntry(i, entries[2 * i], entries[2 * i + 1], from, to);
    }
    return new ShardIndex(entries);
  }

  private static void checkEntry(int inner, long offset, long length, long from, long to) {
    if (offset == -1 && length == -1) {
      return;
    }
    if (offset < from || offset > to || length < 1 || length > to - offset) {
      throw new CodecException(
          "entry "
              + inner
              + " of the shard index (offset "
              + Long.toUnsignedString(offset)
              + ", length "
              + Long.toUnsignedString(length)
              + ") is not in the shard's data ["
              + from
              + ", "
              + to
              + ")");
    }
  }

  @Override
  public Elements decode(ByteSpan encoded) {
    int size = (int) indexBytes();
    if (encoded.length() < size) {
      throw new CodecException(
          "a shard of " + encoded.length() + " bytes is shorter than its index of " + size);
    }
    int at = indexAtEnd ? encoded.length() - size : 0;
    ShardIndex ranges = decodeIndex(encoded.slice(at, at + size).toBuffer(), encoded.length());
    shard.boundedCount(Math.max(8, shard.type().byteWidth()));
    boolean zero =
        fill instanceof FixedWidthElements && FillElements.isZero((FixedWidthElements) fill);
    ElementsAssembly result = ElementsAssembly.of(shard.type(), shard.shape());
    Elements blank = null;
    for (int i = 0; i < innerCount; i++) {
      if (!ranges.isMissing(i)) {
        result.place(decodeInner(encoded, ranges, i), box(i));
      } else if (!zero) { // the assembly starts as zeros
        blank = blank != null ? blank : FillElements.of(fill, innerGrid.chunkShape());
        result.place(blank, box(i));
      }
    }
    return result.finish();
  }

  private Elements decodeInner(ByteSpan encoded, ShardIndex ranges, int i) {
    int offset = (int) ranges.offset(i);
    try {
      return inner.decode(encoded.slice(offset, offset + (int) ranges.length(i)).toBuffer());
    } catch (CodecException e) {
      throw new CodecException("inner chunk " + coordinates(i) + ": " + e.getMessage(), e);
    }
  }

  @Override
  public ByteSpan encode(Elements elements) {
    List<byte[]> parts = new ArrayList<>();
    long end = indexAtEnd ? 0 : indexBytes();
    byte[] pairs = new byte[16 * innerCount];
    Arrays.fill(pairs, (byte) -1);
    for (int i = 0; i < innerCount; i++) {
      Elements part = HyperslabCopy.pack(elements, box(i));
      if (FillElements.isFill(part, fill)) {
        continue;
      }
      byte[] encoded = inner.encode(part);
      LittleEndian.LONG.set(pairs, 16 * i, end);
      LittleEndian.LONG.set(pairs, 16 * i + 8, (long) encoded.length);
      parts.add(encoded);
      end += encoded.length;
    }
    byte[] encodedIndex = index.encode(indexElements(pairs));
    parts.add(indexAtEnd ? parts.size() : 0, encodedIndex);
    return joined(parts);
  }

  private static ByteSpan joined(List<byte[]> parts) {
    long total = parts.stream().mapToLong(p -> p.length).sum();
    if (total > CodecLimits.MAX_CHUNK_BYTES) {
      throw CodecConfigurationException.tooLarge("a shard of " + total + " bytes");
    }
    byte[] all = new byte[(int) total];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return ByteSpan.of(all);
  }

  private Elements indexElements(byte[] pairs) {
    long[] shape = Arrays.copyOf(gridShape.toArray(), gridShape.rank() + 1);
    shape[gridShape.rank()] = 2;
    return new FixedWidthElements(
        new io.arraymorph.array.DataType.Int(64, false), Shape.of(shape), pairs, 0);
  }

  /** Where inner chunk {@code i} is in the shard. */
  private Hyperslab box(int i) {
    return innerGrid.chunkBox(coordinates(i));
  }

  private ChunkCoordinates coordinates(int i) {
    long[] at = new long[gridShape.rank()];
    int rest = i;
    for (int d = at.length - 1; d >= 0; d--) {
      at[d] = rest % gridShape.length(d);
      rest = (int) (rest / gridShape.length(d));
    }
    return ChunkCoordinates.of(at);
  }
}
