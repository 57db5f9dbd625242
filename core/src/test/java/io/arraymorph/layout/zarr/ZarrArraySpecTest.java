package io.arraymorph.layout.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.array.TimeUnit64;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZarrArraySpecTest {
  private static final List<DataType> TYPES =
      List.of(
          new DataType.Bool(),
          new DataType.Int(8, true),
          new DataType.Int(16, false),
          new DataType.Int(32, true),
          new DataType.Int(64, true),
          new DataType.Int(64, false),
          new DataType.Float(FloatFormat.FLOAT16),
          new DataType.Float(FloatFormat.BFLOAT16),
          new DataType.Float(FloatFormat.FLOAT32),
          new DataType.Float(FloatFormat.FLOAT64),
          new DataType.Complex(FloatFormat.FLOAT32),
          new DataType.RawBytes(3),
          new DataType.NullTerminatedBytes(5),
          new DataType.DateTime64(TimeUnit64.MICROSECOND, 1),
          new DataType.TimeDelta64(TimeUnit64.SECOND, 10),
          new DataType.Struct(
              List.of(
                  new DataType.Struct.Field("id", new DataType.Int(32, true)),
                  new DataType.Struct.Field("x", new DataType.Float(FloatFormat.FLOAT64)))),
          new DataType.VariableString(),
          new DataType.VariableBytes());

  private static final List<String> COMPRESSIONS =
      List.of(
          "none",
          "zstd",
          "zstd:5",
          "zstd:-3",
          "gzip",
          "gzip:9",
          "blosc:lz4:shuffle",
          "blosc:lz4:noshuffle",
          "blosc:zstd:shuffle:3",
          "blosc:zlib:shuffle",
          "blosc:lz4:shuffle:0");

  private final MemoryObjectStore store = new MemoryObjectStore("specs");

  @AfterEach
  void close() {
    store.close();
  }

  private static ZarrArraySpec spec(Random random) {
    DataType type = TYPES.get(random.nextInt(TYPES.size()));
    int rank = random.nextInt(4);
    long[] shape = new long[rank];
    long[] chunk = new long[rank];
    long[] shard = new long[rank];
    List<String> names = new ArrayList<>();
    for (int d = 0; d < rank; d++) {
      shape[d] = 1L + random.nextInt(40);
      chunk[d] = 1L + random.nextInt(7);
      shard[d] = chunk[d] * (1L + random.nextInt(3));
      names.add("d" + d);
    }
    return new ZarrArraySpec(
        type,
        Shape.of(shape),
        Shape.of(chunk),
        random.nextBoolean() ? Optional.of(Shape.of(shard)) : Optional.empty(),
        Compression.parse(COMPRESSIONS.get(random.nextInt(COMPRESSIONS.size()))),
        element(type, random, Shape.of()),
        names,
        MetadataJson.object().put("units", "K"));
  }

  private static Elements element(DataType type, Random random, Shape shape) {
    int count = (int) shape.elementCount();
    if (!type.isFixedWidth()) {
      int[] offsets = new int[count + 1];
      for (int i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + random.nextInt(5);
      }
      byte[] bytes = new byte[offsets[count]];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) ('a' + random.nextInt(26));
      }
      return new VariableWidthElements(type, shape, offsets, bytes);
    }
    byte[] bytes = new byte[count * type.byteWidth()];
    boolean smooth = random.nextBoolean();
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (smooth ? i / 7 : random.nextInt());
      if (type instanceof DataType.Bool) {
        bytes[i] &= 1;
      }
    }
    return new FixedWidthElements(type, shape, bytes, 0);
  }

  @Test
  void writesWhatItReads() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 400; i++) {
      ZarrArraySpec spec = spec(random);
      String what = "round " + i + " of seed " + seed + ": " + spec;
      StorePath path = new StorePath(store, "a" + i);
      store
          .put(path.key() + "/zarr.json", ByteBuffer.wrap(spec.toJson()), WriteCondition.NONE)
          .join();
      ZarrArray array = ZarrNodes.openArray(path);
      assertThat(array.schema().dataType()).as(what).isEqualTo(spec.dataType());
      assertThat(array.schema().shape()).as(what).isEqualTo(spec.shape());
      assertThat(array.schema().dimensionNames()).as(what).isEqualTo(spec.dimensionNames());
      assertThat(array.readChunkShape()).as(what).isEqualTo(spec.chunkShape());
      assertThat(array.compressionText())
          .as(what)
          .isEqualTo(spec.compression().toString().replaceAll("(blosc:[^:]*:[^:]*):.*", "$1"));
      assertThat(FillElements.isFill(array.schema().fill(), spec.fill())).as(what).isTrue();
      roundTrip(array, spec, random, what);
    }
  }

  private static void roundTrip(ZarrArray array, ZarrArraySpec spec, Random random, String what) {
    Shape shape = spec.shardShape().orElse(spec.chunkShape());
    CodecPipeline pipeline = array.pipeline(shape);
    Elements chunk = element(spec.dataType(), random, shape);
    byte[] encoded = pipeline.encode(chunk);
    Elements decoded = pipeline.decode(ByteBuffer.wrap(encoded));
    assertThat(bytes(decoded)).as(what).isEqualTo(bytes(chunk));
    PartialDecoder partial = new PartialDecoder();
    Elements parts = partial.decode(array, shape, ByteBuffer.wrap(encoded), Hyperslab.all(shape));
    assertThat(bytes(parts)).as(what).isEqualTo(bytes(chunk));
    Elements blank = FillElements.of(array.schema(), shape);
    assertThat(FillElements.isFill(blank, spec.fill())).as(what).isTrue();
    byte[] encodedBlank = pipeline.encode(blank);
    assertThat(bytes(pipeline.decode(ByteBuffer.wrap(encodedBlank))))
        .as(what)
        .isEqualTo(bytes(blank));
    if (pipeline.addressing() instanceof Addressing.Sharded) {
      long index = ((Addressing.Sharded) pipeline.addressing()).indexBytes();
      assertThat(encodedBlank).as(what).hasSize((int) index); // no inner chunk is stored
    }
  }

  private static String bytes(Elements elements) {
    if (elements instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) elements;
      int end = fixed.offset() + (int) fixed.byteSize();
      return Arrays.toString(Arrays.copyOfRange(fixed.bytes(), fixed.offset(), end));
    }
    VariableWidthElements variable = (VariableWidthElements) elements;
    List<String> values = new ArrayList<>();
    for (int i = 0; i < variable.count(); i++) {
      values.add(
          new String(
              variable.bytes(),
              variable.offsets()[i],
              variable.offsets()[i + 1] - variable.offsets()[i],
              StandardCharsets.ISO_8859_1));
    }
    return values.toString();
  }

  @Test
  void readsCompressionTextsAndNamesThePossibleOnes() {
    assertThat(Compression.parse("ZSTD:5")).hasToString("zstd:5");
    assertThat(Compression.parse("zstd")).isEqualTo(Compression.ZSTD);
    assertThat(Compression.parse("blosc")).hasToString("blosc:lz4:shuffle");
    for (String text :
        List.of("", "zip", "zstd:x", "zstd:99", "gzip:10", "blosc:blosclz", "none:1")) {
      assertThatThrownBy(() -> Compression.parse(text))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageStartingWith("[ARRAYMORPH_INVALID_OPTION]")
          .hasMessageContaining("zstd:<level>");
    }
  }

  @Test
  void readsFillTexts() {
    DataType uint64 = new DataType.Int(64, false);
    Elements fill = ZarrArraySpec.parseFill("18446744073709551615", uint64);
    assertThat(bytes(fill)).isEqualTo(Arrays.toString(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1}));
    assertThat(bytes(ZarrArraySpec.parseFill("nan", new DataType.Float(FloatFormat.FLOAT32))))
        .isEqualTo(Arrays.toString(new byte[] {0, 0, (byte) 0xc0, 0x7f}));
    assertThat(bytes(ZarrArraySpec.parseFill("true", new DataType.Bool()))).isEqualTo("[1]");
    for (String text : List.of("1.5", "x", "", "1,\"w\":2", "300000000000")) {
      assertThatThrownBy(() -> ZarrArraySpec.parseFill(text, new DataType.Int(32, true)))
          .hasMessageStartingWith("[ARRAYMORPH_INVALID_OPTION]");
    }
  }

  @Test
  void keepsTheMetadataOfAllNodesInTheGroup() {
    ZarrArraySpec array = spec(new Random(7));
    ZarrGroupSpec group =
        ZarrGroupSpec.of(MetadataJson.object().put("title", "t"))
            .withGroup("deep", MetadataJson.object())
            .withArray("deep/x", array)
            .withArray("y", array);
    store.put("g/zarr.json", ByteBuffer.wrap(group.toJson()), WriteCondition.NONE).join();
    ZarrGroup opened = ZarrNodes.openGroup(new StorePath(store, "g"));
    assertThat(opened.isConsolidated()).isTrue();
    assertThat(opened.attributes().get("title").asText()).isEqualTo("t");
    assertThat(opened.childNames()).containsExactly("deep", "y");
    ZarrArray x = (ZarrArray) ((ZarrGroup) opened.child("deep")).child("x");
    assertThat(x.schema().shape()).isEqualTo(array.shape());
    assertThatThrownBy(() -> group.withArray("../x", array))
        .hasMessageStartingWith("[ARRAYMORPH_INVALID_OPTION]");
  }

  @Test
  void structsWithoutByteOrderAreLittleEndian() {
    String json =
        """
        {"zarr_format": 3, "node_type": "array", "shape": [2], "fill_value": "AAAA",
         "data_type": {"name": "structured",
           "configuration": {"fields": [["a", "int16"], ["b", "uint8"]]}},
         "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
         "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]}\
        """;
    StorePath path = new StorePath(store, "struct");
    store
        .put(
            "struct/zarr.json",
            ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8)),
            WriteCondition.NONE)
        .join();
    store
        .put("struct/c/0", ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5, 6}), WriteCondition.NONE)
        .join();
    ZarrArray array = ZarrNodes.openArray(path);
    FixedWidthElements read =
        (FixedWidthElements) ChunkLoop.read(array, Hyperslab.all(Shape.of(2)), ChunkLoop.WHOLE);
    assertThat(Arrays.copyOfRange(read.bytes(), read.offset(), read.offset() + 6))
        .containsExactly(1, 2, 3, 4, 5, 6);
  }
}
