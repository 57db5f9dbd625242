package io.arraymorph.delta.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Shape;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorSliceTest {
  private static final Shape TEN = Shape.of(10);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2:5|2 3 4",
        ":|0 1 2 3 4 5 6 7 8 9",
        "::-1|9 8 7 6 5 4 3 2 1 0",
        "-3:|7 8 9",
        "8:100|8 9",
        "7:3|''",
        "7:3:-2|7 5",
        "-1:-20:-4|9 5 1",
        "100::-3|9 6 3 0",
        ":0:-1|9 8 7 6 5 4 3 2 1",
        "-100:2|0 1",
        "[3,-1,3,0]|3 9 3 0",
        "[]|''",
        "1::3|1 4 7"
      })
  void takes_the_indices_that_numpy_takes(String text, String expected) {
    AxisSlice axis = TensorSlice.parse(text, TEN).axes().get(0);
    String taken =
        String.join(
            " ", LongStream.range(0, axis.count()).mapToObj(p -> "" + axis.index(p)).toList());
    assertThat(taken).isEqualTo(expected);
    for (long p = 0; p < axis.count(); p++) {
      long index = axis.index(p);
      long position = p;
      assertThat(
              LongStream.range(0, axis.occurrences(index)).map(n -> axis.position(index, (int) n)))
          .contains(position);
    }
    for (long low = 0; low < 10; low++) {
      for (long high = low; high < 10; high++) {
        long taking =
            LongStream.rangeClosed(low, high).filter(i -> axis.occurrences(i) > 0).count();
        assertThat(axis.containsAny(low, high)).as(low + ".." + high).isEqualTo(taking > 0);
        assertThat(axis.containsAll(low, high))
            .as(low + ".." + high)
            .isEqualTo(taking == high - low + 1);
      }
    }
  }

  @Test
  void single_indices_vanish_and_an_ellipsis_fills_up() {
    Shape shape = Shape.of(3, 4, 5, 6);
    assertThat(TensorSlice.parse("-1, ..., 2:4", shape).resultShape()).isEqualTo(Shape.of(4, 5, 2));
    assertThat(TensorSlice.parse("1", shape).resultShape()).isEqualTo(Shape.of(4, 5, 6));
    assertThat(TensorSlice.parse("", Shape.of()).resultShape()).isEqualTo(Shape.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "10|OUT_OF_BOUNDS",
        "[-11]|OUT_OF_BOUNDS",
        "1,2|INVALID_SLICE",
        "a:b|INVALID_SLICE",
        "::0|INVALID_SLICE",
        "1:2:3:4|INVALID_SLICE",
        "[1|INVALID_SLICE",
        "...,...|INVALID_SLICE"
      })
  void refuses_what_is_not_a_slice(String text, String code) {
    assertThatThrownBy(() -> TensorSlice.parse(text, TEN))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("ARRAYMORPH_" + code);
  }
}
