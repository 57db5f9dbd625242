package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts a selection into partitions of about equal seconds, each a run of consecutive units of a
 * grid; of about equal bytes where seconds are not known.
 *
 * <p>A pure function. Time and memory follow the number of partitions and of ranges in the
 * selection, not the number of chunks: the boundary at a given number of bytes is found by binary
 * search along each dimension.
 */
final class PartitionPlanner {
  /** More partitions than this cost the scheduler more than they gain. */
  static final int MAX_PARTITIONS = 20_000;

  /** A task that is estimated to take longer is divided: stragglers and retries cost more. */
  static final double MAX_SECONDS = 30;

  /** A task that reads less than this is mostly overhead. */
  static final long MIN_BYTES = 4L << 20;

  private final ChunkGrid units;
  private final double bytesPerCell;
  private final long targetBytes;
  private final int parallelism;
  private final ScanCost.UnitCost cost;

  /** Without estimates. */
  PartitionPlanner(ChunkGrid units, double bytesPerCell, long targetBytes, int parallelism) {
    this(units, bytesPerCell, targetBytes, parallelism, ScanCost.UnitCost.CELLS);
  }

  /**
   * @param units what is never divided between tasks
   * @param bytesPerCell uncompressed bytes of one cell of all columns that are read
   * @param targetBytes bytes that one task should read
   * @param parallelism tasks that the cluster runs at a time
   * @param cost of units and cells in seconds of a task
   */
  PartitionPlanner(
      ChunkGrid units,
      double bytesPerCell,
      long targetBytes,
      int parallelism,
      ScanCost.UnitCost cost) {
    this.units = units;
    this.bytesPerCell = bytesPerCell;
    this.targetBytes = targetBytes;
    this.parallelism = parallelism;
    this.cost = cost;
  }

  /** Partitions that together hold every touched unit of every part exactly once. */
  List<ChunkPartition> plan(Selection selection) {
    List<TouchedUnits> parts = new ArrayList<>();
    double cells = 0;
    double touched = 0;
    for (OrthogonalSelection part : selection.parts()) {
      TouchedUnits found = new TouchedUnits(units, part);
      parts.add(found);
      cells += found.cells();
      touched += found.count();
    }
    double perUnit = cost.isKnown() ? cost.perUnit() : 0;
    double perCell = cost.isKnown() ? cost.perCell() : 1;
    double all = perUnit * touched + perCell * cells;
    long wanted = partitions(cells * bytesPerCell, touched, cost.isKnown() ? all : 0);
    List<ChunkPartition> partitions = new ArrayList<>();
    List<ChunkPartition.Segment> open = new ArrayList<>();
    double below = 0;
    long next = 1;
    for (int p = 0; p < parts.size(); p++) {
      TouchedUnits part = parts.get(p);
      long from = 0;
      while (from < part.count()) {
        double boundary = all * next / wanted - below;
        long to = next >= wanted ? part.count() : part.unitsHolding(boundary, perUnit, perCell);
        if (to > from) {
          open.add(new ChunkPartition.Segment(p, from, to));
          from = to;
        }
        if (from < part.count()) {
          next++;
          if (!open.isEmpty()) {
            partitions.add(new ChunkPartition(open));
            open.clear();
          }
        }
      }
      below += perUnit * part.count() + perCell * part.cells();
    }
    if (!open.isEmpty()) {
      partitions.add(new ChunkPartition(open));
    }
    return partitions;
  }

  private long partitions(double bytes, double touched, double seconds) {
    double bySize = Math.ceil(bytes / targetBytes);
    double byParallelism = Math.min(parallelism, Math.ceil(bytes / MIN_BYTES));
    double byTime = Math.ceil(seconds / MAX_SECONDS);
    double wanted = Math.max(1, Math.max(byTime, Math.max(bySize, byParallelism)));
    return (long) Math.min(Math.min(wanted, Math.max(1, touched)), MAX_PARTITIONS);
  }
}
