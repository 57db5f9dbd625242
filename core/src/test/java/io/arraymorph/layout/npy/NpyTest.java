package io.arraymorph.layout.npy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NpyTest {
  @TempDir Path directory;

  private static final List<DataType> TYPES =
      List.of(
          new DataType.Bool(),
          new DataType.Int(8, true),
          new DataType.Int(64, false),
          new DataType.Float(FloatFormat.FLOAT16),
          new DataType.Float(FloatFormat.FLOAT64),
          new DataType.Complex(FloatFormat.FLOAT32),
          new DataType.RawBytes(3),
          new DataType.NullTerminatedBytes(5),
          new DataType.FixedLengthUtf32(2),
          new DataType.DateTime64(TimeUnit64.NANOSECOND, 1),
          new DataType.TimeDelta64(TimeUnit64.SECOND, 25));

  @Test
  void whatIsWrittenIsReadByBoxes() {
    Path file = directory.resolve("a.npy");
    for (long seed = 0; seed < 500; seed++) {
      Random random = new Random(seed);
      DataType type = TYPES.get(random.nextInt(TYPES.size()));
      Shape shape = RandomArrays.shape(random, 4, 7);
      byte[] bytes = new byte[(int) shape.elementCount() * type.byteWidth()];
      random.nextBytes(bytes);
      FixedWidthElements all = new FixedWidthElements(type, shape, bytes, 0);
      try (NpyWriter writer = NpyWriter.create(file, type, shape)) {
        writer.append(all);
        writer.publish();
      }
      try (NpyReader reader = NpyReader.open(file)) {
        assertThat(reader.header().npyType()).as("seed " + seed).isEqualTo(new NpyType(type, 1));
        assertThat(reader.header().shape()).as("seed " + seed).isEqualTo(shape);
        assertThat(reader.header().dataStart() % 64).isZero();
        Hyperslab box = RandomArrays.hyperslab(random, shape);
        FixedWidthElements expected = (FixedWidthElements) HyperslabCopy.pack(all, box);
        assertThat(reader.read(box).bytes())
            .as("seed " + seed + ": " + box)
            .isEqualTo(
                Arrays.copyOfRange(
                    expected.bytes(),
                    expected.offset(),
                    expected.offset() + (int) expected.byteSize()));
      }
    }
  }

  @Test
  void bigEndianNumbersAreTurned() throws IOException {
    Path file =
        file("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", 0, 0, 1, 2, 0, 0, 0, 9);
    try (NpyReader reader = NpyReader.open(file)) {
      FixedWidthElements elements = reader.read(Hyperslab.all(Shape.of(2)));
      assertThat(elements.bytes()).containsExactly(2, 1, 0, 0, 9, 0, 0, 0);
    }
  }

  @Test
  void anUnfinishedFileDoesNotAppear() throws IOException {
    Path file = directory.resolve("b.npy");
    try (NpyWriter writer = NpyWriter.create(file, new DataType.Bool(), Shape.of(7))) {
      assertThatThrownBy(writer::publish).hasMessageContaining("7 bytes were not written");
    }
    try (var files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void badFilesAreRefused() throws IOException {
    assertThatThrownBy(() -> NpyReader.open(directory.resolve("none.npy")))
        .hasMessageContaining("ARRAYMORPH_OBJECT_NOT_FOUND");
    Path text = Files.writeString(directory.resolve("t.npy"), "no numpy");
    assertThatThrownBy(() -> NpyReader.open(text)).hasMessageContaining("METADATA_INVALID");
    assertRefused("{'descr': 'O', 'fortran_order': False, 'shape': (2,), }", "UNSUPPORTED_TYPE");
    assertRefused("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", "ascontiguous");
    assertRefused("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", "needs more");
    assertRefused("{'descr': '<f8', 'shape': (2, 2), }", "does not parse");
    assertRefused(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 9), }",
        "impossible shape");
  }

  private void assertRefused(String header, String message) throws IOException {
    Path file = file(header, 1, 2, 3);
    assertThatThrownBy(() -> NpyReader.open(file)).hasMessageContaining(message);
  }

  private Path file(String header, int... data) throws IOException {
    byte[] text = (header + "\n").getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(10 + text.length + data.length);
    bytes.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) text.length, 0});
    bytes.put(text);
    for (int b : data) {
      bytes.put((byte) b);
    }
    return Files.write(directory.resolve("x.npy"), bytes.array());
  }
}
