package io.arraymorph.spark.write;

import io.arraymorph.layout.zarr.write.ChunkWriter;
import io.arraymorph.layout.zarr.write.OpenChunk;
import io.arraymorph.layout.zarr.write.TaskWrite;
import io.arraymorph.layout.zarr.write.WrittenArray;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;

/** Writes rows that are cells. */
final class CellWriter extends TaskWriter {
  private final int columns;

  CellWriter(WriteJob job, List<WrittenArray> arrays, TaskWrite task) {
    super(job, arrays, task);
    this.columns = job.columns().size();
  }

  @Override
  void write(InternalRow row, long[] at) {
    for (int v = 0; v < columns; v++) {
      ChunkWriter writer = task().writer(v);
      OpenChunk chunk = writer.chunkAt(at);
      int offset = chunk.offset(at);
      writer.give(chunk, offset);
      int ordinal = at.length + v;
      if (!row.isNullAt(ordinal)) {
        encoder(v).set(row, ordinal, chunk, offset);
      } else if (job().columns().get(v).nullIsFill()) {
        chunk.setFill(offset);
      } else {
        throw nullValue(job().columns().get(v), at);
      }
    }
  }
}
