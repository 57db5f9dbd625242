package io.arraymorph.spark.read;

import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.column.DecodedColumn;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Partial aggregates of one partition: without groups one row, else one row per piece and group.
 *
 * <p>Groups are combinations of indices along some dimensions, so the group of a cell follows from
 * its place: runs of cells are added to accumulators without looking at any key.
 */
final class AggregateReader extends BatchReader {
  private final AggregatePlan aggregates;
  private final boolean[] grouped;
  private boolean done;
  private ColumnarBatch batch;

  AggregateReader(ReadPlan plan, AggregatePlan aggregates, ChunkPartition partition) {
    super(plan, partition);
    this.aggregates = aggregates;
    this.grouped = new boolean[plan.packed().size()];
    aggregates.groups().forEach(group -> grouped[group.dimension()] = true);
  }

  @Override
  public boolean next() {
    if (!aggregates.groups().isEmpty()) {
      if (!hasBlock()) {
        return false;
      }
      batch = ofGroups(nextBlock());
      return true;
    }
    if (done) {
      return false;
    }
    List<GroupedMeasure> totals = accumulators(1);
    while (hasBlock()) {
      add(nextBlock(), totals);
    }
    batch = new ColumnarBatch(results(totals).toArray(ColumnVector[]::new), 1);
    done = true;
    return true;
  }

  private List<GroupedMeasure> accumulators(int groups) {
    return aggregates.measures().stream().map(m -> new GroupedMeasure(m, groups)).toList();
  }

  private static List<ColumnVector> results(List<GroupedMeasure> measures) {
    return measures.stream().map(GroupedMeasure::results).toList();
  }

  private ColumnarBatch ofGroups(PieceBlocks.Block block) {
    OrthogonalSelection cells = block.piece().cells();
    int groups = 1;
    for (int d = 0; d < grouped.length; d++) {
      groups = Math.multiplyExact(groups, grouped[d] ? (int) cells.indices(d).count() : 1);
    }
    List<GroupedMeasure> measures = accumulators(groups);
    add(block, measures);
    List<ColumnVector> columns = new ArrayList<>();
    for (OutputColumn.Along group : aggregates.groups()) {
      columns.add(new AlongVector(group, positions(cells, group.dimension(), groups)));
    }
    columns.addAll(results(measures));
    return new ColumnarBatch(columns.toArray(ColumnVector[]::new), groups);
  }

  /** For each group its index along one of the grouped dimensions. */
  private long[] positions(OrthogonalSelection cells, int dimension, int groups) {
    long[] indices = indices(cells, dimension);
    int inner = 1;
    for (int d = dimension + 1; d < grouped.length; d++) {
      inner *= grouped[d] ? (int) cells.indices(d).count() : 1;
    }
    long[] positions = new long[groups];
    for (int g = 0; g < groups; g++) {
      positions[g] = indices[g / inner % indices.length];
    }
    return positions;
  }

  private void add(PieceBlocks.Block block, List<GroupedMeasure> measures) {
    DecodedColumn[] decoded = new DecodedColumn[block.elements().size()];
    for (int v = 0; v < decoded.length; v++) {
      decoded[v] = decode(v, block.elements().get(v));
    }
    long[] counts = block.piece().cells().counts().toArray();
    int[] strides = groupStrides(counts);
    // Cells of a run lie together and are all of one group, or each of the next.
    int outer = counts.length;
    int step = outer > 0 && grouped[outer - 1] ? 1 : 0;
    long run = 1;
    while (outer > 0 && grouped[outer - 1] == (step == 1)) {
      run *= counts[--outer];
      if (step == 1) {
        break;
      }
    }
    long[] at = new long[outer];
    long from = 0;
    int group = 0;
    do {
      for (int m = 0; m < measures.size(); m++) {
        int variable = aggregates.measures().get(m).variable();
        if (variable < 0) {
          measures.get(m).addCells(run, group, step, (int) Math.min(run, Integer.MAX_VALUE));
        } else {
          measures.get(m).add(decoded[variable], (int) from, (int) run, group, step);
        }
      }
      from += run;
      int d = outer - 1;
      while (d >= 0 && ++at[d] == counts[d]) {
        group -= strides[d] * (int) (counts[d] - 1);
        at[d--] = 0;
      }
      if (d < 0) {
        return;
      }
      group += strides[d];
    } while (true);
  }

  /** How far apart the groups of neighbouring indices are, 0 along dimensions that do not group. */
  private int[] groupStrides(long[] counts) {
    int[] strides = new int[counts.length];
    int stride = 1;
    for (int d = counts.length - 1; d >= 0; d--) {
      strides[d] = grouped[d] ? stride : 0;
      stride *= grouped[d] ? (int) counts[d] : 1;
    }
    return strides;
  }

  @Override
  public ColumnarBatch get() {
    return batch;
  }
}
