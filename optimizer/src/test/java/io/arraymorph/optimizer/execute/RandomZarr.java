package io.arraymorph.optimizer.execute;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelection;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.ElementsAssembly;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.HyperslabCopy;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.array.VariableWidthElements;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Zarr array of random shape, type, chunks and codecs, stored, with its content in memory. */
record RandomZarr(ZarrArray array, Elements content, String metadata) {
  private static final List<DataType> TYPES =
      List.of(
          new DataType.Int(8, false),
          new DataType.Int(16, true),
          new DataType.Int(32, true),
          new DataType.Float(FloatFormat.FLOAT64),
          new DataType.Complex(FloatFormat.FLOAT64),
          new DataType.VariableString());

  /** Stores a random array; some chunks are absent, with the fill value in memory. */
  static RandomZarr store(Random random, StorePath path) {
    DataType type = TYPES.get(random.nextInt(TYPES.size()));
    long[] lengths = new long[random.nextInt(4)];
    long[] inner = new long[lengths.length];
    long[] middle = new long[lengths.length];
    long[] outer = new long[lengths.length];
    for (int d = 0; d < lengths.length; d++) {
      lengths[d] = random.nextInt(12) == 0 ? 0 : 1 + random.nextInt(12);
      inner[d] = 1L + random.nextInt(4);
      middle[d] = inner[d] * (1 + random.nextInt(3));
      outer[d] = middle[d] * (1 + random.nextInt(3));
    }
    String codecs;
    switch (random.nextInt(4)) {
      case 0:
        codecs = shard(random, outer.length, middle, shard(random, 0, inner, chunk(random, type)));
        break;
      case 1:
        codecs = shard(random, outer.length, inner, chunk(random, type));
        break;
      default:
        codecs = transpose(random, outer.length) + chunk(random, type);
    }
    String metadata =
        "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":"
            + Arrays.toString(lengths)
            + ",\"data_type\":\""
            + type.zarrName()
            + "\",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":"
            + Arrays.toString(outer)
            + "}},\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":"
            + fill(type)
            + ",\"codecs\":["
            + codecs
            + "]}";
    put(path.resolve("zarr.json"), metadata.getBytes(StandardCharsets.UTF_8));
    ZarrArray array = ZarrNodes.openArray(path);
    return new RandomZarr(array, fillAndStore(random, array), metadata);
  }

  private static String fill(DataType type) {
    if (type instanceof DataType.VariableString) {
      return "\"none\"";
    }
    return type instanceof DataType.Complex ? "[1.5, \"NaN\"]" : "7";
  }

  private static String chunk(Random random, DataType type) {
    if (type instanceof DataType.VariableString) {
      return "{\"name\":\"vlen-utf8\"}" + compression(random);
    }
    String endian = random.nextBoolean() ? "little" : "big";
    return "{\"name\":\"bytes\",\"configuration\":{\"endian\":\""
        + endian
        + "\"}}"
        + (random.nextBoolean() ? "" : compression(random));
  }

  private static String compression(Random random) {
    switch (random.nextInt(3)) {
      case 0:
        return ",{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":false}}";
      case 1:
        return ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}";
      default:
        return ",{\"name\":\"crc32c\"}";
    }
  }

  private static String transpose(Random random, int rank) {
    if (rank == 0 || random.nextBoolean()) {
      return "";
    }
    List<Integer> order =
        IntStream.range(0, rank).boxed().collect(Collectors.toCollection(ArrayList::new));
    Collections.shuffle(order, random);
    return "{\"name\":\"transpose\",\"configuration\":{\"order\":" + order + "}},";
  }

  private static String shard(Random random, int rank, long[] chunks, String codecs) {
    // A shard behind a transpose has the transposed shape, which its chunks need not divide.
    boolean square = Arrays.stream(chunks).distinct().count() <= 1;
    String before = square && rank <= 1 ? transpose(random, rank) : "";
    return before
        + "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":"
        + Arrays.toString(chunks)
        + ",\"codecs\":["
        + codecs
        + "],\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
        + (random.nextBoolean() ? ",{\"name\":\"crc32c\"}" : "")
        + "],\"index_location\":\""
        + (random.nextBoolean() ? "end" : "start")
        + "\"}}";
  }

  private static Elements fillAndStore(Random random, ZarrArray array) {
    Shape shape = array.schema().shape();
    ElementsAssembly content = ElementsAssembly.of(array.schema().dataType(), shape);
    for (ChunkSelection part : ChunkSelections.of(array.grid(), Hyperslab.all(shape))) {
      ChunkCoordinates at = part.chunk();
      Shape chunkShape = array.grid().chunkShape(at);
      Elements chunk = randomElements(random, array, chunkShape);
      if (random.nextInt(4) == 0) {
        chunk = FillElements.of(array.schema(), chunkShape);
      } else {
        put(array.chunkObject(at), array.pipeline(chunkShape).encode(chunk));
      }
      content.place(HyperslabCopy.pack(chunk, part.within()), part.absolute());
    }
    return content.finish();
  }

  /** Random values, and here and there a box of fill values as large as an inner chunk. */
  private static Elements randomElements(Random random, ZarrArray array, Shape shape) {
    DataType type = array.schema().dataType();
    int count = (int) shape.elementCount();
    if (!type.isFixedWidth()) {
      List<String> texts =
          IntStream.range(0, count).mapToObj(i -> "ü".repeat(random.nextInt(3)) + i).toList();
      int[] offsets = new int[count + 1];
      for (int i = 0; i < count; i++) {
        offsets[i + 1] = offsets[i] + texts.get(i).getBytes(StandardCharsets.UTF_8).length;
      }
      byte[] bytes = String.join("", texts).getBytes(StandardCharsets.UTF_8);
      return new VariableWidthElements(type, shape, offsets, bytes);
    }
    byte[] bytes = new byte[count * type.byteWidth()];
    random.nextBytes(bytes);
    if (random.nextBoolean() && !shape.isEmpty()) {
      IndexRange[] box = new IndexRange[shape.rank()];
      for (int d = 0; d < box.length; d++) {
        box[d] = IndexRange.of(0, Math.min(shape.length(d), array.readChunkShape().length(d)));
      }
      Hyperslab slab = Hyperslab.of(box);
      FixedWidthElements fill = (FixedWidthElements) FillElements.of(array.schema(), slab.counts());
      HyperslabCopy.place(fill.bytes(), fill.offset(), bytes, 0, shape, slab, type.byteWidth());
    }
    return new FixedWidthElements(type, shape, bytes, 0);
  }

  static void put(StorePath object, byte[] bytes) {
    object.store().put(object.key(), ByteBuffer.wrap(bytes), WriteCondition.NONE).join();
  }

  /** The content of elements as something that can be compared. */
  static Object comparable(Elements elements) {
    if (elements instanceof FixedWidthElements) {
      FixedWidthElements fixed = (FixedWidthElements) elements;
      return ByteBuffer.wrap(fixed.bytes(), fixed.offset(), (int) fixed.byteSize());
    }
    VariableWidthElements variable = (VariableWidthElements) elements;
    List<ByteBuffer> texts = new ArrayList<>();
    for (int i = 0; i < variable.count(); i++) {
      int start = variable.offsets()[i];
      texts.add(ByteBuffer.wrap(variable.bytes(), start, variable.offsets()[i + 1] - start));
    }
    return texts;
  }
}
