package io.arraymorph.layout.zarr;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/** Reads a box chunk by chunk, one after the other: the plainest reader there can be. */
final class ChunkLoop {

  /** How the wanted part of an encoded chunk is decoded. */
  interface PartDecoder {
    Elements decode(ChunkedArray array, Shape chunkShape, ByteBuffer encoded, Hyperslab within);
  }

  /** Decodes the whole chunk and cuts the part out. */
  static final PartDecoder WHOLE =
      (array, shape, encoded, within) ->
          HyperslabCopy.pack(array.pipeline(shape).decode(encoded), within);

  private ChunkLoop() {}

  static Elements read(ChunkedArray array, Hyperslab box, PartDecoder decoder) {
    ChunkGrid grid = array.grid();
    ElementsAssembly result = ElementsAssembly.of(array.schema().dataType(), box.counts());
    if (box.isEmpty()) {
      return result.finish();
    }
    int rank = box.rank();
    long[] first = new long[rank];
    long[] last = new long[rank];
    for (int d = 0; d < rank; d++) {
      first[d] = grid.chunkOf(d, box.range(d).start());
      last[d] = grid.chunkOf(d, box.range(d).last());
    }
    long[] at = first.clone();
    while (true) {
      ChunkCoordinates chunk = ChunkCoordinates.of(at);
      Hyperslab chunkBox = grid.chunkBox(chunk);
      long[] start = chunkBox.ranges().stream().mapToLong(r -> r.start()).toArray();
      long[] stop = chunkBox.ranges().stream().mapToLong(r -> r.stop()).toArray();
      long[] back = chunkBox.ranges().stream().mapToLong(r -> -r.start()).toArray();
      Hyperslab wanted = box.clip(start, stop);
      Hyperslab within = wanted.shift(back);
      if (!wanted.isEmpty()) { // a stride may step over a chunk
        Elements part =
            read(array.chunkObject(chunk))
                .map(b -> decoder.decode(array, grid.chunkShape(chunk), b, within))
                .orElseGet(() -> FillElements.of(array.schema(), within.counts()));
        result.place(part, position(wanted, box));
      }
      int d = rank - 1;
      while (d >= 0 && at[d] == last[d]) {
        at[d] = first[d];
        d--;
      }
      if (d < 0) {
        return result.finish();
      }
      at[d]++;
    }
  }

  static Optional<ByteBuffer> read(StorePath object) {
    try {
      return Optional.of(
          object.store().get(object.key(), ByteRange.WHOLE, ReadCondition.NONE).join().bytes());
    } catch (CompletionException e) {
      if (e.getCause() instanceof StoreException
          && ((StoreException) e.getCause()).kind() == StoreException.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Where the elements of {@code part} are in the packed elements of {@code whole}. */
  static Hyperslab position(Hyperslab part, Hyperslab whole) {
    IndexRange[] ranges = new IndexRange[whole.rank()];
    for (int d = 0; d < ranges.length; d++) {
      long start = (part.range(d).start() - whole.range(d).start()) / whole.range(d).stride();
      ranges[d] = IndexRange.of(start, start + part.range(d).count());
    }
    return Hyperslab.of(ranges);
  }
}
