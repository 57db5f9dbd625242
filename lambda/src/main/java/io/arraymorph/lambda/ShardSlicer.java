package io.arraymorph.lambda;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
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
import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Boxes of a shard, by its index and the inner chunks that they touch. */
final class ShardSlicer {
  /**
   * Shards that are no longer when decoded are read by one request: another one for the index takes
   * a store longer.
   */
  private static final long WHOLE_BYTES = 2 * SliceProtocol.GAP_BYTES;

  /** Inner chunks that the boxes of a slice may touch, counted for each box. */
  private static final long MOST_TOUCHED = 1 << 18;

  private final ArraySchema schema;
  private final CodecPipeline pipeline;
  private final Addressing.Sharded shard;
  private final PinnedObject object;
  private final SliceLimits limits;

  ShardSlicer(
      ArraySchema schema,
      CodecPipeline pipeline,
      Addressing.Sharded shard,
      PinnedObject object,
      SliceLimits limits) {
    this.schema = schema;
    this.pipeline = pipeline;
    this.shard = shard;
    this.object = object;
    this.limits = limits;
  }

  /** The packed elements of each box. */
  List<Elements> select(List<Hyperslab> boxes) {
    Shape innerShape = shard.innerGrid().chunkShape();
    int width = schema.dataType().byteWidth();
    long innerBytes = ChunkSlicer.saturated(ChunkSlicer.elements(innerShape), width);
    if (shard.indexBytes() > limits.objectBytes() || innerBytes > limits.objectBytes()) {
      throw PinnedObject.tooLarge(
          "an inner chunk or the index",
          Math.max(shard.indexBytes(), innerBytes),
          limits.objectBytes());
    }
    List<List<ChunkSelection>> parts = new ArrayList<>();
    long touched = 0;
    for (Hyperslab box : boxes) {
      Hyperslab stored = pipeline.toStored(box);
      touched += ChunkSelections.touchedChunks(shard.innerGrid(), stored);
      if (touched > MOST_TOUCHED) {
        throw new ArrayMorphException(
            ErrorCode.TOO_LARGE,
            "boxes touch more than " + MOST_TOUCHED + " inner chunks",
            "Ask for less at a time");
      }
      List<ChunkSelection> ofBox = new ArrayList<>();
      ChunkSelections.of(shard.innerGrid(), stored).forEach(ofBox::add);
      parts.add(ofBox);
    }
    object.reserve("a decoded inner chunk", 2 * innerBytes);
    Optional<ObjectBytes> whole = wholeIfSmall(innerBytes);
    ShardIndex index = whole.isPresent() ? index(whole.get()) : index();
    Map<Integer, ByteRange.Bounded> needed = new TreeMap<>();
    for (List<ChunkSelection> ofBox : parts) {
      for (ChunkSelection part : ofBox) {
        int number = number(part);
        if (!index.isMissing(number)) {
          long start = index.offset(number);
          needed.put(number, ByteRange.of(start, start + index.length(number)));
        }
      }
    }
    Segments segments =
        whole.isPresent()
            ? Segments.of(whole.get())
            : Segments.read(object, List.copyOf(needed.values()));
    List<Elements> selected = new ArrayList<>();
    for (int box = 0; box < boxes.size(); box++) {
      selected.add(assemble(boxes.get(box), parts.get(box), needed, segments));
    }
    return selected;
  }

  /** All of the shard, where that takes about as long as its index and inner chunks would. */
  private Optional<ObjectBytes> wholeIfSmall(long innerBytes) {
    long inner = ChunkSlicer.elements(shard.innerGrid().gridShape());
    boolean small = innerBytes <= WHOLE_BYTES && inner <= WHOLE_BYTES / Math.max(1, innerBytes);
    // What does not compress becomes a little longer.
    return small
        ? object.allIfAtMost(inner * innerBytes + inner * innerBytes / 8 + shard.indexBytes())
        : Optional.empty();
  }

  private ShardIndex index(ObjectBytes whole) {
    int bytes = Math.toIntExact(shard.indexBytes());
    ByteBuffer all = whole.bytes();
    if (all.remaining() < bytes) {
      throw tooShort(whole);
    }
    int from = shard.indexAtEnd() ? all.remaining() - bytes : 0;
    return shard.decodeIndex(all.slice(all.position() + from, bytes), whole.objectSize());
  }

  private CodecException tooShort(ObjectBytes found) {
    return new CodecException(
        "the shard has "
            + found.objectSize()
            + " bytes, its index alone needs "
            + shard.indexBytes());
  }

  private ShardIndex index() {
    long bytes = shard.indexBytes();
    ObjectBytes found = shard.indexAtEnd() ? object.last(bytes) : object.first(Math.max(1, bytes));
    object.reserve("the decoded index", bytes);
    if (found.bytes().remaining() != bytes) {
      throw tooShort(found);
    }
    return shard.decodeIndex(found.bytes().duplicate(), found.objectSize());
  }

  private int number(ChunkSelection part) {
    Shape grid = shard.innerGrid().gridShape();
    long number = 0;
    for (int d = 0; d < grid.rank(); d++) {
      number = number * grid.length(d) + part.chunk().index(d);
    }
    return Math.toIntExact(number);
  }

  private Elements assemble(
      Hyperslab box,
      List<ChunkSelection> parts,
      Map<Integer, ByteRange.Bounded> needed,
      Segments segments) {
    Hyperslab stored = pipeline.toStored(box);
    ElementsAssembly assembly = ElementsAssembly.of(schema.dataType(), stored.counts());
    for (ChunkSelection part : parts) {
      object.deadline().check();
      ByteRange.Bounded place = needed.get(number(part));
      Elements elements;
      if (place == null) {
        elements = FillElements.of(schema, part.within().counts());
      } else {
        ByteBuffer encoded = segments.slice(place.start(), place.end());
        elements = HyperslabCopy.pack(shard.inner().decode(encoded), part.within());
      }
      if (!elements.type().equals(schema.dataType())) {
        throw new CodecException("a shard behind a codec that changes the data type");
      }
      assembly.place(elements, positionIn(part.absolute(), stored));
    }
    return pipeline.fromStored(assembly.finish());
  }

  /** Where the elements of {@code part} lie in the packed elements of {@code whole}. */
  private static Hyperslab positionIn(Hyperslab part, Hyperslab whole) {
    IndexRange[] ranges = new IndexRange[whole.rank()];
    for (int d = 0; d < ranges.length; d++) {
      IndexRange outer = whole.range(d);
      long start = (part.range(d).start() - outer.start()) / outer.stride();
      ranges[d] = IndexRange.of(start, start + part.range(d).count());
    }
    return Hyperslab.of(ranges);
  }
}
