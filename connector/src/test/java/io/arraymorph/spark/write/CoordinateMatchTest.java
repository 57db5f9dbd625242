package io.arraymorph.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class CoordinateMatchTest {
  @Test
  void whatFollowsIsAddedInTheOrderThatThereIs() {
    assertThat(match(List.of(1L, 2L), List.of(3L, 5L)).added()).containsExactly(3L, 5L);
    assertThat(match(List.of(9.0, 7.5), List.of(1.0, 2.0)).added()).containsExactly(2.0, 1.0);
    assertThat(match(List.of(), List.of("a", "b")).added()).containsExactly("a", "b");
    assertThat(match(List.of(3L, 1L, 2L), List.of(0L, 7L)).added()).containsExactly(0L, 7L);
    assertThat(match(List.of(1L), List.of()).added()).isEmpty();
  }

  @Test
  void whatExistsOrLiesBeforeIsRefused() {
    assertThatThrownBy(() -> match(List.of(1L, 2L), List.of(2L, 3L)).added())
        .hasMessageContaining("ARRAYMORPH_OUT_OF_BOUNDS")
        .hasMessageContaining("coordinate 2");
    assertThatThrownBy(() -> match(List.of(10L, 20L), List.of(15L)).added())
        .hasMessageContaining("does not follow the last, 20");
    assertThatThrownBy(() -> match(List.of(2.0, 1.0), List.of(3.0)).added())
        .hasMessageContaining("does not follow");
  }

  @Test
  void tensorsMustNotSkipCoordinates() {
    List<Object> known = List.of(1L, 2L, 3L, 4L);
    new CoordinateMatch("x", known, List.of(2L, 3L), true).requireKnown();
    assertThatThrownBy(() -> new CoordinateMatch("x", known, List.of(1L, 3L), true).requireKnown())
        .hasMessageContaining("not consecutive");
    new CoordinateMatch("x", known, List.of(1L, 3L), false).requireKnown();
    assertThatThrownBy(() -> match(known, List.of(5L)).requireKnown())
        .hasMessageContaining("coordinate 5");
  }

  private static CoordinateMatch match(List<Object> known, List<Object> found) {
    return new CoordinateMatch("x", known, found, false);
  }
}
