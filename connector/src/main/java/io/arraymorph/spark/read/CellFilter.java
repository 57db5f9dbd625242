package io.arraymorph.spark.read;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.ValueSet;
import java.io.Serializable;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * A condition on cells that tasks evaluate on decoded buffers: true for exactly the cells for which
 * SQL's predicate is true.
 *
 * <p>There is no third truth value: negations are carried down to the leaves, which say what NULL
 * means. Immutable; travels to executors.
 */
sealed interface CellFilter extends Serializable {

  /** The condition of every cell. */
  static CellFilter everyCell() {
    return new All(List.of());
  }

  /** The cells of a block that fulfil the condition, as a new mask. */
  CellMask mask(CellBlock block);

  /** The same condition, with variables counted otherwise. */
  CellFilter renumbered(IntUnaryOperator variables);

  /** True if the condition holds for every cell, whatever it is. */
  default boolean isEveryCell() {
    return equals(everyCell());
  }

  /** The condition that this and another hold. */
  default CellFilter and(CellFilter other) {
    return isEveryCell() ? other : other.isEveryCell() ? this : new All(List.of(this, other));
  }

  private static int cellsOf(CellBlock block) {
    return Math.toIntExact(block.cells().elementCount());
  }

  /**
   * The value of a variable lies in a set.
   *
   * @param variable position among the variables that are read
   * @param nulls whether the condition holds for NULL
   */
  record InSet(int variable, ValueSet set, boolean nulls) implements CellFilter {
    @Override
    public CellMask mask(CellBlock block) {
      return ValueTest.mask(block.values(variable), set, nulls);
    }

    @Override
    public CellFilter renumbered(IntUnaryOperator variables) {
      return new InSet(variables.applyAsInt(variable), set, nulls);
    }
  }

  /** The cell lies in a selection: what dimensions and coordinates say. */
  record Inside(Selection selection) implements CellFilter {
    @Override
    public CellMask mask(CellBlock block) {
      CellMask mask = CellMask.none(cellsOf(block));
      for (OrthogonalSelection part : selection.parts()) {
        addPart(mask, block.cells(), part);
      }
      return mask;
    }

    private static void addPart(
        CellMask mask, OrthogonalSelection cells, OrthogonalSelection part) {
      int rank = cells.rank();
      long[][] ranks = new long[rank][];
      for (int d = 0; d < rank; d++) {
        IndexSet inside = cells.indices(d).intersect(part.indices(d));
        if (inside.isEmpty()) {
          return;
        }
        IndexRanks all = new IndexRanks(cells.indices(d));
        IndexRanks some = new IndexRanks(inside);
        ranks[d] = new long[Math.toIntExact(some.count())];
        for (int i = 0; i < ranks[d].length; i++) {
          ranks[d][i] = all.below(some.at(i));
        }
      }
      add(mask, cells, ranks, 0, 0);
    }

    /** Adds the cells at a product of ranks along the dimensions from {@code d} on. */
    private static void add(
        CellMask mask, OrthogonalSelection cells, long[][] ranks, int d, long from) {
      if (d == ranks.length) {
        mask.add((int) from, (int) from + 1);
        return;
      }
      long inner = 1;
      boolean whole = true;
      for (int e = d + 1; e < ranks.length; e++) {
        long length = cells.indices(e).count();
        whole &= ranks[e].length == length;
        inner *= length;
      }
      long[] here = ranks[d];
      for (int i = 0; i < here.length; ) {
        int run = i + 1;
        while (whole && run < here.length && here[run] == here[run - 1] + 1) {
          run++;
        }
        long first = (from + here[i]) * inner;
        if (whole) {
          mask.add((int) first, (int) (first + (run - i) * inner));
        } else {
          add(mask, cells, ranks, d + 1, (from + here[i]) * cells.indices(d + 1).count());
        }
        i = run;
      }
    }

    @Override
    public CellFilter renumbered(IntUnaryOperator variables) {
      return this;
    }
  }

  /** All of some conditions hold; no condition at all holds for every cell. */
  record All(List<CellFilter> conditions) implements CellFilter {
    /** Copies the list. */
    public All {
      conditions = List.copyOf(conditions);
    }

    @Override
    public CellMask mask(CellBlock block) {
      CellMask mask = null;
      for (CellFilter condition : conditions) {
        CellMask next = condition.mask(block);
        if (mask == null) {
          mask = next;
        } else {
          mask.retain(next);
        }
      }
      return mask == null ? CellMask.all(cellsOf(block)) : mask;
    }

    @Override
    public CellFilter renumbered(IntUnaryOperator variables) {
      return new All(conditions.stream().map(c -> c.renumbered(variables)).toList());
    }
  }

  /** One of some conditions holds. */
  record AnyOf(List<CellFilter> conditions) implements CellFilter {
    /** Copies the list. */
    public AnyOf {
      conditions = List.copyOf(conditions);
    }

    @Override
    public CellMask mask(CellBlock block) {
      CellMask mask = CellMask.none(cellsOf(block));
      conditions.forEach(condition -> mask.add(condition.mask(block)));
      return mask;
    }

    @Override
    public CellFilter renumbered(IntUnaryOperator variables) {
      return new AnyOf(conditions.stream().map(c -> c.renumbered(variables)).toList());
    }
  }
}
