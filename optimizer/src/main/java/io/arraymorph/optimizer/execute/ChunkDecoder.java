package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkSelection;
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
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
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

  static void checkSize(long actual, long expected) {
    if (actual != expected) {
      throw new CodecException(
          "the chunk has " + actual + " bytes, its shape and type need " + expected);
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
