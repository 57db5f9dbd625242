package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.layout.codec.ShardIndex;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Elements of one array from fetched bytes: selections of raw chunks, of shards, and fill values.
 *
 * <p>Stateless but for the schema; failures are {@link CodecException}s. Selections are relative to
 * the encoded chunk at hand; results are packed.
 */
record ChunkDecoder(ArraySchema schema, ScratchPool scratch, DecodeThreads threads) {
  /** Less is decoded before another thread has woken up to help. */
  private static final long MIN_SHARED_BYTES = 1L << 20;

  /** The selected elements of a chunk of which all encoded bytes are at hand. */
  Elements select(CodecPipeline pipeline, ByteBuffer encoded, Hyperslab within) {
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      Addressing.Fixed fixed = (Addressing.Fixed) addressing;
      long expected = fixed.storedShape().elementCount() * fixed.elementBytes();
      checkSize(encoded.remaining(), expected);
      ObjectBytes all = new ObjectBytes(encoded, 0, encoded.remaining(), "-");
      return selectRaw(pipeline, fixed, Fetched.of(List.of(all)), 0, within);
    }
    if (addressing instanceof Addressing.Sharded) {
      return selectInner(pipeline, (Addressing.Sharded) addressing, encoded, within);
    }
    return HyperslabCopy.pack(pipeline.decode(encoded), within);
  }

  static void checkSize(long actual, long expected) {
    if (actual != expected) {
      throw new CodecException(
          "the chunk has " + actual + " bytes, its shape and type need " + expected);
    }
  }

  private Elements selectInner(
      CodecPipeline pipeline, Addressing.Sharded shard, ByteBuffer encoded, Hyperslab within) {
    Hyperslab stored = pipeline.toStored(within);
    if (pipeline.keepsPlaces() && schema.dataType().isFixedWidth()) {
      return assembled(
          stored.counts(), (target, at) -> place(pipeline, encoded, within, target, at));
    }
    ShardIndex index = index(shard, encoded);
    ShardAssembly assembly = new ShardAssembly(stored);
    for (ChunkSelection part : ChunkSelections.of(shard.innerGrid(), stored)) {
      int number = innerNumber(shard, part);
      if (index.isMissing(number)) {
        assembly.fill(part.absolute());
      } else {
        ByteBuffer inner = inner(encoded, index, number);
        assembly.place(select(shard.inner(), inner, part.within()), part.absolute());
      }
    }
    return assembly.finish(pipeline);
  }

  private static ShardIndex index(Addressing.Sharded shard, ByteBuffer encoded) {
    int start = encoded.position();
    int size = encoded.remaining();
    if (shard.indexBytes() > size) {
      throw new CodecException(
          "the shard has " + size + " bytes, its index alone needs " + shard.indexBytes());
    }
    int indexBytes = (int) shard.indexBytes();
    int indexStart = start + (shard.indexAtEnd() ? size - indexBytes : 0);
    return shard.decodeIndex(encoded.slice(indexStart, indexBytes), size);
  }

  private static ByteBuffer inner(ByteBuffer encoded, ShardIndex index, int number) {
    int from = encoded.position() + Math.toIntExact(index.offset(number));
    return encoded.slice(from, Math.toIntExact(index.length(number)));
  }

  /**
   * Puts the selected elements of a chunk, of which all encoded bytes are at hand, at a box of the
   * target: inner chunks of shards one by one, so that no shard is put together elsewhere first.
   */
  void place(
      CodecPipeline pipeline,
      ByteBuffer encoded,
      Hyperslab within,
      ElementsAssembly target,
      Hyperslab at) {
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Sharded && pipeline.keepsPlaces()) {
      Addressing.Sharded shard = (Addressing.Sharded) addressing;
      ShardIndex index = index(shard, encoded);
      List<ChunkSelection> parts = new ArrayList<>();
      ChunkSelections.of(shard.innerGrid(), within).forEach(parts::add);
      forEach(
          parts,
          at,
          part -> {
            int number = innerNumber(shard, part);
            Hyperslab place = positionIn(part.absolute(), within).within(at);
            if (index.isMissing(number)) {
              target.place(fill(part.within().counts()), place);
            } else {
              place(shard.inner(), inner(encoded, index, number), part.within(), target, place);
            }
          });
    } else if (addressing == Addressing.WHOLE) {
      placeDecoded(pipeline, encoded, within, target, at);
    } else {
      target.place(select(pipeline, encoded, within), at);
    }
  }

  /**
   * Places parts of a box of the result, which do not overlap, by several threads if it is large.
   */
  <T> void forEach(List<T> parts, Hyperslab at, Consumer<T> place) {
    long bytes = at.elementCount() * schema.dataType().byteWidth();
    if (parts.size() > 1 && bytes >= MIN_SHARED_BYTES) {
      threads.forEach(parts.size(), i -> place.accept(parts.get(i)));
    } else {
      parts.forEach(place);
    }
  }

  /** Decodes a whole chunk into memory that is used again, and copies the selected elements. */
  void placeDecoded(
      CodecPipeline pipeline,
      ByteBuffer encoded,
      Hyperslab within,
      ElementsAssembly target,
      Hyperslab at) {
    scratch.decode(pipeline, encoded, elements -> target.place(elements, within, at));
  }

  /** Elements of a shape that are put together in place. */
  Elements assembled(Shape counts, BiConsumer<ElementsAssembly, Hyperslab> place) {
    ElementsAssembly target = ElementsAssembly.of(schema.dataType(), counts);
    place.accept(target, Hyperslab.all(counts));
    return target.finish();
  }

  /** The number of an inner chunk: C order over the inner grid. */
  static int innerNumber(Addressing.Sharded shard, ChunkSelection part) {
    Shape grid = shard.innerGrid().gridShape();
    long number = 0;
    for (int d = 0; d < grid.rank(); d++) {
      number = number * grid.length(d) + part.chunk().index(d);
    }
    return Math.toIntExact(number);
  }

  /**
   * The selected elements of a raw chunk that starts at byte {@code base} of an object.
   *
   * @param fetched holds at least their bytes
   */
  Elements selectRaw(
      CodecPipeline pipeline,
      Addressing.Fixed fixed,
      Fetched fetched,
      long base,
      Hyperslab within) {
    Hyperslab stored = pipeline.toStored(within);
    ElementRuns elements = ElementRuns.of(stored, fixed.storedShape());
    ByteRuns runs = ByteRuns.of(elements, fixed.elementBytes(), base);
    ByteBuffer packed = pack(fixed, fetched, base, stored, runs);
    return pipeline.fromStored(fixed.decodePacked(packed, stored.counts()));
  }

  private static ByteBuffer pack(
      Addressing.Fixed fixed, Fetched fetched, long base, Hyperslab stored, ByteRuns runs) {
    ObjectBytes segment = runs.runCount() == 1 ? null : fetched.covering(runs.first(), runs.end());
    if (segment != null && segment.bytes().hasArray()) {
      ByteBuffer bytes = segment.bytes();
      // Where the chunk's first byte would be; below zero if the segment starts later.
      long origin = (long) bytes.arrayOffset() + bytes.position() - segment.start() + base;
      if (origin == (int) origin) {
        byte[] packed = new byte[Math.toIntExact(runs.byteCount())];
        HyperslabCopy.pack(
            bytes.array(),
            (int) origin,
            fixed.storedShape(),
            stored,
            packed,
            0,
            fixed.elementBytes());
        return ByteBuffer.wrap(packed);
      }
    }
    return fetched.gather(runs);
  }

  /** Fill values of a shape. */
  Elements fill(Shape shape) {
    return FillElements.of(schema, shape);
  }

  /** Collects the parts of a shard in stored space. */
  final class ShardAssembly {
    private final Hyperslab stored;
    private Elements only;
    private ElementsAssembly assembly;

    /** The elements of {@code stored}, relative to the shard, are collected. */
    ShardAssembly(Hyperslab stored) {
      this.stored = stored;
    }

    void fill(Hyperslab part) {
      place(ChunkDecoder.this.fill(part.counts()), part);
    }

    void place(Elements packed, Hyperslab part) {
      if (only == null && assembly == null && part.equals(stored)) {
        only = packed;
        return;
      }
      if (assembly == null) {
        assembly = ElementsAssembly.of(packed.type(), stored.counts());
      }
      if (!packed.type().equals(schema.dataType())) {
        throw new ArrayMorphException(
            ErrorCode.UNSUPPORTED_FEATURE,
            "a shard behind a codec that changes the data type to " + packed.type().zarrName(),
            "Store the array without that codec");
      }
      assembly.place(packed, positionIn(part, stored));
    }

    Elements finish(CodecPipeline pipeline) {
      return pipeline.fromStored(only != null ? only : assembly.finish());
    }
  }

  /** Where the elements of {@code part} lie in the packed elements of {@code whole}. */
  static Hyperslab positionIn(Hyperslab part, Hyperslab whole) {
    IndexRange[] ranges = new IndexRange[whole.rank()];
    for (int d = 0; d < ranges.length; d++) {
      IndexRange outer = whole.range(d);
      long start = (part.range(d).start() - outer.start()) / outer.stride();
      ranges[d] = IndexRange.of(start, start + part.range(d).count());
    }
    return Hyperslab.of(ranges);
  }
}
