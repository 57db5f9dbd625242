package io.arraymorph.optimizer.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.store.StorePath;
import java.util.Optional;
import java.util.stream.IntStream;

/** Arrays of int32 with the fill value -1, of which nothing is stored yet. */
public final class Int32Arrays {
  public static final DataType INT32 = new DataType.Int(32, true);

  private Int32Arrays() {}

  /** An array in chunks, or in shards of chunks. */
  public static ZarrArray at(
      StorePath path, Shape shape, Shape chunk, Optional<Shape> shard, Compression codec) {
    return ZarrArray.of(
        path,
        new ZarrArraySpec(
            INT32,
            shape,
            chunk,
            shard,
            codec,
            ZarrArraySpec.parseFill("-1", INT32),
            IntStream.range(0, shape.rank()).mapToObj(d -> "d" + d).toList(),
            JsonNodeFactory.instance.objectNode()));
  }
}
