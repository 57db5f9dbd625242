package io.arraymorph.layout.zarr.write;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.layout.zarr.ZarrGroupSpec;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;

/** Small int32 arrays of rank 2 for tests: their values in memory, and how they are written. */
record Grid(Shape shape, Shape chunks, Optional<Shape> shards, List<Integer> values) {
  static final int FILL = -1;
  private static final DataType TYPE = new DataType.Int(32, true);

  static Grid random(Random random, long rows, long columns, Shape chunks, boolean sharded) {
    List<Integer> values = new ArrayList<>();
    for (long i = 0; i < rows * columns; i++) {
      values.add(random.nextInt(4) == 0 ? FILL : random.nextInt(1000));
    }
    Optional<Shape> shards =
        sharded
            ? Optional.of(Shape.of(chunks.length(0) * 2, chunks.length(1) * 2))
            : Optional.empty();
    return new Grid(Shape.of(rows, columns), chunks, shards, values);
  }

  /** This grid with the rows of another below. */
  Grid with(Grid below) {
    List<Integer> all = new ArrayList<>(values);
    all.addAll(below.values);
    return new Grid(
        Shape.of(shape.length(0) + below.shape.length(0), shape.length(1)), chunks, shards, all);
  }

  byte[] document(String generation) {
    ObjectNode attributes = new ObjectMapper().createObjectNode();
    attributes.putObject("_arraymorph").put("generation", generation);
    return new ZarrArraySpec(
            TYPE,
            shape,
            chunks,
            shards,
            Compression.parse("zstd:1"),
            ZarrArraySpec.parseFill("" + FILL, TYPE),
            List.of("y", "x"),
            attributes)
        .toJson();
  }

  static byte[] groupDocument(String generation, List<String> names, List<byte[]> members) {
    ObjectNode attributes = new ObjectMapper().createObjectNode();
    attributes.putObject("_arraymorph").put("generation", generation);
    ZarrGroupSpec group = ZarrGroupSpec.of(attributes);
    for (int i = 0; i < names.size(); i++) {
      group = group.withNode(names.get(i), members.get(i));
    }
    return group.toJson();
  }

  Elements box(long row, long column, long rows, long columns) {
    byte[] bytes = new byte[(int) (4 * rows * columns)];
    ByteBuffer out = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (long y = row; y < row + rows; y++) {
      for (long x = column; x < column + columns; x++) {
        out.putInt(values.get((int) (y * shape.length(1) + x)));
      }
    }
    return new FixedWidthElements(TYPE, Shape.of(rows, columns), bytes, 0);
  }

  /** Writes all rows, in boxes that do not fit the chunks, by several tasks. */
  void write(
      StorePath target,
      List<WrittenArray> arrays,
      int number,
      WriteTicket ticket,
      long firstRow,
      int tasks,
      List<TaskChunks> results) {
    long height = shape.length(0);
    for (int task = 0; task < tasks; task++) {
      TaskWrite write =
          new TaskWrite(
              target, arrays, ticket, task, "t" + number + "-" + task + "-0", 1 << 20, false);
      for (long row = task; row < height; row += tasks) {
        write.writer(number).write(new long[] {firstRow + row, 0}, box(row, 0, 1, shape.length(1)));
      }
      results.add(write.finish());
    }
  }

  /** The values of a stored array, read chunk by chunk without any of the code under test. */
  static Grid read(StorePath path, ZarrArray array) {
    Shape shape = array.schema().shape();
    int columns = (int) shape.length(1);
    Integer[] values = new Integer[(int) shape.elementCount()];
    Shape counts = array.grid().gridShape();
    for (long r = 0; r < counts.length(0); r++) {
      for (long c = 0; c < counts.length(1); c++) {
        ChunkCoordinates chunk = ChunkCoordinates.of(r, c);
        Hyperslab box = array.grid().chunkBox(chunk);
        Shape stored = array.grid().chunkShape(chunk);
        FixedWidthElements elements = (FixedWidthElements) chunk(path, array, chunk, stored);
        ByteBuffer in = ByteBuffer.wrap(elements.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (long y = box.range(0).start(); y < box.range(0).stop(); y++) {
          for (long x = box.range(1).start(); x < box.range(1).stop(); x++) {
            long offset = (y - box.range(0).start()) * stored.length(1) + x - box.range(1).start();
            values[(int) (y * columns + x)] = in.getInt(elements.offset() + (int) offset * 4);
          }
        }
      }
    }
    return new Grid(shape, null, Optional.empty(), Arrays.asList(values));
  }

  private static Elements chunk(
      StorePath path, ZarrArray array, ChunkCoordinates chunk, Shape stored) {
    StorePath object = array.chunkObject(chunk);
    try {
      return array
          .pipeline(stored)
          .decode(
              path.store().get(object.key(), ByteRange.WHOLE, ReadCondition.NONE).join().bytes());
    } catch (CompletionException failure) {
      if (StoreException.of(failure, "").kind() == StoreException.Kind.NOT_FOUND) {
        return FillElements.of(array.schema(), stored);
      }
      throw failure;
    }
  }

  boolean sameValues(Grid other) {
    return shape.equals(other.shape) && values.equals(other.values);
  }
}
