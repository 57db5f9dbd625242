package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.Elements;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.zarr.ReplacementCheck;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.MissingChunk;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.function.RemoteSliceFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Reads one partition as columnar batches: the blocks of its pieces, and what row modes share.
 *
 * <p>One thread, that of the task. {@link #close()} cancels what is under way and frees everything,
 * whether or not the partition was read to its end.
 */
abstract class BatchReader implements PartitionReader<ColumnarBatch> {
  /** What a task reads ahead, in bytes; several tasks share the memory of an executor. */
  private static final long WINDOW_BYTES = 128L << 20;

  private static final long CHUNK_CACHE_BYTES = 64L << 20;

  private final LongAdder retries = new LongAdder();
  private final HyperslabReader reader;
  private final PieceBlocks blocks;
  private final List<CfDecoding> decodings = new ArrayList<>();
  private final List<Projection> projections = new ArrayList<>();
  private final List<ZarrArray> zarrs = new ArrayList<>();
  private boolean unverified;
  final ReadPlan plan;

  BatchReader(ReadPlan plan, ChunkPartition partition) {
    this.plan = plan;
    List<PieceBlocks.Source> sources = new ArrayList<>();
    for (ArrayImage image : plan.variables()) {
      ZarrArray array = image.open(plan.config(), (key, failure) -> retries.increment());
      Projection projection = new Projection(plan.packed().size(), image.dimensions());
      projections.add(projection);
      sources.add(new PieceBlocks.Source(array, projection));
      zarrs.add(array);
      decodings.add(image.decoding(array));
    }
    ReadSettings settings =
        ReadSettings.DEFAULT
            .withPlanner(plan.planner().planner())
            .withMissing(plan.missingIsError() ? MissingChunk.ERROR : MissingChunk.FILL)
            .withWindow(256, WINDOW_BYTES)
            .withCaches(CHUNK_CACHE_BYTES, ReadSettings.DEFAULT.indexCacheBytes());
    this.reader =
        new HyperslabReader(
            settings,
            Optional.ofNullable(plan.sliceFunction()).map(RemoteSliceFunction::of),
            plan.query(),
            plan.pinned());
    this.blocks = new PieceBlocks(() -> plan.pieces(partition), sources, reader::stream);
  }

  /** True if there is another block; after the last, that all were of one state of the arrays. */
  final boolean hasBlock() {
    if (blocks.hasNext()) {
      return true;
    }
    verify();
    return false;
  }

  /** Fails if an array was replaced since it was opened: its chunks may be old and new ones. */
  private void verify() {
    if (unverified) {
      unverified = false;
      for (ZarrArray array : zarrs) {
        ReplacementCheck.verify(array.path(), ReplacementCheck.generation(array.attributes()));
      }
    }
  }

  /** Waits for the next block. */
  final PieceBlocks.Block nextBlock() {
    unverified = true;
    return blocks.next();
  }

  /** A block whose variables are decoded when they are first asked for. */
  final CellBlock decoding(PieceBlocks.Block block) {
    DecodedColumn[] decoded = new DecodedColumn[block.elements().size()];
    return new CellBlock() {
      @Override
      public OrthogonalSelection cells() {
        return block.piece().cells();
      }

      @Override
      public DecodedColumn values(int variable) {
        if (decoded[variable] == null) {
          decoded[variable] =
              projections
                  .get(variable)
                  .expand(
                      decode(variable, block.elements().get(variable)),
                      block.piece().cells().counts());
        }
        return decoded[variable];
      }
    };
  }

  /** The values of some elements of a variable. */
  final DecodedColumn decode(int variable, Elements elements) {
    return decodings.get(variable).decode(elements);
  }

  /** The name of the chunk that holds the cell at these indices. */
  final String chunkName(long... cell) {
    ChunkGrid grid = plan.chunkNames();
    StringBuilder name = new StringBuilder();
    for (int d = 0; d < cell.length; d++) {
      name.append(d == 0 ? "" : "/").append(grid.chunkOf(d, cell[d]));
    }
    return name.toString();
  }

  /** The selected indices along one dimension. */
  static long[] indices(OrthogonalSelection cells, int dimension) {
    IndexRanks ranks = new IndexRanks(cells.indices(dimension));
    long[] indices = new long[Math.toIntExact(ranks.count())];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = ranks.at(i);
    }
    return indices;
  }

  @Override
  public CustomTaskMetric[] currentMetricsValues() {
    return ReadMetric.values(reader.metrics(), retries.sum());
  }

  @Override
  public void close() {
    try {
      blocks.close();
    } finally {
      reader.close();
    }
    if (!Thread.currentThread().isInterrupted()) {
      // A LIMIT takes some blocks and does not come to the last.
      verify();
    }
  }
}
