package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.ExpectedValues;
import io.arraymorph.layout.zarr.Fixture;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.FixedPlanner;
import io.arraymorph.optimizer.plan.GapPlanner;
import io.arraymorph.store.LocalObjectStore;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrays written by other programs, read with every access method. */
class ReaderFixturesTest {
  private static final LocalObjectStore STORE = new LocalObjectStore(Fixture.ROOT);
  private static final List<AccessPlanner> PLANNERS =
      List.of(
          GapPlanner.DEFAULT,
          new GapPlanner(2, 30, 3, 100, 40),
          FixedPlanner.GET,
          FixedPlanner.RANGE,
          FixedPlanner.MERGE);

  @AfterAll
  static void close() {
    STORE.close();
  }

  static Stream<Fixture> arrays() {
    return Fixture.all().stream().filter(Fixture::isArray);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("arrays")
  void everyPlannerReadsWhatTheIndexSays(Fixture fixture) {
    for (AccessPlanner planner : PLANNERS) {
      ReadSettings settings = ReadSettings.DEFAULT.withPlanner(planner);
      try (HyperslabReader reader = new HyperslabReader(settings)) {
        Elements elements;
        ZarrArray array;
        try {
          array = ZarrNodes.openArray(fixture.location(STORE));
          elements = reader.read(array, fixture.selection(array.schema().shape()));
        } catch (ArrayMorphException e) {
          if (fixture.expected().equals("value")) {
            throw e;
          }
          continue;
        }
        if (fixture.expected().equals("error")) {
          fail("planner %s read %s without an error", planner.label(), elements.shape());
        } else if (fixture.entry().has("expected_file")) {
          assertThat(ExpectedValues.difference(fixture, elements)).as(planner.label()).isNull();
        }
        readsParts(reader, array, fixture, elements);
      }
    }
  }

  private static void readsParts(
      HyperslabReader reader, ZarrArray array, Fixture fixture, Elements elements) {
    Shape shape = array.schema().shape();
    if (!fixture.selection(shape).covers(shape)) {
      return;
    }
    Random random = new Random(fixture.name().hashCode());
    for (int i = 0; i < 5; i++) {
      Hyperslab part = RandomArrays.hyperslab(random, shape);
      assertThat(RandomZarr.comparable(reader.read(array, part)))
          .as("%s of %s", part, fixture)
          .isEqualTo(RandomZarr.comparable(HyperslabCopy.pack(elements, part)));
    }
  }
}
