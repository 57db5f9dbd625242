package io.arraymorph.spark.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.SparseTensor;
import io.arraymorph.testing.SparkSessions;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** The sample by which layouts are chosen is bounded, wherever the cells lie. */
class CellSurveyTest {
  @Test
  void a_sample_of_cells_that_lie_close_together_is_bounded_and_not_empty() {
    long cells = 3_000_000;
    Dataset<Row> rows =
        SparkSessions.shared()
            .range(cells)
            .selectExpr(
                "IF(id = 0, 4000000L, id DIV 1500) AS a",
                "IF(id = 0, 4000000L, id % 1500) AS b",
                "CAST(id AS INT) AS v");
    TensorInput input = TensorInput.of(rows.schema(), Optional.empty());
    CellSurvey survey = new CellSurvey(rows, input);
    assertThat(survey.shape()).isEqualTo(Shape.of(4_000_001, 4_000_001));
    DataType type = new DataType.Int(32, true);
    SparseTensor sample =
        survey.sample(
            new ArraySchema(
                type,
                survey.shape(),
                List.of("a", "b"),
                new FixedWidthElements(type, Shape.of(), new byte[4], 0)));
    assertThat(sample.count()).isBetween(10_000, CellSurvey.MOST_SAMPLE);
  }
}
