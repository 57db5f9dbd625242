package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.LittleEndianBytes;
import io.arraymorph.layout.column.Validity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopRowsTest {

  /** Small whole numbers, NaN or NULL as a column along a dimension. */
  private static OutputColumn.Along column(int dimension, Double... values) {
    byte[] bytes = new byte[8 * values.length];
    byte[] valid = Validity.allSet(values.length);
    for (int i = 0; i < values.length; i++) {
      LittleEndianBytes.putDouble(bytes, 8 * i, values[i] == null ? 0 : values[i]);
      if (values[i] == null) {
        valid[i >> 3] &= (byte) ~(1 << (i & 7));
      }
    }
    return OutputColumn.Along.values(
        dimension,
        DecodedColumn.fixed(
            Scalar.DOUBLE, values.length, bytes, 0, Validity.of(valid, values.length)));
  }

  private static Double[] values(Random random, int length) {
    int kind = random.nextInt(3);
    return IntStream.range(0, length)
        .mapToObj(
            i ->
                kind == 0
                    ? (Double) Math.floor(i / 2.0)
                    : kind == 1
                        ? (Double) (3.0 - i)
                        : random.nextInt(5) == 0
                            ? null
                            : (Double) (random.nextInt(5) == 0 ? Double.NaN : random.nextInt(4)))
        .toArray(Double[]::new);
  }

  private static Comparator<Double> order(TopRows.Key key) {
    Comparator<Double> ofValues = Comparator.naturalOrder();
    Comparator<Double> directed = key.ascending() ? ofValues : ofValues.reversed();
    return key.nullsFirst() ? Comparator.nullsFirst(directed) : Comparator.nullsLast(directed);
  }

  private static Selection random(Random random, Shape shape) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    for (int p = 1 + random.nextInt(3); p > 0; p--) {
      OrthogonalSelection part = OrthogonalSelection.all(shape);
      for (int d = 0; d < shape.rank(); d++) {
        long length = shape.length(d);
        IndexSet some =
            IndexSet.ofIndices(
                random.longs(0, length).limit(1 + random.nextInt((int) length)).toArray());
        part = part.with(d, some);
      }
      parts.add(part);
    }
    return Selection.of(shape.rank(), parts);
  }

  private static List<long[]> cells(Selection selection) {
    List<long[]> cells = new ArrayList<>();
    for (OrthogonalSelection part : selection.parts()) {
      add(cells, part, new long[part.rank()], 0);
    }
    return cells;
  }

  private static void add(List<long[]> cells, OrthogonalSelection part, long[] at, int d) {
    if (d == at.length) {
      cells.add(at.clone());
      return;
    }
    IndexRanks ranks = new IndexRanks(part.indices(d));
    for (long r = 0; r < ranks.count(); r++) {
      at[d] = ranks.at(r);
      add(cells, part, at, d + 1);
    }
  }

  @Test
  void theFirstRowsOfTheWholeAreAmongTheCellsKept() {
    for (long seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      int rank = 1 + random.nextInt(3);
      Shape shape = Shape.of(random.longs(rank, 1, 7).toArray());
      List<TopRows.Key> keys = new ArrayList<>();
      Comparator<long[]> comparator = Comparator.comparing(cell -> 0);
      for (int k = random.nextInt(3); k >= 0; k--) {
        int d = random.nextInt(rank);
        Double[] values = values(random, (int) shape.length(d));
        TopRows.Key key =
            new TopRows.Key(column(d, values), random.nextBoolean(), random.nextBoolean());
        keys.add(key);
        comparator = comparator.thenComparing(cell -> values[(int) cell[d]], order(key));
      }
      List<Boolean> packed = IntStream.range(0, rank).mapToObj(d -> false).toList();
      Selection all = random(random, shape);
      int rows = 1 + random.nextInt(12);
      Optional<Selection> found = new TopRows(keys, packed).of(all, rows);
      String what = "seed " + seed + " shape " + shape + " of " + all + " first " + rows;
      assertThat(found).as(what).isPresent();
      List<long[]> every = cells(all);
      List<long[]> kept = cells(found.get());
      assertThat(found.get().minus(all).isEmpty()).as(what).isTrue();
      assertThat(kept.size()).as(what).isGreaterThanOrEqualTo(Math.min(rows, every.size()));
      every.sort(comparator);
      kept.sort(comparator);
      for (int i = 0; i < Math.min(rows, every.size()); i++) {
        assertThat(comparator.compare(kept.get(i), every.get(i))).as(what + " row " + i).isZero();
      }
      assertThat(kept.size()).as(what + " keeps few").isLessThanOrEqualTo(rows + 12);
    }
  }

  @Test
  void anOrderAlongAPackedDimensionIsLeftToSpark() {
    TopRows.Key key = new TopRows.Key(OutputColumn.Along.index(0), true, true);
    Selection all = Selection.all(Shape.of(10, 10));
    assertThat(new TopRows(List.of(key), List.of(true, false)).of(all, 3)).isEmpty();
    assertThat(new TopRows(List.of(key), List.of(false, true)).of(all, 3))
        .contains(Selection.of(OrthogonalSelection.all(Shape.of(10, 10)).with(0, IndexSet.all(3))));
  }
}
