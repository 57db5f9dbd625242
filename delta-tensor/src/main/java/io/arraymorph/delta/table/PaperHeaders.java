package io.arraymorph.delta.table;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.TensorEncoding;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.encoding.TensorLayout;
import io.arraymorph.delta.paper.PaperGeometry;
import io.arraymorph.delta.paper.PaperLayout;
import io.arraymorph.delta.paper.PaperRecord;
import io.arraymorph.layout.npy.NpyBytes;
import io.delta.kernel.types.ArrayType;
import io.delta.kernel.types.ByteType;
import io.delta.kernel.types.FloatType;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.ShortType;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Finds the tensors of a table in one of the paper's layouts: those that a property of the table
 * tells of, and for others what their rows repeat.
 */
final class PaperHeaders {
  private final TableSnapshot snapshot;
  private final PaperLayout layout;
  private final PaperFileReader files;

  PaperHeaders(TableSnapshot snapshot, PaperFileReader files) {
    this.snapshot = snapshot;
    this.layout = snapshot.paper().orElseThrow();
    this.files = files;
  }

  /** The headers of one tensor, or of all. */
  Collection<TensorHeader> headers(Optional<String> tensor) {
    Map<String, TensorHeader> known = PaperColumns.headers(snapshot.kernel().getTableProperties());
    if (tensor.isPresent() && known.containsKey(tensor.get())) {
      return List.of(known.get(tensor.get()));
    }
    Map<String, TensorHeader> found = tensor.isPresent() ? new TreeMap<>() : new TreeMap<>(known);
    for (TableSnapshot.LiveFile file : snapshot.allFiles()) {
      Optional<String> only = file.bounds().only(layout.idColumn());
      if ((only.isEmpty() || !known.containsKey(only.get()))
          && (tensor.isEmpty() || file.bounds().mayHold(tensor.get(), layout.idColumn()))) {
        search(file.file(), tensor, known.keySet(), found);
      }
    }
    return found.values();
  }

  private void search(
      DataFile file, Optional<String> tensor, Set<String> known, Map<String, TensorHeader> found) {
    Set<String> columns =
        new HashSet<>(
            Set.of(
                layout.idColumn(),
                layout.shapeColumn(),
                PaperLayout.BLOCK_SHAPE,
                PaperLayout.CHUNK_DIM_COUNT));
    files.read(
        file,
        columns,
        tensor.map(id -> PaperFileReader.ofTensor(layout, id)),
        0,
        file.size(),
        row -> {
          String id = row.text(layout.idColumn());
          if (!known.contains(id) && !found.containsKey(id)) {
            found.put(id, header(file, id, row));
          }
          return tensor.isEmpty() || found.isEmpty();
        });
  }

  private TensorHeader header(DataFile file, String id, PaperRecord row) {
    try {
      Shape shape = row.numbers(layout.shapeColumn()).shape();
      DataType type = layout.encoding() == TensorEncoding.FTSF ? chunkType(file, id) : valueType();
      ArraySchema schema =
          new ArraySchema(
              type,
              shape,
              IntStream.range(0, shape.rank()).mapToObj(d -> "dim_" + d).toList(),
              new FixedWidthElements(type, Shape.of(), new byte[type.byteWidth()], 0));
      return new TensorHeader(id, schema, layout(row, shape), 0, Map.of());
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new ArrayMorphException(
          ErrorCode.METADATA_INVALID,
          "tensor '" + id + "' of " + snapshot.table() + " cannot be: " + e.getMessage(),
          "Correct or delete its rows",
          e);
    }
  }

  private TensorLayout layout(PaperRecord row, Shape shape) {
    String why = "in the paper's layout";
    switch (layout.encoding()) {
      case FTSF:
        return PaperGeometry.ftsf(
            shape, Math.toIntExact(row.integer(PaperLayout.CHUNK_DIM_COUNT)), why);
      case BSGS:
        return TensorLayout.blocked(
            TensorEncoding.BSGS,
            IntStream.range(0, shape.rank()).boxed().toList(),
            row.numbers(PaperLayout.BLOCK_SHAPE).shape(),
            why);
      default:
        if (layout.encoding() == TensorEncoding.CSC && shape.rank() > 2) {
          checkOrder();
        }
        return TensorLayout.unblocked(layout.encoding(), shape.rank(), why);
    }
  }

  /** The paper and its code number the rows and columns of CSC in two ways. */
  private void checkOrder() {
    String order = snapshot.kernel().getTableProperties().getOrDefault(PaperColumns.CSC, "");
    if (!order.equals(PaperColumns.ROWS_FIRST) && !order.equals(PaperColumns.CODE)) {
      throw new ArrayMorphException(
          ErrorCode.UNSUPPORTED_FEATURE,
          "nothing in " + snapshot.table() + " says how its CSC numbers rows and columns",
          "Set the table's property "
              + PaperColumns.CSC
              + " to "
              + PaperColumns.ROWS_FIRST
              + ", or to "
              + PaperColumns.CODE
              + " if the paper's code wrote it");
    }
  }

  private DataType chunkType(DataFile file, String id) {
    DataType[] type = new DataType[1];
    files.read(
        file,
        Set.of(PaperLayout.CHUNK, layout.idColumn()),
        Optional.of(PaperFileReader.ofTensor(layout, id)),
        0,
        file.size(),
        row -> {
          type[0] = NpyBytes.type(row.bytes(PaperLayout.CHUNK), "a chunk of '" + id + "'");
          return false;
        });
    return type[0];
  }

  /** The type of the values by the column that holds them. */
  private DataType valueType() {
    String column =
        layout.encoding() == TensorEncoding.CSF ? PaperLayout.VALUES_CHUNK : PaperLayout.VALUE;
    io.delta.kernel.types.DataType type = snapshot.kernel().getSchema().get(column).getDataType();
    while (type instanceof ArrayType) {
      type = ((ArrayType) type).getElementType();
    }
    if (layout.encoding() == TensorEncoding.BSGS) {
      return new DataType.Float(FloatFormat.FLOAT64); // Its lists hold places, too.
    }
    if (type instanceof ByteType) {
      return new DataType.Int(8, true);
    }
    if (type instanceof ShortType) {
      return new DataType.Int(16, true);
    }
    if (type instanceof IntegerType) {
      return new DataType.Int(32, true);
    }
    if (type instanceof LongType) {
      return new DataType.Int(64, true);
    }
    return new DataType.Float(
        type instanceof FloatType ? FloatFormat.FLOAT32 : FloatFormat.FLOAT64);
  }
}
