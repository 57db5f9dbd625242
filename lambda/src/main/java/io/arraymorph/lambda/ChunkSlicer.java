package io.arraymorph.lambda;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Reads the bytes that cover what is asked for, and packs it: of a raw chunk its needed runs with
 * small gaps, of a shard its index and the inner chunks that are touched, of another chunk all.
 */
final class ChunkSlicer {
  /** Arrays are parsed from metadata that came with the request; nothing is read through this. */
  private static final StorePath NOWHERE = new StorePath(new MemoryObjectStore("request"), "array");

  /** What codecs add to small chunks at most: heads, tables, checksums. */
  private static final long OVERHEAD_BYTES = 64 << 10;

  private final SliceRequest request;
  private final PinnedObject object;
  private final SliceLimits limits;
  private final Map<String, ZarrArray> arrays;

  /**
   * @param arrays those of this call so far, by their metadata
   */
  ChunkSlicer(
      SliceRequest request,
      PinnedObject object,
      SliceLimits limits,
      Map<String, ZarrArray> arrays) {
    this.arrays = arrays;
    this.request = request;
    this.object = object;
    this.limits = limits;
  }

  /** The packed bytes of run after run, or elements of box after box. */
  byte[] slice() {
    if (request.part() instanceof SliceRequest.Boxes) {
      return boxes((SliceRequest.Boxes) request.part());
    }
    SliceRequest.Runs wanted = (SliceRequest.Runs) request.part();
    return packed(wanted.runs(), answerBytes(wanted.byteCount()));
  }

  private int answerBytes(long bytes) {
    bound("the answer", bytes, Math.min(limits.answerBytes(), Integer.MAX_VALUE - 16));
    object.reserve("the answer", bytes);
    return (int) bytes;
  }

  private static void bound(String what, long bytes, long most) {
    if (bytes > most) {
      throw PinnedObject.tooLarge(what, bytes, most);
    }
  }

  private byte[] packed(List<SliceRuns> runs, int length) {
    List<SliceRuns> blocks = Segments.blocks(runs);
    List<ByteRange.Bounded> needed = new ArrayList<>();
    blocks.forEach(block -> needed.add(ByteRange.of(block.start(), block.end())));
    Segments segments = Segments.read(object, needed);
    byte[] answer = new byte[length];
    int at = 0;
    for (SliceRuns block : blocks) {
      at = segments.append(block, answer, at);
    }
    return answer;
  }

  private byte[] boxes(SliceRequest.Boxes wanted) {
    ZarrArray array =
        arrays.computeIfAbsent(wanted.metadata(), text -> ZarrArray.reopen(NOWHERE, text));
    if (!array.schema().dataType().isFixedWidth()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_TYPE,
          "elements of " + array.schema().dataType().zarrName() + " have no fixed width",
          "Read this array without the slice function");
    }
    int width = array.schema().dataType().byteWidth();
    byte[] answer = new byte[answerBytes(saturated(wanted.elementCount(), width))];
    CodecPipeline pipeline = array.pipeline(wanted.chunkShape());
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      raw(wanted, pipeline, (Addressing.Fixed) addressing, answer);
      return answer;
    }
    int at = 0;
    if (addressing instanceof Addressing.Sharded) {
      object.reserve("the elements of the answer", answer.length);
      ShardSlicer shard =
          new ShardSlicer(
              array.schema(), pipeline, (Addressing.Sharded) addressing, object, limits);
      for (Elements part : shard.select(wanted.boxes())) {
        at = append(part, width, answer, at);
      }
      return answer;
    }
    long decoded = saturated(elements(wanted.chunkShape()), width);
    bound("the chunk", decoded, limits.objectBytes());
    ObjectBytes encoded = whole(decoded);
    // Codecs follow one another, from one array to the next.
    object.reserve("the decoded chunk", 2 * decoded);
    Elements chunk = pipeline.decode(encoded.bytes());
    for (Hyperslab box : wanted.boxes()) {
      object.deadline().check();
      at = append(HyperslabCopy.pack(chunk, box), width, answer, at);
    }
    return answer;
  }

  /** All of a compressed chunk. What does not compress becomes a little longer. */
  private ObjectBytes whole(long decoded) {
    long most = Math.min(limits.objectBytes(), decoded + decoded / 8 + OVERHEAD_BYTES);
    return object
        .allIfAtMost(most)
        .orElseThrow(
            () ->
                new CodecException(
                    "the chunk has "
                        + object.objectBytes()
                        + " bytes, decoded it may have "
                        + decoded));
  }

  static long elements(Shape shape) {
    try {
      return shape.elementCount();
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  static long saturated(long count, int width) {
    return count > Long.MAX_VALUE / width ? Long.MAX_VALUE : count * width;
  }

  private static int append(Elements packed, int width, byte[] answer, int at) {
    FixedWidthElements fixed = (FixedWidthElements) packed;
    int length = Math.toIntExact(fixed.shape().elementCount() * width);
    System.arraycopy(fixed.bytes(), fixed.offset(), answer, at, length);
    return at + length;
  }

  private void raw(
      SliceRequest.Boxes wanted, CodecPipeline pipeline, Addressing.Fixed fixed, byte[] answer) {
    List<SliceRuns> runs = new ArrayList<>();
    long bytes = 0;
    for (Hyperslab box : wanted.boxes()) {
      ElementRuns elements = ElementRuns.of(pipeline.toStored(box), fixed.storedShape());
      runs.add(runs(elements, fixed.elementBytes()));
      bytes += elements.elementCount() * fixed.elementBytes();
    }
    ByteBuffer stored = ByteBuffer.wrap(packed(runs, answerBytes(bytes)));
    long expected = fixed.storedShape().elementCount() * fixed.elementBytes();
    if (object.objectBytes() != expected) {
      throw new CodecException(
          "the chunk has " + object.objectBytes() + " bytes, its shape and type need " + expected);
    }
    int at = 0;
    int from = 0;
    for (Hyperslab box : wanted.boxes()) {
      Hyperslab within = pipeline.toStored(box);
      int length = Math.toIntExact(within.elementCount() * fixed.elementBytes());
      Elements elements = fixed.decodePacked(stored.slice(from, length), within.counts());
      from += length;
      Elements result = pipeline.fromStored(elements);
      at = append(result, ((FixedWidthElements) result).type().byteWidth(), answer, at);
    }
  }

  /** Element runs in units of bytes. */
  private static SliceRuns runs(ElementRuns elements, int width) {
    long[] counts = new long[elements.levels()];
    long[] strides = new long[counts.length];
    for (int level = 0; level < counts.length; level++) {
      counts[level] = elements.count(level);
      strides[level] = elements.stride(level) * width;
    }
    return new SliceRuns(elements.first() * width, elements.runLength() * width, counts, strides);
  }
}
