package io.arraymorph.spark.read;

import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.Validity;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/**
 * Partial aggregates of one partition: without groups one row, else one row per piece and group.
 *
 * <p>Groups are combinations of indices along some dimensions, so the group of a cell follows from
 * its place: runs of cells are added to accumulators without looking at any key. Cells that do not
 * fulfil the condition of the scan are NULLs in every input.
 */
final class AggregateReader extends BatchReader {
  private final AggregatePlan aggregates;
  private final boolean[] grouped;
  private final boolean filtered;
  private boolean done;
  private ColumnarBatch batch;

  AggregateReader(ReadPlan plan, AggregatePlan aggregates, ChunkPartition partition) {
    super(plan, partition);
    this.aggregates = aggregates;
    this.grouped = new boolean[plan.packed().size()];
    this.filtered = !plan.filter().isEveryCell();
    aggregates.groups().forEach(group -> grouped[group.dimension()] = true);
  }

  @Override
  public boolean next() {
    if (!aggregates.groups().isEmpty()) {
      if (!hasBlock()) {
        return false;
      }
      batch = ofGroups(decoding(nextBlock()));
      return true;
    }
    if (done) {
      return false;
    }
    List<GroupedMeasure> totals = accumulators(1);
    while (hasBlock()) {
      add(decoding(nextBlock()), totals);
    }
    AggregateRows rows = new AggregateRows(totals, new int[] {0});
    batch = new ColumnarBatch(results(rows).toArray(ColumnVector[]::new), rows.count());
    done = true;
    return true;
  }

  private List<GroupedMeasure> accumulators(int groups) {
    return aggregates.measures().stream().map(m -> new GroupedMeasure(m, groups)).toList();
  }

  private List<ColumnVector> results(AggregateRows rows) {
    return IntStream.range(0, aggregates.measures().size()).mapToObj(rows::results).toList();
  }

  private ColumnarBatch ofGroups(CellBlock block) {
    OrthogonalSelection cells = block.cells();
    int groups = 1;
    for (int d = 0; d < grouped.length; d++) {
      groups = Math.multiplyExact(groups, grouped[d] ? (int) cells.indices(d).count() : 1);
    }
    List<GroupedMeasure> measures = new ArrayList<>(accumulators(groups));
    GroupedMeasure taking = new GroupedMeasure(Measure.COUNT_ALL, groups);
    if (filtered) {
      measures.add(taking);
    }
    add(block, measures);
    // A group of which no cell fulfils the condition is not in the result.
    int[] kept = IntStream.range(0, groups).filter(g -> !filtered || taking.count(g) > 0).toArray();
    AggregateRows rows = new AggregateRows(measures.subList(0, aggregates.measures().size()), kept);
    List<ColumnVector> columns = new ArrayList<>();
    for (OutputColumn.Along group : aggregates.groups()) {
      columns.add(new AlongVector(group, positions(cells, group.dimension(), rows)));
    }
    columns.addAll(results(rows));
    return new ColumnarBatch(columns.toArray(ColumnVector[]::new), rows.count());
  }

  /** For each row the index of its group along one of the grouped dimensions. */
  private long[] positions(OrthogonalSelection cells, int dimension, AggregateRows rows) {
    long[] indices = indices(cells, dimension);
    int inner = 1;
    for (int d = dimension + 1; d < grouped.length; d++) {
      inner *= grouped[d] ? (int) cells.indices(d).count() : 1;
    }
    long[] positions = new long[rows.count()];
    for (int row = 0; row < positions.length; row++) {
      positions[row] = indices[rows.group(row) / inner % indices.length];
    }
    return positions;
  }

  private void add(CellBlock block, List<GroupedMeasure> measures) {
    Validity taking = null;
    if (filtered) {
      CellMask mask = plan.filter().mask(block);
      int taken = mask.count();
      if (taken == 0) {
        return;
      }
      taking = taken == mask.cells() ? Validity.ALL : mask.toValidity();
    }
    DecodedColumn[] inputs = new DecodedColumn[aggregates.inputs().size()];
    for (int i = 0; i < inputs.length; i++) {
      DecodedColumn values = aggregates.inputs().get(i).values(block);
      inputs[i] = taking == null ? values : values.maskedBy(taking);
    }
    long[] counts = block.cells().counts().toArray();
    int[] strides = groupStrides(counts);
    // Cells of a run lie together and are all of one group, or each of the next.
    int outer = counts.length;
    int step = outer > 0 && grouped[outer - 1] ? 1 : 0;
    long run = 1;
    while (outer > 0 && grouped[outer - 1] == (step == 1)) {
      run *= counts[--outer];
    }
    long[] at = new long[outer];
    long from = 0;
    int group = 0;
    while (true) {
      for (GroupedMeasure measure : measures) {
        addRun(measure, inputs, taking, from, run, group, step);
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
    }
  }

  private static void addRun(
      GroupedMeasure measure,
      DecodedColumn[] inputs,
      Validity taking,
      long from,
      long run,
      int group,
      int step) {
    if (measure.measure().kind() != Measure.Kind.COUNT_ALL) {
      measure.add(inputs[measure.measure().input()], (int) from, (int) run, group, step);
    } else if (taking != null && taking.hasNulls()) {
      measure.addTaking(taking, (int) from, (int) run, group, step);
    } else {
      measure.addCells(run, group, step, (int) Math.min(run, Integer.MAX_VALUE));
    }
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
