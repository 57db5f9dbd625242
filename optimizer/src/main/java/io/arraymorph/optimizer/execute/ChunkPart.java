package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Where the selected elements of a chunk come from: a tree that follows the nesting of shards.
 *
 * <p>First {@link #require} states which bytes are needed, then, when they came, {@link #elements}
 * makes the packed elements of them.
 */
abstract sealed class ChunkPart
    permits ChunkPart.Fill,
        ChunkPart.Given,
        ChunkPart.Raw,
        ChunkPart.Encoded,
        ShardPart,
        StoredPart {
  /** So much is copied sooner than a thread has woken up. */
  private static final long QUICK_COPY_BYTES = 64 << 10;

  /** So much is decoded about as soon as a thread has woken up, with caches that hold its bytes. */
  static final long QUICK_DECODE_BYTES = 512 << 10;

  /** An encoded chunk or shard: {@code length} bytes of an object, or all of it if -1. */
  record Region(StorePath object, long offset, long length) {
    static Region whole(StorePath object) {
      return new Region(object, 0, -1);
    }

    boolean isWhole() {
      return length < 0;
    }

    ByteRuns bytes() {
      if (length == 0) {
        throw new CodecException("an inner chunk of 0 bytes");
      }
      return ByteRuns.of(offset, offset + length);
    }
  }

  /** States the needed bytes. */
  abstract void require(Batch batch, Piece piece);

  /** The packed elements; all required bytes have come. */
  abstract Elements elements(ChunkDecoder decoder);

  /** True if {@link #place} takes less than waking a thread; the piece takes so many bytes. */
  boolean isQuick(long bytes) {
    return false;
  }

  /** Puts the elements at a box of the target; all required bytes have come. */
  void place(ChunkDecoder decoder, ElementsAssembly target, Hyperslab at) {
    target.place(elements(decoder), at);
  }

  /** Nothing is stored: the fill value. */
  static final class Fill extends ChunkPart {
    private final Shape counts;

    Fill(Shape counts) {
      this.counts = counts;
    }

    @Override
    void require(Batch batch, Piece piece) {}

    @Override
    Elements elements(ChunkDecoder decoder) {
      return decoder.fill(counts);
    }
  }

  /** Elements that came decoded. */
  static final class Given extends ChunkPart {
    private final Elements elements;

    Given(Elements elements) {
      this.elements = elements;
    }

    @Override
    void require(Batch batch, Piece piece) {}

    @Override
    Elements elements(ChunkDecoder decoder) {
      return elements;
    }
  }

  /** Elements of a raw chunk, each at its own place. */
  static final class Raw extends ChunkPart {
    private final Region region;
    private final CodecPipeline pipeline;
    private final Addressing.Fixed fixed;
    private final Hyperslab within;
    private ObjectRead read;

    Raw(Region region, CodecPipeline pipeline, Addressing.Fixed fixed, Hyperslab within) {
      this.region = region;
      this.pipeline = pipeline;
      this.fixed = fixed;
      this.within = within;
    }

    @Override
    boolean isQuick(long bytes) {
      return bytes <= QUICK_COPY_BYTES;
    }

    private long chunkBytes() {
      return Math.multiplyExact(fixed.storedShape().elementCount(), (long) fixed.elementBytes());
    }

    @Override
    void require(Batch batch, Piece piece) {
      if (!region.isWhole()) {
        ChunkDecoder.checkSize(region.length(), chunkBytes());
      }
      read = batch.read(region.object(), piece);
      if (region.isWhole()) {
        read.knowSize(chunkBytes());
      }
      ElementRuns runs = ElementRuns.of(pipeline.toStored(within), fixed.storedShape());
      read.need(ByteRuns.of(runs, fixed.elementBytes(), region.offset()));
    }

    @Override
    Elements elements(ChunkDecoder decoder) {
      Fetched bytes = read.bytes();
      if (region.isWhole()) {
        ChunkDecoder.checkSize(bytes.objectSize(), chunkBytes());
      }
      return decoder.selectRaw(pipeline, fixed, bytes, region.offset(), within);
    }
  }

  /** Elements of a chunk that is decoded as a whole. */
  static final class Encoded extends ChunkPart {
    private final Region region;
    private final CodecPipeline pipeline;
    private final long decodedBytes;
    private final Hyperslab within;
    private final boolean all;
    private SharedChunk chunk;

    Encoded(
        Region region,
        CodecPipeline pipeline,
        Shape chunkShape,
        long decodedBytes,
        Hyperslab within) {
      this.region = region;
      this.pipeline = pipeline;
      this.decodedBytes = decodedBytes;
      this.within = within;
      this.all = within.covers(chunkShape);
    }

    @Override
    void require(Batch batch, Piece piece) {
      chunk =
          batch.chunk(
              new SharedChunk.Place(region.object(), region.offset()),
              decodedBytes,
              !all && batch.keepsChunks(),
              piece,
              () -> {
                ObjectRead read = batch.read(region.object(), piece);
                if (region.isWhole()) {
                  read.needWhole();
                  read.expectSize(decodedBytes);
                } else {
                  read.need(region.bytes());
                }
                return new SharedChunk(
                    read, batch.fetcher(), region.offset(), region.length(), pipeline);
              });
    }

    /**
     * The encoded chunk, if it lies in these bytes and is small: any number of threads that bytes
     * come on may decode at once.
     */
    Optional<ByteBuffer> in(ObjectBytes bytes) {
      long at = region.offset() - bytes.start();
      boolean within = at >= 0 && at + region.length() <= bytes.bytes().remaining();
      return region.isWhole() || !within || decodedBytes > QUICK_DECODE_BYTES / 2
          ? Optional.empty()
          : Optional.of(
              bytes.bytes().slice(bytes.bytes().position() + (int) at, (int) region.length()));
    }

    /** Puts the elements at a box of the target, from the encoded chunk at hand. */
    void place(ByteBuffer encoded, ChunkDecoder decoder, ElementsAssembly target, Hyperslab at) {
      if (chunk.isForOne()) {
        decoder.placeDecoded(pipeline, encoded, within, target, at);
      } else {
        target.place(chunk.elements(encoded), within, at);
      }
    }

    @Override
    boolean isQuick(long bytes) {
      return bytes <= QUICK_DECODE_BYTES;
    }

    @Override
    Elements elements(ChunkDecoder decoder) {
      return HyperslabCopy.pack(chunk.elements(), within);
    }

    @Override
    void place(ChunkDecoder decoder, ElementsAssembly target, Hyperslab at) {
      if (chunk.isForOne()) {
        decoder.placeDecoded(pipeline, chunk.encoded(), within, target, at);
      } else {
        target.place(chunk.elements(), within, at);
      }
    }
  }
}
