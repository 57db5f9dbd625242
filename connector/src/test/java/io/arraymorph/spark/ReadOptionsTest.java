package io.arraymorph.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadOptionsTest {
  private static ReadOptions parse(String... keysAndValues) {
    Map<String, String> options = new HashMap<>(Map.of("path", "s3a://b/a.zarr"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      options.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return ReadOptions.parse(options, Map.of());
  }

  @Test
  void defaultsAreThoseOfTheSurface() {
    ReadOptions options = parse();
    assertThat(options.array()).isEmpty();
    assertThat(options.rows()).isEqualTo(new RowMode.Tensors());
    assertThat(options.piece()).isEqualTo(new Piece.Chunk());
    assertThat(options.slice()).isEmpty();
    assertThat(options.decode()).isTrue();
    assertThat(options.missingIsError()).isFalse();
    assertThat(options.planner()).isEqualTo("auto");
    assertThat(options.phi()).isZero();
  }

  @Test
  void everyOptionIsParsed() {
    ReadOptions options =
        parse(
            "Array",
            "a, grp/b",
            "ROWS",
            "time,level",
            "piece",
            "1,512,512",
            "slice",
            "x=@0:4",
            "decode",
            "FALSE",
            "missing",
            "error",
            "planner",
            "merge",
            "phi",
            "2.5");
    assertThat(options.array()).containsExactly("a", "grp/b");
    assertThat(options.rows()).isEqualTo(new RowMode.Named(List.of("time", "level")));
    assertThat(options.piece()).isEqualTo(new Piece.Sizes(Shape.of(1, 512, 512)));
    assertThat(options.slice()).contains("x=@0:4");
    assertThat(options.decode()).isFalse();
    assertThat(options.missingIsError()).isTrue();
    assertThat(options.planner()).isEqualTo("merge");
    assertThat(options.phi()).isEqualTo(2.5);
  }

  @Test
  void sessionSettingsAreDefaultsOfOptions() {
    Map<String, String> session =
        Map.of(
            "spark.arraymorph.rows",
            "cells",
            "spark.arraymorph.decode",
            "false",
            "spark.arraymorph.path",
            "/elsewhere");
    ReadOptions options = ReadOptions.parse(Map.of("path", "/a", "decode", "true"), session);
    assertThat(options.rows()).isEqualTo(new RowMode.Cells());
    assertThat(options.decode()).isTrue();
    assertThat(options.uri()).isEqualTo("/a");
  }

  @ParameterizedTest
  @CsvSource({
    "rows, 'time,,lat'",
    "rows, 'time,time'",
    "piece, 'chunks'",
    "piece, '1,0'",
    "piece, '4,-1'",
    "decode, yes",
    "missing, null",
    "planner, fast",
    "phi, -1",
    "phi, NaN",
    "phi, cheap",
    "array, 'a,,b'",
    "versionAsOf, 3",
    "partition-bytes, 0"
  })
  void unknownValuesAreRefusedByName(String option, String value) {
    assertThatThrownBy(() -> parse(option, value))
        .isInstanceOfSatisfying(
            ArrayMorphException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_OPTION))
        .hasMessageContaining("option " + option)
        .hasMessageContaining("'" + value + "'");
  }

  @Test
  void aReadWithoutPathIsRefused() {
    assertThatThrownBy(() -> ReadOptions.parse(Map.of(), Map.of()))
        .isInstanceOfSatisfying(
            ArrayMorphException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_URI));
  }
}
