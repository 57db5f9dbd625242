package io.arraymorph.layout.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Selection;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Slice texts at random: against brute force, and broken ones. */
class SlicePropertiesTest {

  @Test
  void selectsAsBruteForceOverRandomBoxes() {
    long seed = System.nanoTime();
    System.out.println("SlicePropertiesTest seed " + seed);
    Random random = new Random(seed);
    for (int run = 0; run < 400; run++) {
      int rank = 1 + random.nextInt(3);
      MemoryTables tables = new MemoryTables();
      double[][] values = new double[rank][];
      boolean[] descending = new boolean[rank];
      for (int d = 0; d < rank; d++) {
        int length = random.nextInt(7);
        int kind = random.nextInt(4);
        double[] numbers = random.ints(length, -4, 5).mapToDouble(i -> i / 2.0).sorted().toArray();
        if (kind == 1) {
          numbers =
              Arrays.stream(numbers)
                  .boxed()
                  .sorted(Comparator.reverseOrder())
                  .mapToDouble(x -> x)
                  .toArray();
        } else if (kind == 2) {
          numbers = random.ints(length, -4, 5).mapToDouble(i -> i / 2.0).toArray();
        } else if (kind == 3) {
          numbers = IntStream.range(0, length).asDoubleStream().toArray();
        }
        values[d] = numbers;
        descending[d] = isDescending(numbers);
        if (kind == 3) {
          tables.dimension("d" + d, length);
        } else {
          tables.doubles("d" + d, numbers);
        }
      }
      Dataset dataset = tables.dataset();
      List<String> boxes = new ArrayList<>();
      List<IntPredicate[]> expected = new ArrayList<>();
      for (int b = 1 + random.nextInt(3); b > 0; b--) {
        List<String> terms = new ArrayList<>();
        IntPredicate[] wanted = new IntPredicate[rank];
        for (int d = 0; d < rank; d++) {
          wanted[d] = i -> true;
          if (d == 0 || random.nextBoolean()) {
            terms.add(randomTerm(random, d, values[d], descending[d], wanted));
          }
        }
        boxes.add(String.join(" , ", terms));
        expected.add(wanted);
      }
      String text = String.join(";", boxes);
      Selection selection = SliceText.parse(text).toSelection(dataset.dimensions());
      long count = 0;
      long[] index = new long[rank];
      do {
        boolean inShape = dataset.shape().elementCount() > 0;
        boolean wanted =
            inShape
                && expected.stream()
                    .anyMatch(
                        box -> IntStream.range(0, rank).allMatch(d -> box[d].test((int) index[d])));
        long hits = 0;
        for (Hyperslab hyperslab : selection.hyperslabs()) {
          hits += hyperslab.contains(index) ? 1 : 0;
        }
        assertThat(hits)
            .as("%s of %s at %s", text, Arrays.deepToString(values), Arrays.toString(index))
            .isEqualTo(wanted ? 1 : 0);
        count += hits;
      } while (next(index, dataset));
      assertThat(selection.elementCount()).isEqualTo(count);
    }
  }

  private static boolean isDescending(double[] numbers) {
    boolean falls = false;
    for (int i = 1; i < numbers.length; i++) {
      if (numbers[i] > numbers[i - 1]) {
        return false;
      }
      falls |= numbers[i] < numbers[i - 1];
    }
    return falls;
  }

  private static boolean next(long[] index, Dataset dataset) {
    for (int d = index.length - 1; d >= 0; d--) {
      if (++index[d] < dataset.shape().length(d)) {
        return true;
      }
      index[d] = 0;
    }
    return false;
  }

  private static String randomTerm(
      Random random, int d, double[] values, boolean descending, IntPredicate[] wanted) {
    if (random.nextBoolean()) {
      int n = values.length;
      int start = random.nextInt(2 * n + 3) - n - 1;
      int stop = random.nextInt(2 * n + 3) - n - 1;
      int step = 1 + random.nextInt(3);
      int from = Math.max(0, Math.min(n, start < 0 ? start + n : start));
      int to = Math.max(0, Math.min(n, stop < 0 ? stop + n : stop));
      wanted[d] = i -> i >= from && i < to && (i - from) % step == 0;
      return "d" + d + "=@" + start + ":" + stop + (step == 1 ? "" : ":" + step);
    }
    double a = random.nextInt(11) / 2.0 - 2.5;
    double b = random.nextInt(11) / 2.0 - 2.5;
    boolean openLow = random.nextInt(5) == 0;
    boolean openHigh = random.nextInt(5) == 0;
    // In the order of the axis; along a descending one two ends may be given in either order.
    double least = descending ? b : a;
    double most = descending ? a : b;
    boolean openLeast = descending ? openHigh : openLow;
    boolean openMost = descending ? openLow : openHigh;
    boolean swap = descending && !openLow && !openHigh && least > most;
    double from = openLeast ? Double.NEGATIVE_INFINITY : swap ? most : least;
    double to = openMost ? Double.POSITIVE_INFINITY : swap ? least : most;
    wanted[d] = i -> values[i] >= from && values[i] <= to;
    return "d" + d + "=" + (openLow ? "" : text(a)) + ":" + (openHigh ? "" : text(b));
  }

  private static String text(double number) {
    return new BigDecimal(number).toPlainString();
  }

  @Test
  void whateverTheTextOnlyCodedErrorsCome() {
    long seed = System.nanoTime();
    System.out.println("SlicePropertiesTest texts seed " + seed);
    Random random = new Random(seed);
    ObjectNode since = MemoryTables.attributes().put("units", "days since 2000-01-01");
    Dataset dataset =
        new MemoryTables()
            .doubles("x", 3, 1, 2)
            .longs("time", since, 0, 31, 60)
            .texts("name", "a", "b")
            .dimension("n", 4)
            .dataset();
    String[] parts = {
      "x",
      "time",
      "name",
      "n",
      "=",
      "=",
      "@",
      ":",
      ":",
      ",",
      ";",
      "'",
      " ",
      "1",
      "2.5",
      "-1",
      "e5",
      "2000",
      "-01",
      "2000-02-01",
      "T00",
      ":00",
      "Z",
      "a",
      "nan",
      "inf",
      "\u0000",
      "99999999999999999999"
    };
    int parsed = 0;
    for (int run = 0; run < 20_000; run++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(9); n > 0; n--) {
        text.append(parts[random.nextInt(parts.length)]);
      }
      if (random.nextBoolean()) {
        text.insert(0, parts[random.nextInt(4)] + "=");
      }
      try {
        Selection selection = SliceText.parse(text.toString()).toSelection(dataset.dimensions());
        assertThat(selection.elementCount()).isBetween(0L, dataset.shape().elementCount());
        parsed++;
      } catch (ArrayMorphException e) {
        assertThat(e.code())
            .as("%s", text)
            .isIn(ErrorCode.INVALID_SLICE, ErrorCode.UNKNOWN_DIMENSION, ErrorCode.OUT_OF_BOUNDS);
      }
    }
    assertThat(parsed).isGreaterThan(200);
  }
}
