package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.Dimension;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.types.StructType;

/**
 * A division of rows by the chunk grid along some dimensions: rows with equal values along them are
 * in one partition, so that Spark need not move rows to group or join by them.
 *
 * <p>The groups depend on grid, dimensions and parallelism alone, not on what is selected: two
 * arrays on one grid are divided alike.
 */
final class ChunkKeys {
  /** Groups for each task that the cluster runs at a time; more cost the scheduler too much. */
  private static final int GROUPS_PER_CORE = 16;

  private static final int FEWEST_GROUPS = 64;
  private static final int MOST_GROUPS = 4096;

  private final List<String> columns;
  private final List<ChunkFunction> functions;
  private final int[] dimensions;
  private final ChunkGrid groups;

  private ChunkKeys(
      List<String> columns, List<ChunkFunction> functions, int[] dimensions, ChunkGrid groups) {
    this.columns = columns;
    this.functions = functions;
    this.dimensions = dimensions;
    this.groups = groups;
  }

  /**
   * The division by those dimensions among the columns that are asked for which have several
   * chunks, one value a row and no value twice.
   *
   * @param floating false to leave out dimensions with floating point coordinates: Spark normalizes
   *     such join keys, and does not recognize them then
   */
  static Optional<ChunkKeys> of(
      ArrayTable table, StructType schema, int parallelism, boolean floating) {
    ChunkGrid stored = table.variables().get(0).array().grid();
    if (!(stored instanceof RegularChunkGrid)) {
      return Optional.empty();
    }
    Shape shape = table.shape();
    Shape chunk = ((RegularChunkGrid) stored).chunkShape();
    List<Integer> asked = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      Dimension dimension = table.dataset().dimensions().get(d);
      if (!table.packed().get(d)
          && shape.length(d) > chunk.length(d)
          && (floating || !ChunkFunction.isFloating(SparkTypes.of(dimension.type())))
          && List.of(schema.fieldNames()).contains(dimension.name())
          && ChunkFunctions.of(dimension, chunk.length(d)).isPresent()) {
        asked.add(d);
      }
    }
    if (asked.isEmpty()) {
      return Optional.empty();
    }
    long[] spans = spans(shape, chunk, asked, parallelism);
    List<String> columns = new ArrayList<>();
    List<ChunkFunction> functions = new ArrayList<>();
    for (int d : asked) {
      Dimension dimension = table.dataset().dimensions().get(d);
      columns.add(dimension.name());
      functions.add(ChunkFunctions.of(dimension, spans[d]).orElseThrow());
    }
    return Optional.of(
        new ChunkKeys(
            columns,
            functions,
            asked.stream().mapToInt(d -> d).toArray(),
            new RegularChunkGrid(shape, Shape.of(spans))));
  }

  /** Indices of a group along each dimension: chunks of those asked for, all of the others. */
  private static long[] spans(Shape shape, Shape chunk, List<Integer> asked, int parallelism) {
    long[] spans = new long[shape.rank()];
    for (int d = 0; d < spans.length; d++) {
      spans[d] = asked.contains(d) ? chunk.length(d) : Math.max(1, shape.length(d));
    }
    long most =
        Math.min(MOST_GROUPS, Math.max(FEWEST_GROUPS, (long) GROUPS_PER_CORE * parallelism));
    while (count(shape, spans) > most) {
      int finest = 0;
      for (int d = 1; d < spans.length; d++) {
        finest = groups(shape, spans, d) > groups(shape, spans, finest) ? d : finest;
      }
      spans[finest] = Math.multiplyExact(spans[finest], 2L);
    }
    return spans;
  }

  private static long groups(Shape shape, long[] spans, int d) {
    return Math.max(1, (shape.length(d) + spans[d] - 1) / spans[d]);
  }

  private static double count(Shape shape, long[] spans) {
    double count = 1;
    for (int d = 0; d < spans.length; d++) {
      count *= groups(shape, spans, d);
    }
    return count;
  }

  /** The division as Spark takes it: a function of each column. */
  Expression[] expressions() {
    Expression[] expressions = new Expression[functions.size()];
    for (int i = 0; i < expressions.length; i++) {
      expressions[i] =
          Expressions.apply(
              functions.get(i).name(),
              Expressions.column("`" + columns.get(i).replace("`", "``") + "`"));
    }
    return expressions;
  }

  /** One partition for each group that holds selected cells, in the order of the groups. */
  List<KeyedPartition> partitions(Selection cells, ChunkGrid units) {
    TreeMap<long[], ChunkCoordinates> touched = new TreeMap<>(Arrays::compare);
    for (OrthogonalSelection part : cells.parts()) {
      TouchedUnits found = new TouchedUnits(groups, part);
      for (long i = 0; i < found.count(); i++) {
        ChunkCoordinates group = found.unit(i);
        touched.put(key(group), group);
      }
    }
    PartitionPlanner planner = new PartitionPlanner(units, 1, Long.MAX_VALUE, 1);
    List<KeyedPartition> partitions = new ArrayList<>();
    touched.forEach(
        (key, group) -> {
          Selection inGroup = cells.clip(groups.chunkBox(group));
          planner
              .plan(inGroup)
              .forEach(partition -> partitions.add(new KeyedPartition(key, partition, inGroup)));
        });
    return partitions;
  }

  private long[] key(ChunkCoordinates group) {
    return Arrays.stream(dimensions).mapToLong(group::index).toArray();
  }
}
