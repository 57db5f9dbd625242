package io.arraymorph.spark.write;

import io.arraymorph.array.Elements;
import io.arraymorph.layout.zarr.write.NodeDocuments;
import java.util.List;

/** The arrays of one write as the driver knows them before and after the rows were written. */
interface PlannedNode {

  /** All arrays: first one for each value column, in order, then those of coordinates. */
  List<ArrayJob> arrays();

  /** The coordinate arrays and what is written to them. */
  List<CoordinatePart> coordinates();

  /**
   * The metadata.
   *
   * @param extent one past the largest index written along each dimension
   */
  NodeDocuments documents(long[] extent);

  /**
   * Values for a coordinate array.
   *
   * @param array its number in {@link #arrays()}
   * @param first index of the first value
   * @param values one dimension of them
   */
  record CoordinatePart(int array, long first, Elements values) {}
}
