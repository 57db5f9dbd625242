package io.arraymorph.optimizer.execute;

import static io.arraymorph.optimizer.plan.Int32Arrays.INT32;

import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.plan.Int32Arrays;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import java.util.Arrays;
import java.util.Optional;

/** Arrays of int32 as writers store them: beyond an array there is the fill value. */
final class StoredInt32 {
  private StoredInt32() {}

  /** Numbered elements, or zeros where they are compressed: small chunks of others would grow. */
  static ZarrArray in(
      RecordingObjectStore store,
      Shape shape,
      Shape chunk,
      Optional<Shape> shard,
      Compression codec) {
    ZarrArray array = Int32Arrays.at(new StorePath(store, "a"), shape, chunk, shard, codec);
    Shape object = shard.orElse(chunk);
    FixedWidthElements all =
        codec.equals(Compression.NONE)
            ? HyperslabReaderTest.counted(shape)
            : new FixedWidthElements(INT32, shape, new byte[(int) shape.elementCount() * 4], 0);
    for (ChunkSelection part : ChunkSelections.of(array.grid(), Hyperslab.all(shape))) {
      byte[] bytes = new byte[(int) object.elementCount() * 4];
      Arrays.fill(bytes, (byte) -1);
      FixedWidthElements box = (FixedWidthElements) HyperslabCopy.pack(all, part.absolute());
      HyperslabCopy.place(box.bytes(), box.offset(), bytes, 0, object, part.within(), 4);
      RandomZarr.put(
          array.chunkObject(part.chunk()),
          array.pipeline(object).encode(new FixedWidthElements(INT32, object, bytes, 0)));
    }
    store.clear();
    return array;
  }
}
