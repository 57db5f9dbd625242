package io.arraymorph.spark.python;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.npy.NpyReader;
import io.arraymorph.layout.zarr.ChunkShapeChoice;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.layout.zarr.write.ArraySource;
import io.arraymorph.layout.zarr.write.NewArray;
import io.arraymorph.layout.zarr.write.NodeSaver;
import io.arraymorph.layout.zarr.write.WriteMode;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StorePath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.sql.SparkSession;

/**
 * Arrays of numpy, in {@code .npy} files, into a Zarr v3 array or group: what was not claimed by
 * another writer, all of it or nothing.
 */
public final class PythonWrite {
  private static final String WRITER = "arraymorph Python package";

  private final StorePath target;
  private final JsonNode specification;
  private final List<NpyReader> files = new ArrayList<>();

  private PythonWrite(StorePath target, JsonNode specification) {
    this.target = target;
    this.specification = specification;
  }

  /**
   * Starts to write.
   *
   * @param options of the store
   * @param specification JSON: {@code mode}, {@code append_dim}; {@code group}: attributes of the
   *     group, or null to make the one array the target; {@code arrays}: each with {@code name},
   *     {@code file}, {@code text} (fixed-length text becomes {@code string}), {@code dims}, {@code
   *     chunks} and {@code shards} (sizes or null), {@code compression}, {@code fill} (a text or
   *     null) and {@code attributes}
   */
  public static DriverJob start(
      SparkSession session, String uri, Map<String, String> options, String specification) {
    StorePath target =
        ActiveSession.with(
            session, () -> ObjectStores.open(uri, SessionSettings.storeConfig(uri, options)));
    JsonNode parsed = IndexJson.parse(specification);
    PythonWrite write = new PythonWrite(target, parsed);
    return DriverJob.start(parsed.path("bytes").asLong(), write::run, () -> {});
  }

  private void run(LongAdder done) {
    try {
      save(done);
    } finally {
      files.forEach(NpyReader::close);
    }
  }

  private void save(LongAdder done) {
    WriteMode mode =
        WriteMode.valueOf(specification.path("mode").asText().toUpperCase(Locale.ROOT));
    NodeSaver saver = new NodeSaver(target, WRITER);
    JsonNode arrays = specification.path("arrays");
    if (mode == WriteMode.APPEND) {
      JsonNode only = arrays.get(0);
      NpyReader file = open(only);
      saver.append(
          specification.path("append_dim").asText(""),
          type(only, file),
          file.header().shape(),
          source(only, file, done));
      return;
    }
    List<NewArray> created = new ArrayList<>();
    for (JsonNode array : arrays) {
      NpyReader file = open(array);
      created.add(
          new NewArray(
              array.path("name").asText(""), spec(array, file), source(array, file, done)));
    }
    JsonNode group = specification.path("group");
    saver.save(
        mode, group.isObject() ? Optional.of((ObjectNode) group) : Optional.empty(), created);
  }

  private NpyReader open(JsonNode array) {
    NpyReader file = NpyReader.open(Path.of(array.path("file").asText()));
    files.add(file);
    return file;
  }

  private static DataType type(JsonNode array, NpyReader file) {
    return array.path("text").asBoolean()
        ? new DataType.VariableString()
        : file.header().npyType().type();
  }

  private static ArraySource source(JsonNode array, NpyReader file, LongAdder done) {
    boolean text = array.path("text").asBoolean();
    return (boxes, sink) ->
        boxes.forEachRemaining(
            box -> {
              Elements read = file.read(box);
              sink.accept(box, text ? texts(read) : read);
              done.add(read.byteSize());
            });
  }

  /** Texts of fixed length as texts of their own lengths. */
  private static Elements texts(Elements fixed) {
    DecodedColumn column = CfDecoding.raw(fixed.type()).decode(fixed);
    return new io.arraymorph.array.VariableWidthElements(
        new DataType.VariableString(), fixed.shape(), column.offsets(), column.values());
  }

  private static ZarrArraySpec spec(JsonNode array, NpyReader file) {
    DataType type = type(array, file);
    Shape shape = file.header().shape();
    Compression compression = Compression.parse(array.path("compression").asText("zstd"));
    Optional<Shape> chunks = sizes(array, "chunks", shape);
    Optional<Shape> shards = sizes(array, "shards", shape);
    int width = type.isFixedWidth() ? type.byteWidth() : 16;
    ChunkShapeChoice choice =
        chunks
            .map(given -> ChunkShapeChoice.given(given, shards))
            .orElseGet(() -> ChunkShapeChoice.of(shape, width, compression.isPresent()));
    List<String> names = new ArrayList<>();
    array.path("dims").forEach(name -> names.add(name.asText()));
    Elements fill =
        array.path("fill").isTextual()
            ? ZarrArraySpec.parseFill(array.path("fill").asText(), type)
            : ZarrArraySpec.defaultFill(type);
    return new ZarrArraySpec(
        type,
        shape,
        choice.chunk(),
        choice.shard(),
        compression,
        fill,
        names,
        (ObjectNode) array.path("attributes"));
  }

  private static Optional<Shape> sizes(JsonNode array, String key, Shape shape) {
    JsonNode sizes = array.path(key);
    if (!sizes.isArray()) {
      return Optional.empty();
    }
    long[] lengths = new long[sizes.size()];
    boolean fits = lengths.length == shape.rank();
    for (int d = 0; d < lengths.length; d++) {
      lengths[d] = sizes.get(d).asLong();
      fits &= lengths[d] > 0;
    }
    if (!fits) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          key + " " + sizes + " of an array of shape " + shape,
          "Give one positive size for each dimension");
    }
    return Optional.of(Shape.of(lengths));
  }
}
