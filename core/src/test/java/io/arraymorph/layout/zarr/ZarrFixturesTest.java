package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.codec.CodecException;
import io.arraymorph.store.LocalObjectStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
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

  static Stream<Fixture> values() {
    return arrays().filter(f -> f.expected().equals("value"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("values")
  void readsAnyHyperslabThroughItsAddressing(Fixture fixture) {
    ZarrArray array = ZarrNodes.openArray(fixture.location(STORE));
    Hyperslab box = fixture.selection(array.schema().shape());
    Elements all = ChunkLoop.read(array, box, ChunkLoop.WHOLE);
    PartialDecoder partial = new PartialDecoder();
    assertSame(ChunkLoop.read(array, box, partial), all);
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20; i++) {
      Hyperslab part = randomHyperslab(random, box.counts());
      assertThat(ChunkLoop.read(array, part, partial))
          .as("%s of %s, seed %d", part, fixture, seed)
          .satisfies(e -> assertSame(e, HyperslabCopy.pack(all, part)));
    }
    String codecs = array.codecNames().toString();
    if (codecs.equals("[bytes]") || codecs.equals("[transpose, bytes]")) {
      assertThat(partial.fixedParts > 0)
          .isEqualTo(!all.shape().isEmpty() && !fixture.name().equals("v3/fill/all_missing"));
    } else if (codecs.equals("[sharding_indexed]")) {
      assertThat(partial.innerChunks).isPositive();
    }
  }

  private static Hyperslab randomHyperslab(Random random, Shape shape) {
    IndexRange[] ranges = new IndexRange[shape.rank()];
    for (int d = 0; d < ranges.length; d++) {
      long length = shape.length(d);
      long start = length == 0 ? 0 : random.nextInt((int) length);
      long stop = length == 0 ? 0 : start + 1 + random.nextInt((int) (length - start));
      ranges[d] = new IndexRange(start, stop, 1 + random.nextInt(3));
    }
    return Hyperslab.of(ranges);
  }

  private static void assertSame(Elements actual, Elements expected) {
    assertThat(actual.shape()).isEqualTo(expected.shape());
    assertThat(actual.type()).isEqualTo(expected.type());
    assertThat(bytes(actual)).containsExactlyElementsOf(bytes(expected));
  }

  private static List<byte[]> bytes(Elements elements) {
    if (elements instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) elements;
      int end = fixed.offset() + (int) fixed.byteSize();
      return List.of(Arrays.copyOfRange(fixed.bytes(), fixed.offset(), end));
    }
    VariableWidthElements variable = (VariableWidthElements) elements;
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < variable.count(); i++) {
      values.add(
          Arrays.copyOfRange(variable.bytes(), variable.offsets()[i], variable.offsets()[i + 1]));
    }
    return values;
  }
}
