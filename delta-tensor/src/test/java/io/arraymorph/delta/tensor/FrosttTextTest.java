package io.arraymorph.delta.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Shape;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FrosttTextTest {

  private static SparseTensor read(String text, Optional<Shape> shape) throws IOException {
    return FrosttText.read(
        new BufferedReader(new StringReader(text)), shape, DuplicatePolicy.ERROR);
  }

  @Test
  void reads_cells_from_1_past_comments_in_any_order() throws IOException {
    SparseTensor tensor = read("# trips\n2 3 4.5\n\n1 1 -2 # last\n", Optional.empty());
    assertThat(tensor.schema().shape()).isEqualTo(Shape.of(2, 3));
    StringWriter out = new StringWriter();
    FrosttText.write(tensor, false, out);
    assertThat(out.toString()).isEqualTo("1 1 -2.0\n2 3 4.5\n");
  }

  @Test
  void brings_back_what_it_wrote_with_either_header() throws IOException {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      DataType type = new DataType.Float(FloatFormat.FLOAT64);
      ArraySchema schema = RandomTensors.schema(type, new Random(0), 7, 1L << 33, 5);
      SparseTensor tensor =
          SparseTensor.of(
              schema,
              RandomTensors.cells(schema, 40, random),
              DuplicatePolicy.ERROR,
              FillPolicy.KEEP);
      for (boolean extended : new boolean[] {false, true}) {
        StringWriter out = new StringWriter();
        FrosttText.write(tensor, extended, out);
        Optional<Shape> shape = extended ? Optional.empty() : Optional.of(schema.shape());
        SparseTensor back = read(out.toString(), shape);
        assertThat(back.schema().shape()).as("seed " + seed).isEqualTo(schema.shape());
        assertThat(back.columns()).as("seed " + seed).isDeepEqualTo(tensor.columns());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1 2 3\n1 2\n", "1 x 3\n", "1 2 y\n"})
  void names_the_line_that_does_not_parse(String text) {
    assertThatThrownBy(() -> read(text, Optional.empty()))
        .hasMessageContaining("[ARRAYMORPH_METADATA_INVALID] line ");
  }

  @Test
  void reads_numbers_as_other_languages_write_them() throws IOException {
    SparseTensor tensor =
        read("1 nan\n2 -inf\n3 Infinity\n4 +INF\n5 1e3\n6 NaN\n", Optional.empty());
    StringWriter out = new StringWriter();
    FrosttText.write(tensor, false, out);
    assertThat(out.toString())
        .isEqualTo("1 NaN\n2 -Infinity\n3 Infinity\n4 Infinity\n5 1000.0\n6 NaN\n");
  }

  @Test
  void no_cells_have_a_shape_only_if_it_is_given() throws IOException {
    assertThat(read("# none\n", Optional.of(Shape.of(2, 0))).schema().shape())
        .isEqualTo(Shape.of(2, 0));
    assertThatThrownBy(() -> read("# none\n", Optional.empty()))
        .hasMessageContaining("[ARRAYMORPH_METADATA_INVALID]")
        .hasMessageContaining("give the shape");
  }

  @Test
  void refuses_indices_below_1_and_beyond_the_shape() {
    assertThatThrownBy(() -> read("0 1 5\n", Optional.empty()))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS] line 1 of")
        .hasMessageContaining("count from 1");
    assertThatThrownBy(() -> read("4 1 5\n", Optional.of(Shape.of(3, 3))))
        .hasMessageContaining("[ARRAYMORPH_OUT_OF_BOUNDS]");
  }
}
