package io.arraymorph.delta.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorDecoder;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SliceAssembly;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorPackingTest {
  private static final Shape SHAPE = Shape.of(9, 3L << 32, 300, 70);

  @TempDir private Path folder;

  private static SparseTensor tensor(Random random, DataType type, int count) {
    FixedWidthElements fill =
        new FixedWidthElements(type, Shape.of(), new byte[type.byteWidth()], 0);
    ArraySchema schema = new ArraySchema(type, SHAPE, List.of("a", "b", "c", "d"), fill);
    CellBuffer cells = new CellBuffer(SHAPE.rank(), type);
    byte[] value = new byte[type.byteWidth()];
    for (int i = 0; i < count; i++) {
      cells.append(
          random.nextInt(9),
          (1L << 32) + random.nextInt(40),
          random.nextInt(300),
          random.nextInt(70));
      random.nextBytes(value);
      cells.values().append(new FixedWidthElements(type, Shape.of(1), value, 0), 0);
    }
    return SparseTensor.of(schema, cells, DuplicatePolicy.LAST, FillPolicy.KEEP);
  }

  /** What a slice is put together to, from pieces in an order of axes of their own. */
  private static SparseTensor sliced(SparseTensor tensor, String text, List<Integer> axes) {
    TensorLayout layout =
        TensorLayout.blocked(TensorEncoding.BSGS, axes, Shape.of(1, 1L << 24, 300, 70), "");
    List<Piece> pieces = new ArrayList<>();
    new TensorEncoder(tensor.schema(), layout, 0, /* parallel= */ true)
        .encode(tensor.columns(), tensor.count(), tensor.values(), pieces::add);
    TensorSlice slice = TensorSlice.parse(text, SHAPE);
    SliceAssembly assembly = new SliceAssembly(tensor.schema(), slice);
    TensorDecoder decoder = new TensorDecoder(tensor.schema(), layout);
    pieces.forEach(piece -> assembly.add(decoder.run(piece, assembly)));
    return assembly.result();
  }

  private byte[] written(TensorPacking packing) throws IOException {
    Path file = Files.createTempFile(folder, "packed", "");
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      packing.writeFile(out);
    }
    return Files.readAllBytes(file);
  }

  @Test
  void aFileWrittenByThreadsHoldsWhatOneThreadWrites() throws IOException {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int width : new int[] {1, 4, 8}) {
      SparseTensor whole = tensor(random, new DataType.Int(8 * width, true), 120_000);
      for (List<Integer> axes : List.of(List.of(0, 1, 2, 3), List.of(0, 3, 1, 2))) {
        for (String text : List.of(":", "2:7", ":, :, 20:290, 3:60", "::-1, :, ::2")) {
          SparseTensor slice = sliced(whole, text, axes);
          TensorPacking packing = TensorPacking.of(slice);
          ByteArrayOutputStream one = new ByteArrayOutputStream();
          packing.write(Channels.newChannel(one));

          byte[] several = written(TensorPacking.of(sliced(whole, text, axes)));

          String what = "seed " + seed + ", width " + width + ", axes " + axes + ", " + text;
          assertThat(several).as(what).isEqualTo(one.toByteArray());
          assertThat((long) several.length).as(what).isEqualTo(packing.size());
          TensorUnpacking read =
              new TensorUnpacking(FileChannel.open(Files.write(folder.resolve("one"), several)));
          assertThat(read.cells(DuplicatePolicy.ERROR)).as(what).isEqualTo(expected(whole, text));
        }
      }
    }
  }

  private static SparseTensor expected(SparseTensor whole, String text) {
    TensorSlice slice = TensorSlice.parse(text, SHAPE);
    CellBuffer inside = new CellBuffer(SHAPE.rank(), whole.schema().dataType());
    for (int i = 0; i < whole.count(); i++) {
      boolean in = true;
      long[] cell = new long[SHAPE.rank()];
      for (int d = 0; d < cell.length; d++) {
        cell[d] = whole.column(d)[i];
        in &= slice.contains(d, cell[d]);
      }
      if (in) {
        inside.append(cell);
        inside.values().append(whole.values(), i);
      }
    }
    return slice.apply(whole.schema(), inside);
  }
}
