package io.arraymorph.spark.delta;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.CellBuffer;
import io.arraymorph.delta.tensor.DuplicatePolicy;
import io.arraymorph.delta.tensor.FillPolicy;
import io.arraymorph.delta.tensor.SparseTensor;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.functions;

/** Looks at the cells of a DataFrame before they are written: how many, how far, and a sample. */
final class CellSurvey {
  private static final long SAMPLE_CELLS = 400_000;

  /** The most cells that a sample has. */
  static final int MOST_SAMPLE = 800_000;

  private static final long COARSE = 8;
  private static final long FINEST = 1L << 30;

  private final Dataset<Row> cells;
  private final TensorInput input;
  private final long count;
  private final long[] lengths;

  /** Surveys columns of BIGINT dimensions and a value. */
  CellSurvey(Dataset<Row> cells, TensorInput input) {
    this.cells = cells;
    this.input = input;
    List<Column> aggregates = new ArrayList<>();
    for (String dimension : input.dimensions()) {
      aggregates.add(functions.min(cells.col(quoted(dimension))));
      aggregates.add(functions.max(cells.col(quoted(dimension))));
    }
    Row found =
        cells
            .agg(functions.count(functions.lit(1)), aggregates.toArray(Column[]::new))
            .collectAsList()
            .get(0);
    count = found.getLong(0);
    lengths = new long[input.dimensions().size()];
    for (int d = 0; d < lengths.length; d++) {
      if (!found.isNullAt(2 * d + 1)) {
        if (found.getLong(2 * d + 1) < 0) {
          throw new ArrayMorphException(
              ErrorCode.OUT_OF_BOUNDS,
              "index "
                  + found.getLong(2 * d + 1)
                  + " of dimension "
                  + input.dimensions().get(d)
                  + " is negative",
              "Indices count from 0");
        }
        lengths[d] = found.getLong(2 * d + 2) + 1;
      }
    }
  }

  static String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  long count() {
    return count;
  }

  /** The least shape that holds all cells. */
  Shape shape() {
    return Shape.of(lengths);
  }

  /**
   * The cells of some coarse blocks, or all if they are few: at most {@link #MOST_SAMPLE}, however
   * the cells are spread, for they are held on the driver.
   */
  SparseTensor sample(ArraySchema schema) {
    long skip = count / SAMPLE_CELLS;
    List<InternalRow> found = skip > 1 ? List.of() : collect(cells);
    // Where most cells lie in one block, blocks are made finer until some of them are a sample.
    for (long parts = COARSE; skip > 1 && parts <= FINEST; parts *= COARSE) {
      found = collect(blocks(parts, skip));
      if (!found.isEmpty() && found.size() <= MOST_SAMPLE) {
        break;
      }
    }
    CellBuffer buffer = new CellBuffer(lengths.length, schema.dataType());
    Iterator<InternalRow> rows = found.subList(0, Math.min(found.size(), MOST_SAMPLE)).iterator();
    long[] cell = new long[lengths.length];
    while (rows.hasNext()) {
      InternalRow row = rows.next();
      boolean whole = !row.isNullAt(lengths.length);
      for (int d = 0; d < lengths.length; d++) {
        whole &= !row.isNullAt(d) && row.getLong(d) < schema.shape().length(d);
        cell[d] = row.getLong(d);
      }
      if (whole) { // What is wrong with the others is said when they are written.
        buffer.append(cell);
        ElementAppender.append(row, lengths.length, schema.dataType(), buffer.values());
      }
    }
    return SparseTensor.of(schema, buffer, DuplicatePolicy.LAST, FillPolicy.KEEP);
  }

  private static List<InternalRow> collect(Dataset<Row> some) {
    return some.limit(MOST_SAMPLE + 1)
        .queryExecution()
        .toRdd()
        .toJavaRDD()
        .map(InternalRow::copy)
        .collect();
  }

  /** The cells of about one in {@code skip} blocks, of {@code parts} along each dimension. */
  private Dataset<Row> blocks(long parts, long skip) {
    List<Column> blocks = new ArrayList<>();
    for (int d = 0; d < lengths.length; d++) {
      long length = Math.max(1, lengths[d] / parts);
      blocks.add(functions.floor(cells.col(quoted(input.dimensions().get(d))).divide(length)));
    }
    Column hash = functions.hash(blocks.toArray(Column[]::new));
    return cells.where(functions.pmod(hash, functions.lit((int) skip)).equalTo(0));
  }
}
