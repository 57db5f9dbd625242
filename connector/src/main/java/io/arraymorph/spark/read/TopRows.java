package io.arraymorph.spark.read;

import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.dataset.Coordinate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The first rows of a table in the order of columns along dimensions, as a part of its selection:
 * so {@code ORDER BY time DESC LIMIT 10} reads nothing but the cells of these rows.
 *
 * <p>A pure function. Rows that are equal in all columns of the order are all as good as each
 * other.
 */
final class TopRows {
  /** An order over more indices of a dimension is left to Spark, as is a limit of more rows. */
  private static final int MOST = 1 << 20;

  private static final int MOST_ROWS = 1 << 14;

  /**
   * One column of an order.
   *
   * @param column along a dimension that is not packed
   * @param ascending whether lesser values come first
   * @param nullsFirst whether NULL comes before all values
   * @param index of the column's values, null if the column is the index itself
   */
  record Key(
      OutputColumn.Along column, boolean ascending, boolean nullsFirst, CoordinateIndex index) {

    Key(OutputColumn.Along column, boolean ascending, boolean nullsFirst) {
      this(column, ascending, nullsFirst, column.values().map(Coordinate::indexOf).orElse(null));
    }
  }

  private final List<Key> keys;
  private final List<Boolean> packed;

  /**
   * @param packed for each dimension whether a row spans it
   */
  TopRows(List<Key> keys, List<Boolean> packed) {
    this.keys = List.copyOf(keys);
    this.packed = List.copyOf(packed);
  }

  /** Cells that hold the first rows in order, or empty if they are not easily told. */
  Optional<Selection> of(Selection cells, int rows) {
    if (rows <= 0 || rows > MOST_ROWS || cells.isEmpty()) {
      return Optional.empty();
    }
    for (Key key : keys) {
      if (packed.get(key.column().dimension())
          || indices(cells, key.column().dimension()).count() > MOST) {
        return Optional.empty();
      }
    }
    return Optional.of(first(cells, rows, 0));
  }

  private Selection first(Selection cells, double rows, int level) {
    if (level == keys.size()) {
      return anyOf(cells, rows);
    }
    Key key = keys.get(level);
    int dimension = key.column().dimension();
    Selection found = Selection.none(packed.size());
    double rest = rows;
    List<IndexRange> whole = new ArrayList<>();
    long[] order = inOrder(key, indices(cells, dimension));
    for (int i = 0; i < order.length; ) {
      int next = i + 1;
      while (next < order.length && isEqual(key, order[i], order[next])) {
        next++;
      }
      IndexSet step = IndexSet.ofIndices(Arrays.copyOfRange(order, i, next));
      Selection equal = along(cells, dimension, step);
      double here = rowsOf(equal);
      if (here >= rest) {
        found = first(equal, rest, level + 1);
        break;
      }
      whole.addAll(step.ranges());
      rest -= here;
      i = next;
    }
    return whole.isEmpty() ? found : found.union(along(cells, dimension, IndexSet.of(whole)));
  }

  /** Cells of at least this many rows, whichever: a prefix along one dimension after the other. */
  private Selection anyOf(Selection cells, double rows) {
    Selection found = Selection.none(packed.size());
    double rest = rows;
    for (OrthogonalSelection part : cells.parts()) {
      OrthogonalSelection some = part;
      for (int d = 0; d < packed.size(); d++) {
        if (!packed.get(d)) {
          double perIndex = rowsOf(Selection.of(some)) / some.indices(d).count();
          long needed = (long) Math.ceil(rest / perIndex);
          if (needed < some.indices(d).count()) {
            some = some.with(d, some.indices(d).slice(0, Math.max(1, needed)));
          }
        }
      }
      found = found.union(Selection.of(some));
      rest -= rowsOf(Selection.of(some));
      if (rest <= 0) {
        break;
      }
    }
    return found;
  }

  private static boolean isEqual(Key key, long one, long other) {
    Optional<DecodedColumn> values = key.column().values();
    if (values.isEmpty()) {
      return one == other;
    }
    boolean isNull = values.get().isNull((int) one);
    return isNull == values.get().isNull((int) other)
        && (isNull || key.index().isEqual(one, other));
  }

  /** These indices in the order of a column. */
  private static long[] inOrder(Key key, IndexSet indices) {
    long[] at = new long[Math.toIntExact(indices.count())];
    IndexRanks ranks = new IndexRanks(indices);
    Arrays.setAll(at, ranks::at);
    if (key.column().values().isEmpty()) {
      return key.ascending() ? at : reversed(at);
    }
    DecodedColumn values = key.column().values().get();
    long[] nulls = Arrays.stream(at).filter(i -> values.isNull((int) i)).toArray();
    long[] present = Arrays.stream(at).filter(i -> !values.isNull((int) i)).toArray();
    long[] ascending = key.index().ascending(present);
    long[] ordered = key.ascending() ? ascending : reversed(ascending);
    return (key.nullsFirst()
            ? LongStream.concat(Arrays.stream(nulls), Arrays.stream(ordered))
            : LongStream.concat(Arrays.stream(ordered), Arrays.stream(nulls)))
        .toArray();
  }

  private static long[] reversed(long[] values) {
    long[] reversed = new long[values.length];
    Arrays.setAll(reversed, i -> values[values.length - 1 - i]);
    return reversed;
  }

  private Selection along(Selection cells, int dimension, IndexSet indices) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    for (OrthogonalSelection part : cells.parts()) {
      IndexSet both = part.indices(dimension).intersect(indices);
      if (!both.isEmpty()) {
        parts.add(part.with(dimension, both));
      }
    }
    return parts.isEmpty() ? Selection.none(packed.size()) : Selection.of(packed.size(), parts);
  }

  private static IndexSet indices(Selection cells, int dimension) {
    IndexSet indices = IndexSet.EMPTY;
    for (OrthogonalSelection part : cells.parts()) {
      indices = indices.union(part.indices(dimension));
    }
    return indices;
  }

  private double rowsOf(Selection cells) {
    double rows = 0;
    for (OrthogonalSelection part : cells.parts()) {
      double inPart = 1;
      for (int d = 0; d < packed.size(); d++) {
        inPart *= packed.get(d) ? 1 : part.indices(d).count();
      }
      rows += inPart;
    }
    return rows;
  }
}
