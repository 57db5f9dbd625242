package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.optimizer.execute.ObjectPins;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stored objects that several tasks of a scan read parts of. Nobody but the driver can see that
 * all of them read one version.
 *
 * <p>Found from metadata alone, without enumerating what one task has for itself where the units of
 * the scan hold whole objects.
 *
 * @param objects at most {@value #MOST}
 * @param complete false if there are too many to find, or to ask for, all of them
 */
record SharedObjects(List<StorePath> objects, boolean complete) {
  private static final Logger LOG = LoggerFactory.getLogger(SharedObjects.class);

  /** A HEAD for each of them is sent before a query runs. */
  static final int MOST = 10_000;

  /** Pairs of a task and an object to look at; a second or so. */
  private static final long MOST_PAIRS = 1 << 18;

  /** No object is read by several tasks. */
  static final SharedObjects NONE = new SharedObjects(List.of(), true);

  /** Copies the list. */
  SharedObjects {
    objects = List.copyOf(objects);
  }

  /** Those of a scan, as its partitions are now. */
  static SharedObjects of(HyperslabScan scan) {
    if (scan.variables().isEmpty() || scan.cells() > ScanDescription.MAX_CELLS) {
      return NONE;
    }
    return of(
        scan.variables(),
        scan.selection(),
        scan.layout().units(),
        Arrays.stream(scan.planInputPartitions()).map(p -> (ChunkPartition) p).toList());
  }

  /** Asks for their versions. */
  ObjectPins pins() {
    if (!complete) {
      LOG.warn(
          "tasks of one query share more objects than are asked for their versions ({}): while"
              + " somebody else replaces objects of these arrays, tasks on different executors may"
              + " read two versions of one",
          objects.size());
    }
    return ObjectPins.read(objects);
  }

  /**
   * Finds them.
   *
   * @param selection the cells of the scan
   * @param units in which the partitions count
   */
  static SharedObjects of(
      List<Variable> variables,
      Selection selection,
      ChunkGrid units,
      List<ChunkPartition> partitions) {
    if (partitions.size() < 2) {
      return NONE;
    }
    Search search = new Search(selection, units, partitions);
    List<StorePath> found = new ArrayList<>();
    for (Variable variable : variables) {
      ChunkedArray array = variable.array();
      Projection projection = new Projection(units.arrayShape().rank(), variable.dimensions());
      Optional<Set<ChunkCoordinates>> shared = search.shared(array.grid(), projection);
      if (shared.isEmpty() || shared.get().size() > MOST - found.size()) {
        return new SharedObjects(found, false);
      }
      shared.get().forEach(chunk -> found.add(array.chunkObject(chunk)));
    }
    return new SharedObjects(found, true);
  }

  /** True if each unit holds whole chunks, so that no chunk is in two units. */
  static boolean holds(ChunkGrid units, ChunkGrid chunks) {
    if (units.equals(chunks)) {
      return true;
    }
    if (!(units instanceof RegularChunkGrid) || !(chunks instanceof RegularChunkGrid)) {
      return false;
    }
    for (int d = 0; d < units.arrayShape().rank(); d++) {
      long unit = ((RegularChunkGrid) units).chunkShape().length(d);
      long chunk = ((RegularChunkGrid) chunks).chunkShape().length(d);
      if (unit % chunk != 0 && unit < units.arrayShape().length(d)) {
        return false;
      }
    }
    return true;
  }

  /** Looks for chunks that several partitions touch. One thread. */
  static final class Search {
    private final Selection selection;
    private final ChunkGrid units;
    private final List<ChunkPartition> partitions;
    private long pairs;
    private boolean boundsOnly;

    Search(Selection selection, ChunkGrid units, List<ChunkPartition> partitions) {
      this.selection = selection;
      this.units = units;
      this.partitions = partitions;
    }

    /**
     * The chunks of an array that several partitions touch; empty if there are too many to look at.
     *
     * @param projection from cells to elements of the array
     */
    Optional<Set<ChunkCoordinates>> shared(ChunkGrid chunks, Projection projection) {
      if (projection.isIdentity() && holds(units, chunks) && isOfOneProduct()) {
        return Optional.of(Set.of());
      }
      Map<ChunkCoordinates, Integer> first = new HashMap<>();
      Set<ChunkCoordinates> shared = new HashSet<>();
      boundsOnly = projection.isIdentity() && isOfOneProduct();
      for (int task = 0; task < partitions.size(); task++) {
        for (BoxOfCells cells : cells(partitions.get(task))) {
          for (OrthogonalSelection touched : mayShare(chunks, projection, cells)) {
            double count = 1;
            for (int d = 0; d < touched.rank(); d++) {
              count *= touched.indices(d).count();
            }
            if (count > MOST_PAIRS - pairs) {
              return Optional.empty();
            }
            pairs += (long) count;
            for (Hyperslab slab : touched.hyperslabs()) {
              visit(slab, 0, new long[slab.rank()], task, first, shared);
            }
          }
        }
      }
      return Optional.of(shared);
    }

    /** Parts of a union may touch one unit both, and be in different partitions. */
    private boolean isOfOneProduct() {
      Selection cells = partitions.get(0).narrowed().orElse(selection);
      return cells.parts().size() == 1
          && partitions.stream().allMatch(p -> p.narrowed().orElse(selection).equals(cells));
    }

    /**
     * The chunks that a box of cells may share with other tasks: of one product those that reach
     * beyond the box, else all.
     */
    private List<OrthogonalSelection> mayShare(
        ChunkGrid grid, Projection projection, BoxOfCells cells) {
      OrthogonalSelection touched = ChunkSelections.touched(grid, projection.of(cells.cells()));
      if (touched.isEmpty()) {
        return List.of();
      }
      if (!boundsOnly) {
        return List.of(touched);
      }
      List<OrthogonalSelection> faces = new ArrayList<>();
      for (int d = 0; d < touched.rank(); d++) {
        long end = grid.arrayShape().length(d);
        long start = cells.box().range(d).start();
        long stop = Math.min(end, cells.box().range(d).stop());
        long low = grid.chunkOf(d, start);
        long high = grid.chunkOf(d, stop - 1);
        boolean below = grid.chunkStart(d, low) < start;
        boolean above = Math.min(end, grid.chunkStart(d, high) + grid.chunkLength(d, high)) > stop;
        if (below) {
          faces.add(touched.clip(face(touched, d, low)));
        }
        if (above && !(below && low == high)) {
          faces.add(touched.clip(face(touched, d, high)));
        }
      }
      faces.removeIf(OrthogonalSelection::isEmpty);
      return faces;
    }

    private static Hyperslab face(OrthogonalSelection touched, int dimension, long chunk) {
      IndexRange[] ranges = touched.bounds().ranges().toArray(IndexRange[]::new);
      ranges[dimension] = IndexRange.single(chunk);
      return Hyperslab.of(ranges);
    }

    /** Selected cells, and the units in which they lie as a box. */
    private record BoxOfCells(OrthogonalSelection cells, Hyperslab box) {}

    private List<BoxOfCells> cells(ChunkPartition partition) {
      List<BoxOfCells> cells = new ArrayList<>();
      Selection all = partition.narrowed().orElse(selection);
      for (int i = 0; i < partition.size(); i++) {
        ChunkPartition.Segment segment = partition.segment(i);
        OrthogonalSelection part = all.parts().get(segment.part());
        for (Hyperslab box : new TouchedUnits(units, part).boxes(segment.from(), segment.to())) {
          cells.add(new BoxOfCells(part.clip(box), box));
        }
      }
      return cells;
    }

    private static void visit(
        Hyperslab chunks,
        int dimension,
        long[] at,
        int task,
        Map<ChunkCoordinates, Integer> first,
        Set<ChunkCoordinates> shared) {
      if (dimension == at.length) {
        ChunkCoordinates chunk = ChunkCoordinates.of(at.clone());
        Integer other = first.putIfAbsent(chunk, task);
        if (other != null && other != task) {
          shared.add(chunk);
        }
        return;
      }
      IndexRange range = chunks.range(dimension);
      for (long i = range.start(); i < range.stop(); i += range.stride()) {
        at[dimension] = i;
        visit(chunks, dimension + 1, at, task, first, shared);
      }
    }
  }
}
