package io.arraymorph.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Elements;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.npy.NpyReader;
import io.arraymorph.layout.zarr.ChunkShapeChoice;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.layout.zarr.write.ArraySource;
import io.arraymorph.layout.zarr.write.NewArray;
import io.arraymorph.layout.zarr.write.NodeSaver;
import io.arraymorph.layout.zarr.write.WriteMode;
import io.arraymorph.store.StorePath;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code arraymorph write}: a {@code .npy} file into an array. */
@Command(
    name = "write",
    description = "Writes a .npy file as a Zarr v3 array.",
    mixinStandardHelpOptions = true)
final class WriteCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreArguments store;
  @Mixin private LayoutArguments layout;

  @Parameters(index = "0", paramLabel = "FILE.npy", description = "The elements.")
  private Path input;

  @Parameters(index = "1", paramLabel = "URI", description = "Where the array goes.")
  private String uri;

  @Option(
      names = "--dims",
      paramLabel = "NAMES",
      description = "Names of the dimensions, as time,lat,lon; default dim_0,dim_1,..")
  private String dims = "";

  @Option(names = "--fill", description = "Fill value; default: NaN, NaT or the type's zero.")
  private String fill = "";

  @Option(names = "--append-dim", description = "The dimension that grows; default: the first.")
  private String appendDim = "";

  @Override
  public Integer call() {
    StorePath target = store.open(uri);
    try (NpyReader file = NpyReader.open(input)) {
      DataType type = file.header().npyType().type();
      Shape shape = file.header().shape();
      ArraySource source =
          (boxes, sink) -> boxes.forEachRemaining(box -> sink.accept(box, file.read(box)));
      NodeSaver saver = new NodeSaver(target, "arraymorph command line");
      boolean written = true;
      if (layout.mode() == WriteMode.APPEND) {
        saver.append(appendDim, type, shape, source);
      } else {
        NewArray array = new NewArray("", spec(type, shape), source);
        written = saver.save(layout.mode(), Optional.empty(), List.of(array));
      }
      spec.commandLine()
          .getOut()
          .println(
              target + ": " + (written ? type.zarrName() + " " + shape : "exists, not written"));
    }
    return 0;
  }

  private ZarrArraySpec spec(DataType type, Shape shape) {
    Compression compression = Compression.parse(layout.compression("zstd"));
    ChunkShapeChoice choice =
        layout
            .chunks(shape.rank())
            .map(chunks -> ChunkShapeChoice.given(chunks, layout.shards(shape.rank())))
            .orElseGet(() -> ChunkShapeChoice.of(shape, type.byteWidth(), compression.isPresent()));
    Elements value =
        fill.isBlank() ? ZarrArraySpec.defaultFill(type) : ZarrArraySpec.parseFill(fill, type);
    return new ZarrArraySpec(
        type,
        shape,
        choice.chunk(),
        choice.shard(),
        compression,
        value,
        names(shape.rank()),
        JsonNodeFactory.instance.objectNode());
  }

  private List<String> names(int rank) {
    if (dims.isBlank()) {
      return IntStream.range(0, rank).mapToObj(d -> "dim_" + d).toList();
    }
    List<String> names = Arrays.stream(dims.split(",", -1)).map(String::strip).toList();
    if (names.size() != rank || names.stream().distinct().count() != rank || names.contains("")) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "--dims '" + dims + "' does not name the " + rank + " dimensions of " + input,
          "Give one name for each, all different");
    }
    return names;
  }
}
