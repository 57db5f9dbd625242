package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.store.LocalObjectStore;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every array of the fixtures reads as its index says: these values bit by bit, or an error. */
class ZarrFixturesTest {
  private static final LocalObjectStore STORE = new LocalObjectStore(Fixture.ROOT);

  @AfterAll
  static void close() {
    STORE.close();
  }

  static Stream<Fixture> arrays() {
    return Fixture.all().stream().filter(Fixture::isArray);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("arrays")
  void readsWhatTheIndexSays(Fixture fixture) {
    Elements elements;
    try {
      ZarrArray array = ZarrNodes.openArray(fixture.location(STORE));
      Hyperslab box = fixture.selection(array.schema().shape());
      elements = ChunkLoop.read(array, box, ChunkLoop.WHOLE);
    } catch (ArrayMorphException | CodecException | ArithmeticException e) {
      if (fixture.expected().equals("value")) {
        throw e;
      }
      return;
    }
    if (fixture.expected().equals("error")) {
      fail("read %s without an error", elements.shape());
    } else if (fixture.entry().has("expected_file")) {
      assertThat(ExpectedValues.difference(fixture, elements)).isNull();
    }
  }
}
