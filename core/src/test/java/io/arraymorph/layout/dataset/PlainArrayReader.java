package io.arraymorph.layout.dataset;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.ArrayReader;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads 1-D arrays whole, chunk after chunk: the plainest reader there can be. */
final class PlainArrayReader implements ArrayReader {
  private final AtomicInteger arrays = new AtomicInteger();

  int arraysRead() {
    return arrays.get();
  }

  @Override
  public Elements read(ChunkedArray array, Hyperslab hyperslab) {
    arrays.incrementAndGet();
    Shape shape = array.schema().shape();
    if (!hyperslab.covers(shape) || shape.rank() != 1) {
      throw new IllegalArgumentException("only whole 1-D arrays");
    }
    int count = (int) shape.elementCount();
    int width = array.schema().dataType().byteWidth();
    byte[] fixed = new byte[count * width];
    int[] offsets = new int[count + 1];
    ByteArrayOutputStream texts = new ByteArrayOutputStream();
    for (long c = 0; c < array.grid().gridShape().length(0); c++) {
      ChunkCoordinates at = ChunkCoordinates.of(c);
      Hyperslab box = array.grid().chunkBox(at);
      Elements chunk = chunk(array, at);
      int start = (int) box.range(0).start();
      int n = (int) box.range(0).count();
      if (chunk instanceof FixedWidthElements) {
        FixedWidthElements bytes =
            (FixedWidthElements) HyperslabCopy.pack(chunk, Hyperslab.all(Shape.of(n)));
        System.arraycopy(bytes.bytes(), bytes.offset(), fixed, start * width, n * width);
      } else {
        VariableWidthElements text = (VariableWidthElements) chunk;
        for (int i = 0; i < n; i++) {
          texts.write(text.bytes(), text.offsets()[i], text.offsets()[i + 1] - text.offsets()[i]);
          offsets[start + i + 1] = texts.size();
        }
      }
    }
    return width > 0
        ? new FixedWidthElements(array.schema().dataType(), shape, fixed, 0)
        : new VariableWidthElements(array.schema().dataType(), shape, offsets, texts.toByteArray());
  }

  static Elements chunk(ChunkedArray array, ChunkCoordinates at) {
    StorePath object = array.chunkObject(at);
    Shape shape = array.grid().chunkShape(at);
    try {
      return array
          .pipeline(shape)
          .decode(
              object.store().get(object.key(), ByteRange.WHOLE, ReadCondition.NONE).join().bytes());
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException
          && ((StoreException) e.getCause()).kind() == StoreException.Kind.NOT_FOUND) {
        return FillElements.of(array.schema(), shape);
      }
      throw e;
    }
  }
}
