package io.arraymorph.delta.paper;

import io.arraymorph.delta.tensor.SparseTensor;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Consumer;

/** The levels of the tree of a tensor, and their rows in the paper's CSF. */
final class CsfLevels {
  private final int rank;
  private final int[][] fids;
  private final int[][] fptrs;
  private final double[] values;

  /** The tree of a tensor: at each level the indices of the nodes, and where children begin. */
  CsfLevels(SparseTensor cells) {
    rank = cells.schema().shape().rank();
    int n = cells.count();
    fids = new int[rank][n];
    fptrs = new int[Math.max(0, rank - 1)][];
    int[] nodes = new int[rank];
    for (int level = 0; level + 1 < rank; level++) {
      fptrs[level] = new int[n + 1];
    }
    for (int i = 0; i < n; i++) {
      int level = 0;
      while (i > 0 && level < rank - 1 && cells.column(level)[i] == cells.column(level)[i - 1]) {
        level++;
      }
      for (; level < rank; level++) {
        if (level + 1 < rank) {
          fptrs[level][nodes[level]] = nodes[level + 1];
        }
        fids[level][nodes[level]++] = (int) cells.column(level)[i];
      }
    }
    for (int level = 0; level < rank; level++) {
      fids[level] = Arrays.copyOf(fids[level], nodes[level]);
      if (level + 1 < rank) {
        fptrs[level] = Arrays.copyOf(fptrs[level], nodes[level] + 1);
        fptrs[level][nodes[level]] = nodes[level + 1];
      }
    }
    values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = PaperValues.real(cells.values(), i);
    }
  }

  /** Rows of pieces of the levels; levels 0 and 1 are whole in the first. */
  void write(String id, PaperLayout layout, int[] shape, Consumer<Object[]> sink) {
    int parts = parts(values.length);
    for (int level = 2; level < rank; level++) {
      parts = Math.max(parts, parts(fids[level].length));
      parts = level + 1 < rank ? Math.max(parts, parts(fptrs[level].length)) : parts;
    }
    int[] none = {};
    for (int part = 0; part < parts; part++) {
      Object[] row = new Object[layout.columns().size()];
      row[0] = id + String.format(Locale.ROOT, "_%04d", part);
      row[1] = id;
      row[2] = layout.label();
      row[3] = shape;
      row[4] = part == 0 && rank > 1 ? fptrs[0] : none;
      row[5] = part == 0 && rank > 2 ? fptrs[1] : none;
      row[6] = part == 0 && rank > 0 ? fids[0] : none;
      row[7] = part == 0 && rank > 1 ? fids[1] : none;
      int from = Math.min(values.length, part * PaperLayout.CSF_ENTRIES);
      row[8] =
          Arrays.copyOfRange(values, from, Math.min(values.length, from + PaperLayout.CSF_ENTRIES));
      int at = 9;
      for (int level = 2; level < rank; level++) {
        if (level + 1 < rank) {
          row[at++] = piece(fptrs[level], part);
        }
        row[at++] = piece(fids[level], part);
      }
      sink.accept(row);
    }
  }

  private static int parts(int entries) {
    return (entries + PaperLayout.CSF_ENTRIES - 1) / PaperLayout.CSF_ENTRIES;
  }

  /** A piece of a level; NULL behind its end, as the paper's code has it. */
  private static int[] piece(int[] level, int part) {
    int from = part * PaperLayout.CSF_ENTRIES;
    return from >= level.length
        ? null
        : Arrays.copyOfRange(level, from, Math.min(level.length, from + PaperLayout.CSF_ENTRIES));
  }
}
