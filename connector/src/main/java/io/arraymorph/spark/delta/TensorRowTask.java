package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.encoding.HeaderJson;
import io.arraymorph.delta.encoding.Piece;
import io.arraymorph.delta.encoding.TensorEncoder;
import io.arraymorph.delta.encoding.TensorHeader;
import io.arraymorph.delta.table.PaperFileWriter;
import io.arraymorph.delta.table.PieceFile;
import io.arraymorph.delta.table.PieceWriter;
import io.arraymorph.delta.table.TableForm;
import io.arraymorph.delta.tensor.Box;
import io.arraymorph.delta.tensor.ElementBuffer;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.util.ArrayList;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;

/**
 * Encodes the tensor rows of one task as dense chunks, one for each row, and writes their files.
 */
// Sent to tasks, never compared.
@SuppressWarnings("ArrayRecordComponent")
record TensorRowTask(String path, StoreConfig config, byte[] header, TableForm form)
    implements FlatMapFunction<Iterator<InternalRow>, PieceFile> {

  @Override
  public Iterator<PieceFile> call(Iterator<InternalRow> rows) {
    TensorHeader tensor = HeaderJson.read(header);
    if (form == TableForm.PAPER) {
      return paper(rows, tensor);
    }
    PieceWriter writer =
        new PieceWriter(
            ObjectStores.open(path, config),
            tensor.tensorId(),
            tensor.schema().shape().rank(),
            PieceWriter.Settings.DEFAULT);
    TensorEncoder encoder =
        new TensorEncoder(
            tensor.schema(), tensor.layout(), (long) TaskContext.getPartitionId() << 40);
    try {
      while (rows.hasNext()) {
        TensorEncoder.Chunk chunk = chunk(rows.next(), tensor);
        Piece piece = encoder.chunk(chunk.box(), chunk.elements());
        if (piece != null) {
          writer.write(piece);
        }
      }
      return new ArrayList<>(writer.finish()).iterator();
    } catch (RuntimeException e) {
      writer.abort();
      throw e;
    }
  }

  private Iterator<PieceFile> paper(Iterator<InternalRow> rows, TensorHeader tensor) {
    PaperFileWriter writer = new PaperFileWriter(ObjectStores.open(path, config), tensor);
    try {
      while (rows.hasNext()) {
        TensorEncoder.Chunk chunk = chunk(rows.next(), tensor);
        writer.chunk(chunk.box(), chunk.elements());
      }
      return new ArrayList<>(writer.finish()).iterator();
    } catch (RuntimeException e) {
      writer.abort();
      throw e;
    }
  }

  private static TensorEncoder.Chunk chunk(InternalRow row, TensorHeader tensor) {
    int rank = tensor.schema().shape().rank();
    DataType type = tensor.schema().dataType();
    if (row.isNullAt(rank)) {
      throw mismatch(tensor, "a NULL tensor");
    }
    InternalRow struct = row.getStruct(rank, 2);
    ArrayData data = struct.getArray(0);
    int[] shape = struct.getArray(1).toIntArray();
    long[] low = new long[rank];
    long[] high = new long[rank];
    long[] lengths = new long[rank];
    if (shape.length != rank) {
      throw mismatch(tensor, "a tensor of " + shape.length + " dimensions");
    }
    for (int d = 0; d < rank; d++) {
      lengths[d] = shape[d];
      low[d] = row.isNullAt(d) ? -1 : row.getLong(d);
      high[d] = low[d] + shape[d] - 1;
      if (low[d] < 0 || shape[d] < 1 || high[d] >= tensor.schema().shape().length(d)) {
        throw new ArrayMorphException(
            ErrorCode.OUT_OF_BOUNDS,
            "a tensor row from "
                + low[d]
                + " of length "
                + shape[d]
                + " along "
                + tensor.schema().dimensionNames().get(d)
                + " is outside [0, "
                + tensor.schema().shape().length(d)
                + ")",
            "Correct the first index, or give a larger shape");
      }
    }
    if (Shape.of(lengths).elementCount() != data.numElements()) {
      throw mismatch(tensor, data.numElements() + " elements for the shape " + Shape.of(lengths));
    }
    ElementBuffer elements = new ElementBuffer(type);
    for (int i = 0; i < data.numElements(); i++) {
      if (data.isNullAt(i)) {
        throw mismatch(tensor, "a NULL element");
      }
      ElementAppender.append(data, i, type, elements);
    }
    return new TensorEncoder.Chunk(Box.of(low, high), elements.toElements(Shape.of(lengths)));
  }

  private static ArrayMorphException mismatch(TensorHeader tensor, String what) {
    return new ArrayMorphException(
        ErrorCode.SHAPE_MISMATCH,
        "a row of tensor '" + tensor.tensorId() + "' has " + what,
        "Give each row a tensor of the rank of its dimension columns, without NULL");
  }

  /** Names the path only, for the settings may hold credentials. */
  @Override
  public String toString() {
    return "TensorRowTask[" + path + "]";
  }
}
