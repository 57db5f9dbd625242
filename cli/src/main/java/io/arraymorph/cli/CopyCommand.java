package io.arraymorph.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ArraySchema;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.zarr.ChunkShapeChoice;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ReplacementCheck;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.layout.zarr.ZarrGroup;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.layout.zarr.write.NewArray;
import io.arraymorph.layout.zarr.write.NodeSaver;
import io.arraymorph.layout.zarr.write.WriteMode;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code arraymorph copy}: an array or group, or a slice of it, to another place. */
@Command(
    name = "copy",
    description = {
      "Copies an array or group, or a slice of it, as Zarr v3.",
      "Chunks and compression stay as they are unless given."
    },
    mixinStandardHelpOptions = true)
final class CopyCommand implements Callable<Integer> {
  private static final String V2_DIMENSIONS = "_ARRAY_DIMENSIONS";

  @Spec private CommandSpec spec;
  @Mixin private StoreArguments store;
  @Mixin private SelectionArguments selected;
  @Mixin private LayoutArguments layout;

  @Parameters(index = "0", paramLabel = "SOURCE", description = "An array or a group.")
  private String source;

  @Parameters(index = "1", paramLabel = "TARGET", description = "Where it goes.")
  private String target;

  @Override
  public Integer call() {
    if (layout.mode() == WriteMode.APPEND) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION, "copy has no mode append", "Use write, or another mode");
    }
    StorePath to = store.open(target);
    ZarrNode node = ZarrNodes.open(store.open(source));
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
      Dataset dataset = selected.isSliced() ? selected.dataset(node, reader) : null;
      List<ZarrArray> arrays = arrays(node);
      List<NewArray> copies = new ArrayList<>();
      for (ZarrArray array : arrays) {
        OrthogonalSelection part = part(array, dataset);
        PackedReads reads = new PackedReads(array, part);
        copies.add(
            new NewArray(
                node instanceof ZarrArray ? "" : array.name(),
                spec(array, reads.shape()),
                (boxes, sink) -> {
                  reads.read(reader, boxes, sink);
                  ReplacementCheck.verify(
                      array.path(), ReplacementCheck.generation(array.attributes()));
                }));
      }
      Optional<ObjectNode> group =
          node instanceof ZarrGroup ? Optional.of(node.attributes()) : Optional.empty();
      boolean written =
          new NodeSaver(to, "arraymorph command line").save(layout.mode(), group, copies);
      spec.commandLine()
          .getOut()
          .println(
              to
                  + ": "
                  + (written
                      ? copies.size() + " arrays, " + reader.metrics()
                      : "exists, not written"));
    }
    return 0;
  }

  private List<ZarrArray> arrays(ZarrNode node) {
    List<ZarrArray> arrays = new ArrayList<>();
    if (node instanceof ZarrArray) {
      arrays.add((ZarrArray) node);
      return arrays;
    }
    for (ZarrNode child : ((ZarrGroup) node).children()) {
      if (child instanceof ZarrGroup) {
        throw new ArrayMorphException(
            ErrorCode.UNSUPPORTED_FEATURE,
            "group " + node.path() + " holds the group " + child.name(),
            "Copy each group by itself");
      }
      arrays.add((ZarrArray) child);
    }
    if (selected.namesArrays()) {
      arrays.removeIf(array -> !selected.keeps(array));
    }
    if (arrays.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.NOT_AN_ARRAY, node.path() + " holds no array to copy", "Check --array");
    }
    return arrays;
  }

  /** The part of an array that lies in the slice, by the names of its dimensions. */
  private OrthogonalSelection part(ZarrArray array, Dataset dataset) {
    ArraySchema schema = array.schema();
    OrthogonalSelection part = OrthogonalSelection.all(schema.shape());
    if (dataset == null) {
      return part;
    }
    OrthogonalSelection slice = selected.product(dataset);
    for (int d = 0; d < part.rank(); d++) {
      for (int t = 0; t < slice.rank(); t++) {
        boolean same =
            dataset.dimensions().get(t).storedName().equals(schema.dimensionNames().get(d))
                && dataset.shape().length(t) == schema.shape().length(d);
        if (same) {
          IndexSet indices = slice.indices(t);
          part = part.with(d, indices);
        }
      }
    }
    return part;
  }

  private ZarrArraySpec spec(ZarrArray array, Shape shape) {
    ArraySchema schema = array.schema();
    int rank = shape.rank();
    Compression compression = Compression.parse(layout.compression(compressionOf(array)));
    ChunkShapeChoice grid = grid(array, shape, compression);
    ObjectNode attributes = array.attributes().deepCopy();
    attributes.remove(V2_DIMENSIONS);
    return new ZarrArraySpec(
        schema.dataType(),
        shape,
        layout.chunks(rank).orElse(grid.chunk()),
        layout.chunks(rank).isPresent() ? layout.shards(rank) : grid.shard(),
        compression,
        schema.fill(),
        schema.dimensionNames(),
        attributes);
  }

  /** What compresses the source, if we write that too; else zstd. */
  private static String compressionOf(ZarrArray array) {
    try {
      Compression.parse(array.compressionText());
      return array.compressionText();
    } catch (ArrayMorphException e) {
      return "zstd";
    }
  }

  private static ChunkShapeChoice grid(ZarrArray array, Shape shape, Compression compression) {
    if (!(array.grid() instanceof RegularChunkGrid)) {
      int width = Math.max(1, array.schema().dataType().byteWidth());
      return ChunkShapeChoice.of(shape, width, compression.isPresent());
    }
    Shape stored = ((RegularChunkGrid) array.grid()).chunkShape();
    Shape chunk = array.readChunkShape();
    return chunk.equals(stored)
        ? ChunkShapeChoice.given(stored, Optional.empty())
        : ChunkShapeChoice.given(chunk, Optional.of(stored));
  }
}
