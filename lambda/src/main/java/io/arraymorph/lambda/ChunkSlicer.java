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
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;

/**
 * Reads the bytes that cover what is asked for, and packs it.
 *
 * <p>Of a raw chunk only the bytes from the first to the last needed one are read; of others the
 * whole object, for here it is near.
 */
final class ChunkSlicer {
  private final SliceRequest request;
  private final StorePath object;
  private final long maxObjectBytes;
  private long bytesRead;
  private String etag = "";
  private long objectBytes;

  /**
   * @param maxObjectBytes read or decoded at most
   */
  ChunkSlicer(SliceRequest request, StorePath object, long maxObjectBytes) {
    this.request = request;
    this.object = object;
    this.maxObjectBytes = maxObjectBytes;
  }

  /** Bytes that were read from the store. */
  long bytesRead() {
    return bytesRead;
  }

  /** The version that was read. */
  String etag() {
    return etag;
  }

  /** The length of the object. */
  long objectBytes() {
    return objectBytes;
  }

  /**
   * The packed bytes of run after run, or elements of box after box.
   *
   * @param maxBytes of the answer
   */
  byte[] slice(long maxBytes) {
    return request.part() instanceof SliceRequest.Boxes
        ? boxes((SliceRequest.Boxes) request.part(), maxBytes)
        : runs((SliceRequest.Runs) request.part(), maxBytes);
  }

  private byte[] runs(SliceRequest.Runs wanted, long maxBytes) {
    bound("the answer", wanted.byteCount(), Math.min(maxBytes, Integer.MAX_VALUE - 16));
    long first = Long.MAX_VALUE;
    long end = 0;
    for (SliceRuns runs : wanted.runs()) {
      first = Math.min(first, runs.start());
      end = Math.max(end, runs.end());
    }
    bound("the span", end - first, maxObjectBytes);
    ByteBuffer bytes = get(ByteRange.of(first, end)).bytes();
    if (bytes.remaining() != end - first) {
      throw new CodecException(
          "the object ends " + (end - first - bytes.remaining()) + " bytes before " + end);
    }
    byte[] answer = new byte[Math.toIntExact(wanted.byteCount())];
    int at = 0;
    for (SliceRuns runs : wanted.runs()) {
      at = runs.append(bytes.array(), first - bytes.arrayOffset() - bytes.position(), answer, at);
    }
    return answer;
  }

  private byte[] boxes(SliceRequest.Boxes wanted, long maxBytes) {
    ZarrArray array = ZarrArray.reopen(object, wanted.metadata());
    if (!array.schema().dataType().isFixedWidth()) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_TYPE,
          "elements of " + array.schema().dataType().zarrName() + " have no fixed width",
          "Read this array without the slice function");
    }
    int width = array.schema().dataType().byteWidth();
    bound("the answer", Math.multiplyExact(wanted.elementCount(), (long) width), maxBytes);
    bound("the chunk", saturated(wanted.chunkShape(), width), maxObjectBytes);
    CodecPipeline pipeline = array.pipeline(wanted.chunkShape());
    byte[] answer = new byte[Math.toIntExact(wanted.elementCount() * width)];
    Addressing addressing = pipeline.addressing();
    if (addressing instanceof Addressing.Fixed) {
      raw(wanted, pipeline, (Addressing.Fixed) addressing, answer);
    } else {
      Elements chunk = pipeline.decode(get(ByteRange.WHOLE).bytes());
      int at = 0;
      for (Hyperslab box : wanted.boxes()) {
        at = append((FixedWidthElements) HyperslabCopy.pack(chunk, box), width, answer, at);
      }
    }
    return answer;
  }

  private static long saturated(Shape shape, int width) {
    try {
      return Math.multiplyExact(shape.elementCount(), (long) width);
    } catch (ArithmeticException e) {
      return Long.MAX_VALUE;
    }
  }

  private static void bound(String what, long bytes, long most) {
    if (bytes > most) {
      throw new ArrayMorphException(
          ErrorCode.TOO_LARGE,
          what + " takes " + bytes + " bytes, the limit is " + most,
          "Ask for less at a time");
    }
  }

  private static int append(FixedWidthElements packed, int width, byte[] answer, int at) {
    int length = Math.toIntExact(packed.shape().elementCount() * width);
    System.arraycopy(packed.bytes(), packed.offset(), answer, at, length);
    return at + length;
  }

  private void raw(
      SliceRequest.Boxes wanted, CodecPipeline pipeline, Addressing.Fixed fixed, byte[] answer) {
    long first = Long.MAX_VALUE;
    long end = 0;
    for (Hyperslab box : wanted.boxes()) {
      ElementRuns runs = ElementRuns.of(pipeline.toStored(box), fixed.storedShape());
      first = Math.min(first, runs.first() * fixed.elementBytes());
      end = Math.max(end, runs.end() * fixed.elementBytes());
    }
    ObjectBytes bytes = get(ByteRange.of(first, end));
    long expected = fixed.storedShape().elementCount() * fixed.elementBytes();
    if (bytes.objectSize() != expected) {
      throw new CodecException(
          "the chunk has " + bytes.objectSize() + " bytes, its shape and type need " + expected);
    }
    int at = 0;
    for (Hyperslab box : wanted.boxes()) {
      Hyperslab stored = pipeline.toStored(box);
      byte[] packed = new byte[Math.toIntExact(stored.elementCount() * fixed.elementBytes())];
      HyperslabCopy.pack(
          bytes.bytes().array(),
          Math.toIntExact(bytes.bytes().arrayOffset() + bytes.bytes().position() - bytes.start()),
          fixed.storedShape(),
          stored,
          packed,
          0,
          fixed.elementBytes());
      Elements elements = fixed.decodePacked(ByteBuffer.wrap(packed), stored.counts());
      FixedWidthElements result = (FixedWidthElements) pipeline.fromStored(elements);
      at = append(result, result.type().byteWidth(), answer, at);
    }
  }

  private ObjectBytes get(ByteRange range) {
    ReadCondition condition = request.etag().map(ReadCondition::ifMatch).orElse(ReadCondition.NONE);
    try {
      ObjectBytes bytes = object.store().get(object.key(), range, condition).join();
      bytesRead += bytes.bytes().remaining();
      etag = bytes.etag();
      objectBytes = bytes.objectSize();
      bound("object " + object, bytes.bytes().remaining(), maxObjectBytes);
      return bytes;
    } catch (CompletionException e) {
      throw StoreException.of(e, object.toString());
    }
  }
}
