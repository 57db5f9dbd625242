package io.arraymorph.spark.procedure;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.layout.zarr.ReplacementCheck;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.layout.zarr.write.NewArray;
import io.arraymorph.layout.zarr.write.NodeSaver;
import io.arraymorph.layout.zarr.write.WriteMode;
import io.arraymorph.optimizer.execute.ElementStream;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadRequest;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.store.StorePath;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BiConsumer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Copies an array or group to another place as Zarr v3, rechunked and recompressed if asked; values
 * and attributes as they are stored. Runs on the driver, chunk object by chunk object.
 */
final class CopyProcedure implements SystemProcedure {
  @Override
  public String name() {
    return "copy";
  }

  @Override
  public String description() {
    return "copy(source, target, ..): an array or group to another place, rechunked, recompressed";
  }

  @Override
  public List<Parameter> parameters() {
    return List.of(
        SystemProcedures.required("source", "array or group: a URI, or a name of the catalog"),
        SystemProcedures.required("target", "where it goes"),
        SystemProcedures.optional("arrays", "arrays of the group, as sst,airt; else all"),
        SystemProcedures.optional("chunks", "sizes, for arrays of that many dimensions"),
        SystemProcedures.optional("shards", "sizes, multiples of the chunks"),
        SystemProcedures.optional("compression", "as zstd:5 or none; else as it is"),
        new Parameter(
            "mode",
            DataTypes.StringType,
            Optional.of("'errorifexists'"),
            "errorifexists, overwrite or ignore"));
  }

  @Override
  public StructType schema() {
    return new StructType()
        .add("array", DataTypes.StringType)
        .add("shape", DataTypes.StringType)
        .add("chunks", DataTypes.StringType)
        .add("shards", DataTypes.StringType)
        .add("compression", DataTypes.StringType)
        .add("written", DataTypes.BooleanType);
  }

  @Override
  public List<Row> call(Arguments arguments) {
    WriteMode mode = mode(arguments.text("mode").orElse("errorifexists"));
    CopiedLayout layout =
        new CopiedLayout(
            arguments.text("chunks"), arguments.text("shards"), arguments.text("compression"));
    StorePath target = arguments.place("target");
    ZarrNode source = ZarrNodes.open(arguments.place("source"));
    if (source.path().equals(target)) {
      throw Arguments.invalid("target", target.toString(), "Copy to another place");
    }
    List<ZarrArray> arrays = arrays(source, arguments.text("arrays"));
    layout.requireUse(arrays);
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
      List<NewArray> copies = new ArrayList<>();
      for (ZarrArray array : arrays) {
        copies.add(
            new NewArray(
                source instanceof ZarrArray ? "" : array.name(),
                layout.of(array),
                (boxes, sink) -> read(reader, array, boxes, sink)));
      }
      Optional<ObjectNode> group =
          source instanceof ZarrGroup ? Optional.of(source.attributes()) : Optional.empty();
      boolean written = new NodeSaver(target, "copy of " + source.path()).save(mode, group, copies);
      return copies.stream().map(copy -> row(copy, written)).toList();
    }
  }

  private static void read(
      HyperslabReader reader,
      ZarrArray array,
      Iterator<Hyperslab> boxes,
      BiConsumer<Hyperslab, Elements> sink) {
    Queue<Hyperslab> asked = new ArrayDeque<>();
    Iterator<ReadRequest> requests =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return boxes.hasNext();
          }

          @Override
          public ReadRequest next() {
            Hyperslab box = boxes.next();
            asked.add(box);
            return new ReadRequest(array, box);
          }
        };
    try (ElementStream stream = reader.stream(requests)) {
      while (stream.hasNext()) {
        Elements elements = stream.next();
        sink.accept(asked.remove(), elements);
      }
    }
    ReplacementCheck.verify(array.path(), ReplacementCheck.generation(array.attributes()));
  }

  private static WriteMode mode(String text) {
    switch (text.toLowerCase(Locale.ROOT)) {
      case "errorifexists":
        return WriteMode.ERRORIFEXISTS;
      case "overwrite":
        return WriteMode.OVERWRITE;
      case "ignore":
        return WriteMode.IGNORE;
      default:
        throw Arguments.invalid("mode", text, "Use errorifexists, overwrite or ignore");
    }
  }

  private static List<ZarrArray> arrays(ZarrNode node, Optional<String> names) {
    if (node instanceof ZarrArray) {
      if (names.isPresent()) {
        throw Arguments.invalid("arrays", names.get(), "The source is one array; leave it away");
      }
      return List.of((ZarrArray) node);
    }
    List<String> wanted =
        names
            .map(text -> Arrays.stream(text.split(",")).map(String::trim).toList())
            .orElse(List.of());
    List<ZarrArray> arrays = new ArrayList<>();
    for (ZarrNode child : ((ZarrGroup) node).children()) {
      if (wanted.isEmpty() || wanted.contains(child.name())) {
        if (child instanceof ZarrGroup) {
          throw new ArrayMorphException(
              ErrorCode.UNSUPPORTED_FEATURE,
              "group " + node.path() + " holds the group " + child.name(),
              "Copy each group by itself, or name arrays in argument arrays");
        }
        arrays.add((ZarrArray) child);
      }
    }
    List<String> found = arrays.stream().map(ZarrArray::name).toList();
    if (arrays.isEmpty() || !found.containsAll(wanted)) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_ARRAY,
          node.path() + " has not all of the arrays " + wanted,
          "It has " + ((ZarrGroup) node).childNames().stream().limit(20).toList());
    }
    return arrays;
  }

  private static Row row(NewArray copy, boolean written) {
    ZarrArraySpec spec = copy.spec();
    return RowFactory.create(
        copy.member(),
        CopiedLayout.sizes(spec.shape()),
        CopiedLayout.sizes(spec.chunkShape()),
        spec.shardShape().map(CopiedLayout::sizes).orElse(null),
        spec.compression().toString(),
        written);
  }
}
