package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts that need no decoding are read from files into the memory of who takes them. */
class StoredPartTest {
  @TempDir Path directory;
  private LocalObjectStore store;
  private HyperslabReader reader;

  @BeforeEach
  void open() {
    store = new LocalObjectStore(directory);
    reader = new HyperslabReader(ReadSettings.DEFAULT);
  }

  @AfterEach
  void close() {
    reader.close();
    store.close();
  }

  /** Puts all parts together, and counts those elements that came from where they are stored. */
  private static final class Taker implements PartSink {
    private final DataType type;
    private final ElementsAssembly assembly;
    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong decoded = new AtomicLong();

    Taker(DataType type, Shape shape) {
      this.type = type;
      this.assembly = ElementsAssembly.of(type, shape);
    }

    @Override
    public void accept(Elements packed, Hyperslab at) {
      decoded.addAndGet(at.elementCount());
      assembly.place(
          packed instanceof FixedWidthElements
              ? HyperslabCopy.pack(packed, Hyperslab.all(packed.shape()))
              : packed,
          at);
    }

    @Override
    public Optional<StoredSink> ofStored() {
      return Optional.of(this::acceptStored);
    }

    private void acceptStored(StoredSink.StoredBytes bytes, Hyperslab at) {
      stored.addAndGet(at.elementCount());
      byte[] memory = new byte[Math.toIntExact(at.elementCount() * type.byteWidth())];
      int half = memory.length / 2;
      bytes.read(half, ByteBuffer.wrap(memory, half, memory.length - half));
      bytes.read(0, ByteBuffer.wrap(memory, 0, half));
      assembly.place(new FixedWidthElements(type, at.counts(), memory, 0), at);
    }
  }

  @Test
  void partsThatAreReadWhereTheyLieEqualSlicesInMemory() {
    long stored = 0;
    long decoded = 0;
    for (long seed = 0; seed < 600; seed++) {
      Random random = new Random(seed);
      RandomZarr zarr = RandomZarr.store(random, new StorePath(store, "a" + seed));
      DataType type = zarr.array().schema().dataType();
      Hyperslab slab = RandomArrays.hyperslab(random, zarr.array().schema().shape());
      Taker taker = new Taker(type, slab.counts());
      read(zarr.array(), slab, taker);
      assertThat(RandomZarr.comparable(taker.assembly.finish()))
          .as("seed " + seed + ": " + zarr.metadata() + ", request " + slab)
          .isEqualTo(RandomZarr.comparable(HyperslabCopy.pack(zarr.content(), slab)));
      assertThat(taker.stored.get() + taker.decoded.get()).isEqualTo(slab.elementCount());
      stored += taker.stored.get();
      decoded += taker.decoded.get();
    }
    assertThat(stored).isPositive();
    assertThat(decoded).isPositive();
  }

  private void read(ZarrArray array, Hyperslab slab, PartSink sink) {
    ReadRequest request = new ReadRequest(array, slab, Optional.of(sink));
    try (ElementStream stream = reader.stream(List.of(request).iterator())) {
      assertThat(stream.next().count()).isZero();
    }
  }

  private ZarrArray raw(Shape shape, Shape chunk) {
    return HyperslabReaderTest.store(
        new StorePath(store, "raw"), shape, chunk, null, Compression.NONE);
  }

  @Test
  void onlyTheBytesOfTheSelectionAreReadAndCounted() {
    ZarrArray array = raw(Shape.of(6, 10), Shape.of(4, 10));
    Taker taker = new Taker(array.schema().dataType(), Shape.of(3, 10));
    read(array, Hyperslab.of(IndexRange.of(2, 5), IndexRange.of(0, 10)), taker);
    assertThat(taker.stored).hasValue(30);
    assertThat(reader.metrics().requests()).isEqualTo(2);
    assertThat(reader.metrics().bytesRead()).isEqualTo(3 * 10 * 4);
    assertThat(reader.metrics().chunks()).isEqualTo(2);
  }

  @Test
  void shortRunsAreReadWithWhatIsBetweenThem() {
    ZarrArray array = raw(Shape.of(6, 40), Shape.of(4, 40));
    Taker taker = new Taker(array.schema().dataType(), Shape.of(4, 20));
    read(array, Hyperslab.of(IndexRange.of(1, 5), IndexRange.of(10, 30)), taker);
    assertThat(taker.stored).hasValue(80);
    assertThat(reader.metrics().requests()).isEqualTo(2);
    // Of the first chunk from the middle of its second run on, then all up to there.
    assertThat(reader.metrics().bytesRead()).isEqualTo((50 + 50 + 20) * 4);
  }

  @Test
  void singleElementsArePackedByDecoding() {
    ZarrArray array = raw(Shape.of(6, 40), Shape.of(4, 40));
    Taker taker = new Taker(array.schema().dataType(), Shape.of(6, 20));
    read(array, Hyperslab.of(IndexRange.of(0, 6), new IndexRange(0, 40, 2)), taker);
    assertThat(taker.stored).hasValue(0);
    assertThat(taker.decoded).hasValue(120);
  }

  @Test
  void absentChunksAreFilledOrRefused() throws IOException {
    ZarrArray array = raw(Shape.of(4, 4), Shape.of(2, 4));
    Files.delete(directory.resolve("raw/c/1/0"));
    Taker taker = new Taker(array.schema().dataType(), Shape.of(4, 4));
    Hyperslab all = Hyperslab.all(array.schema().shape());
    read(array, all, taker);
    assertThat(taker.stored).hasValue(8);
    ByteBuffer filled = ByteBuffer.wrap(((FixedWidthElements) taker.assembly.finish()).bytes());
    assertThat(filled.getInt(15 * 4)).isEqualTo(-1);
    try (HyperslabReader strict =
        new HyperslabReader(ReadSettings.DEFAULT.withMissing(MissingChunk.ERROR))) {
      ReadRequest request =
          new ReadRequest(
              array, all, Optional.of(new Taker(array.schema().dataType(), Shape.of(4, 4))));
      try (ElementStream stream = strict.stream(List.of(request).iterator())) {
        assertThatThrownBy(stream::next).hasMessageContaining("chunk c/1/0");
      }
    }
  }

  @Test
  void chunksOfTheWrongLengthAreCorrupt() throws IOException {
    ZarrArray array = raw(Shape.of(4, 4), Shape.of(2, 4));
    Files.write(directory.resolve("raw/c/1/0"), new byte[31]);
    Taker taker = new Taker(array.schema().dataType(), Shape.of(4, 4));
    assertThatThrownBy(() -> read(array, Hyperslab.all(array.schema().shape()), taker))
        .isInstanceOfSatisfying(
            ArrayMorphException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CHUNK_CORRUPT))
        .hasMessageContaining("31 bytes");
  }

  @Test
  void aChunkThatIsReplacedWhileItIsReadFailsTheRead() {
    ZarrArray array = raw(Shape.of(2, 4), Shape.of(2, 4));
    PartSink late =
        new PartSink() {
          @Override
          public void accept(Elements packed, Hyperslab at) {
            throw new AssertionError("decoded");
          }

          @Override
          public Optional<StoredSink> ofStored() {
            return Optional.of(
                (bytes, at) -> {
                  bytes.read(0, ByteBuffer.allocate(16));
                  replace(directory.resolve("raw/c/0/0"));
                  bytes.read(16, ByteBuffer.allocate(16));
                });
          }
        };
    assertThatThrownBy(() -> read(array, Hyperslab.all(array.schema().shape()), late))
        .isInstanceOfSatisfying(
            ArrayMorphException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.OBJECT_CHANGED));
  }

  private static void replace(Path chunk) {
    try {
      Path other = chunk.resolveSibling("other");
      Files.write(other, new byte[32]);
      Files.move(other, chunk, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
