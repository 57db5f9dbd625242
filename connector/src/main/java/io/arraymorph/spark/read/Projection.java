package io.arraymorph.spark.read;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.DecodedColumn;
import java.util.List;

/**
 * From the cells of a table to the elements of an array that has only some of its dimensions: each
 * element stands for all cells along the others.
 *
 * @param rank of the table
 * @param dimensions those that the array has, ascending
 */
record Projection(int rank, List<Integer> dimensions) {

  /** Copies the list. */
  Projection {
    dimensions = List.copyOf(dimensions);
  }

  /** True if the array has all dimensions, so that nothing changes. */
  boolean isIdentity() {
    return dimensions.size() == rank;
  }

  /** The elements that some cells need. */
  OrthogonalSelection of(OrthogonalSelection cells) {
    if (isIdentity()) {
      return cells;
    }
    List<IndexSet> indices = dimensions.stream().map(cells::indices).toList();
    return OrthogonalSelection.of(indices);
  }

  /** The elements that some cells need. */
  Selection of(Selection cells) {
    return isIdentity()
        ? cells
        : Selection.of(dimensions.size(), cells.parts().stream().map(this::of).toList());
  }

  /** For each cell of a block in C order the value of its element, copied. */
  DecodedColumn expand(DecodedColumn elements, Shape cells) {
    if (isIdentity()) {
      return elements;
    }
    int[] strides = new int[rank];
    int stride = 1;
    for (int a = dimensions.size() - 1; a >= 0; a--) {
      strides[dimensions.get(a)] = stride;
      stride *= Math.toIntExact(cells.length(dimensions.get(a)));
    }
    int[] positions = new int[Math.toIntExact(cells.elementCount())];
    int filled = 1;
    for (int d = rank - 1; d >= 0; d--) {
      // What is filled so far is the cells of one index of this dimension; others follow from it.
      int length = Math.toIntExact(cells.length(d));
      for (int i = 1; i < length; i++) {
        for (int k = 0; k < filled; k++) {
          positions[i * filled + k] = positions[k] + i * strides[d];
        }
      }
      filled *= length;
    }
    return elements.gather(positions, 0, positions.length);
  }
}
