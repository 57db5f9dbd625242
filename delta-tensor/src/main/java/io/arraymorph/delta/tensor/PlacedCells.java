package io.arraymorph.delta.tensor;

import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import java.util.List;

/**
 * Cells as runs that follow each other. Coordinates are taken out of places, and values brought
 * into order, when somebody asks for them: who hands cells over to another process needs neither as
 * a whole.
 */
final class PlacedCells implements StoredCells {
  private final ResultPlaces form;
  private final DataType type;
  private final int[] dimensions;
  private final List<SliceRun> runs;
  private final int[] starts;
  private final long[][] columns;
  private Elements values;

  /** Runs in the order of the result. */
  PlacedCells(ResultPlaces form, DataType type, List<SliceRun> runs) {
    this.form = form;
    this.type = type;
    this.dimensions = form.dimensions();
    this.runs = List.copyOf(runs);
    this.starts = new int[runs.size() + 1];
    for (int r = 0; r < runs.size(); r++) {
      starts[r + 1] = starts[r] + runs.get(r).count();
    }
    this.columns = new long[dimensions.length][];
  }

  private int count() {
    return starts[runs.size()];
  }

  @Override
  public int rank() {
    return dimensions.length;
  }

  @Override
  public synchronized long[] column(int dimension) {
    if (columns[dimension] == null) {
      columns[dimension] = new long[count()];
      copy(dimension, 0, count(), columns[dimension]);
    }
    return columns[dimension];
  }

  /** Works on part of a run. */
  private interface Part {
    /**
     * @param first the first cell of the run
     * @param last behind the last one
     * @param at where the first one is among those wanted
     */
    void take(SliceRun run, int first, int last, int at);
  }

  private void parts(int from, int to, Part part) {
    for (int r = 0; r < runs.size(); r++) {
      int first = Math.max(from, starts[r]);
      int last = Math.min(to, starts[r + 1]);
      if (first < last) {
        part.take(runs.get(r), first - starts[r], last - starts[r], first - from);
      }
    }
  }

  @Override
  public void copy(int dimension, int from, int to, long[] into) {
    int d = dimensions[dimension];
    parts(from, to, (run, first, last, at) -> form.column(d, run, first, last, into, at));
  }

  @Override
  public void copy(int dimension, int from, int to, int[] into) {
    int d = dimensions[dimension];
    parts(from, to, (run, first, last, at) -> form.column(d, run, first, last, into, at));
  }

  @Override
  public synchronized Elements values() {
    if (values == null) {
      values = type.isFixedWidth() ? fixed() : variable();
    }
    return values;
  }

  private Elements fixed() {
    if (runs.size() == 1 && runs.get(0).isAsStored()) {
      return runs.get(0).values();
    }
    byte[] bytes = new byte[Math.multiplyExact(count(), type.byteWidth())];
    copyValues(0, count(), bytes);
    return new FixedWidthElements(type, Shape.of(count()), bytes, 0);
  }

  private Elements variable() {
    ElementBuffer all = new ElementBuffer(type);
    for (SliceRun run : runs) {
      for (int i = 0; i < run.count(); i++) {
        all.append(run.values(), run.element(i));
      }
    }
    return all.toElements();
  }

  @Override
  public void copyValues(int from, int to, byte[] into) {
    parts(from, to, (run, first, last, at) -> run.copyValues(first, last, into, at));
  }
}
