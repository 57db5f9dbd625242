package io.arraymorph.delta.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.payload.PayloadWriter;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.RandomTensors;
import io.arraymorph.delta.tensor.SliceAssembly;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.delta.tensor.TensorSlice;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CorruptPieceTest {
  private static final Shape SHAPE = Shape.of(20, 30, 10);

  private static TensorLayout layout(TensorEncoding encoding) {
    List<Integer> axes = List.of(1, 2, 0);
    return encoding.usesBlocks()
        ? TensorLayout.blocked(encoding, axes, Shape.of(7, 8, 10), "test")
        : TensorLayout.unblocked(encoding, axes, "test");
  }

  private static List<Piece> pieces(ArraySchema schema, TensorLayout layout, Random random) {
    SparseTensor tensor =
        SparseTensor.of(
            schema,
            RandomTensors.cells(schema, 300, random),
            DuplicatePolicy.ERROR,
            FillPolicy.KEEP);
    List<Piece> pieces = new ArrayList<>();
    new TensorEncoder(schema, layout, 0)
        .encode(tensor.columns(), tensor.count(), tensor.values(), pieces::add);
    return pieces;
  }

  private static void decode(ArraySchema schema, TensorLayout layout, Piece piece) {
    CellBuffer cells = new CellBuffer(3, schema.dataType());
    TensorDecoder decoder = new TensorDecoder(schema, layout);
    SliceAssembly assembly = new SliceAssembly(schema, TensorSlice.all(SHAPE));
    try {
      assembly.add(decoder.run(piece, assembly));
    } finally {
      decoder.decode(piece, TensorSlice.all(SHAPE), cells);
    }
  }

  @ParameterizedTest
  @EnumSource
  void every_flipped_bit_is_noticed(TensorEncoding encoding) {
    Random random = new Random(5);
    ArraySchema schema = RandomTensors.schema(new DataType.Int(32, true), random, 20, 30, 10);
    TensorLayout layout = layout(encoding);
    Piece piece = pieces(schema, layout, random).get(0);
    for (int i = 0; i < 200; i++) {
      boolean inValues = piece.positions().length == 0 || random.nextBoolean();
      byte[] damaged = (inValues ? piece.values() : piece.positions()).clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      Piece bad =
          new Piece(
              piece.part(),
              piece.box(),
              piece.cells(),
              piece.rawBytes(),
              piece.format(),
              inValues ? piece.positions() : damaged,
              inValues ? damaged : piece.values());
      assertThatThrownBy(() -> decode(schema, layout, bad))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]")
          .hasMessageContaining("crc32c mismatch");
    }
  }

  /** Bytes with a right checksum but any content: a coded error or some cells, nothing else. */
  @ParameterizedTest
  @EnumSource(RowFormat.class)
  void hostile_bytes_with_a_right_checksum_never_escape_as_another_error(RowFormat format) {
    for (int seed = 0; seed < 3000; seed++) {
      Random random = new Random(seed);
      ArraySchema schema = RandomTensors.schema(new DataType.Int(32, true), random, 20, 30, 10);
      Box box = Box.of(new long[] {1, 2, 3}, new long[] {1 + random.nextInt(9), 20, 9});
      Piece piece =
          new Piece(0, box, 1 + random.nextInt(40), 0, format, noise(random), noise(random));
      try {
        decode(
            schema,
            layout(format == RowFormat.CSR ? TensorEncoding.CSR : TensorEncoding.COO),
            piece);
      } catch (ArrayMorphException e) {
        assertThat(e.code()).as("seed " + seed).isEqualTo(ErrorCode.CHUNK_CORRUPT);
      }
    }
  }

  private static byte[] noise(Random random) {
    PayloadWriter out = new PayloadWriter();
    for (int i = random.nextInt(120); i > 0; i--) {
      out.writeByte(random.nextInt(3) == 0 ? random.nextInt(256) : random.nextInt(8));
    }
    return out.finish();
  }

  @Test
  void boxes_and_counts_that_cannot_be_are_refused_before_memory_is_taken() {
    Random random = new Random(1);
    ArraySchema schema = RandomTensors.schema(new DataType.Int(8, true), random, 20, 30, 10);
    byte[] constant = {1, 7};
    PayloadWriter out = new PayloadWriter();
    out.writeBytes(constant, 0, 2);
    byte[] value = out.finish();
    long[] zero = new long[3];
    for (Piece piece :
        List.of(
            new Piece(0, Box.of(zero, new long[] {20, 0, 0}), 1, 0, RowFormat.FTSF, null, value),
            new Piece(0, Box.of(zero, new long[] {9, 9, 9}), 1001, 0, RowFormat.COO, null, value),
            new Piece(0, Box.of(zero, new long[] {9, 9, 9}), 0, 0, RowFormat.COO, null, value),
            new Piece(0, Box.of(new long[2], new long[2]), 1, 0, RowFormat.COO, null, value),
            new Piece(0, Box.of(zero, new long[] {9, 9, 9}), 3, 0, RowFormat.COO, null, null))) {
      assertThatThrownBy(
              () -> {
                CellBuffer cells = new CellBuffer(3, schema.dataType());
                new TensorDecoder(schema, layout(TensorEncoding.COO))
                    .decode(piece, everything(piece.box().rank()), cells);
              })
          .hasMessageContaining("[ARRAYMORPH_CHUNK_CORRUPT]");
    }
  }

  private static TensorSlice everything(int rank) {
    long[] shape = new long[rank];
    Arrays.fill(shape, 100);
    return TensorSlice.all(Shape.of(shape));
  }

  @Test
  void a_header_of_a_later_format_is_refused_with_a_code() {
    Random random = new Random(1);
    ArraySchema schema = RandomTensors.schema(new DataType.Int(8, true), random, 20, 30, 10);
    byte[] json =
        HeaderJson.write(new TensorHeader("t", schema, layout(TensorEncoding.COO), 3, Map.of()));
    String later = new String(json, StandardCharsets.UTF_8).replace("\"format\":3", "\"format\":4");
    assertThatThrownBy(() -> HeaderJson.read(later.getBytes(StandardCharsets.UTF_8)))
        .hasMessageContaining("[ARRAYMORPH_UNSUPPORTED_FEATURE]");
    for (String bad :
        List.of(
            "",
            "{}",
            "[]",
            "\u0000",
            later.replace("\"format\":4", "\"format\":1").replace("shape\":[20", "shape\":[-20"))) {
      assertThatThrownBy(() -> HeaderJson.read(bad.getBytes(StandardCharsets.UTF_8)))
          .as(bad)
          .hasMessageContaining("[ARRAYMORPH_METADATA_INVALID]");
    }
  }
}
