package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannerOptions;
import java.util.List;
import java.util.Map;

/**
 * What reading some cells of some variables will take, foreseen on the driver from metadata.
 *
 * @param estimate of all variables together
 * @param model by which costs are estimated, for what one task has of its host
 */
record ScanCost(PlanEstimate estimate, CostModel model) {
  /** Decoding and copying, in bytes of elements a second of one core. */
  private static final double DECODED_BYTES_PER_SECOND = 1e9;

  /**
   * Estimates a scan.
   *
   * @param variables at least one, of one store; each may span some of the dimensions only
   * @param options with the share that a task has of its host
   */
  static ScanCost of(List<Variable> variables, Selection cells, PlannerOptions options) {
    AccessPlanner planner = options.planner();
    PlanEstimate sum = null;
    for (Variable variable : variables) {
      Selection elements = new Projection(cells.rank(), variable.dimensions()).of(cells);
      PlanEstimate one = PlanEstimator.estimate(variable.array(), elements, planner);
      sum = sum == null ? one : sum.plus(one);
    }
    return new ScanCost(sum, planner.model(variables.get(0).array().path().store().uri()));
  }

  /**
   * What units and cells cost a task that has its host's other slots beside it.
   *
   * @param count of the cells
   * @param grid of the units
   */
  static UnitCost unitCost(
      List<Variable> variables,
      Selection cells,
      double count,
      ChunkGrid grid,
      PlannerOptions options) {
    if (variables.isEmpty() || count == 0 || count > ScanDescription.MAX_CELLS) {
      return UnitCost.CELLS;
    }
    double units = 0;
    for (OrthogonalSelection part : cells.parts()) {
      units += new TouchedUnits(grid, part).count();
    }
    return of(variables, cells, options).unitCost(units, count, Math.max(1, cellBytes(variables)));
  }

  /** Seconds that the scan takes with so many tasks at once, and what it costs in all. */
  AccessCost cost(int tasksAtOnce) {
    return new AccessCost(
        estimate.cost(model, 1.0 / tasksAtOnce).seconds(), estimate.cost(model).dollars());
  }

  /**
   * What a touched unit and a selected cell cost a task in seconds. Whole chunks and indexes cost
   * the same however few of their cells are selected; ranges and calls move what is selected.
   *
   * @param units touched, more than 0
   * @param cells selected, more than 0
   * @param bytesPerCell of the elements of all variables
   */
  UnitCost unitCost(double units, double cells, double bytesPerCell) {
    double byUnit = 0;
    double byCell = cells * bytesPerCell / DECODED_BYTES_PER_SECOND;
    double pipe = model.profile().transport().bandwidth().maximum();
    for (Map.Entry<String, AccessTotals> method : estimate.totalsByMethod().entrySet()) {
      AccessTotals totals = method.getValue();
      double moving = totals.movedBytes() / pipe;
      double all = model.seconds(totals);
      boolean partial = method.getKey().equals("ranges") || method.getKey().equals("function");
      byCell += partial ? Math.min(moving, all) : 0;
      byUnit += partial ? Math.max(0, all - moving) : all;
    }
    return new UnitCost(byUnit / units, byCell / cells);
  }

  /** Uncompressed bytes of one cell; texts and bytes of any length count 16. */
  static int cellBytes(List<Variable> variables) {
    return variables.stream().mapToInt(v -> storedBytes(v.array(), v.type())).sum();
  }

  private static int storedBytes(ChunkedArray array, ColumnType type) {
    int stored = array.schema().dataType().byteWidth();
    return Math.max(stored > 0 ? stored : 16, type.byteWidth());
  }

  /**
   * Seconds of a task.
   *
   * @param perUnit for each unit that it touches
   * @param perCell for each selected cell
   */
  record UnitCost(double perUnit, double perCell) {
    /** By cells alone; the total says nothing about time. */
    static final UnitCost CELLS = new UnitCost(0, 0);

    boolean isKnown() {
      return perUnit + perCell > 0;
    }
  }
}
