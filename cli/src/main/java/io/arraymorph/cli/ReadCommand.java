package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.layout.npy.NpyValues;
import io.arraymorph.layout.npy.NpyWriter;
import io.arraymorph.layout.zarr.ReplacementCheck;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.MissingChunk;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.plan.PlannerOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code arraymorph read}: elements of an array into a {@code .npy} file. */
@Command(
    name = "read",
    description = "Reads an array, or a slice of it, into a .npy file.",
    mixinStandardHelpOptions = true)
final class ReadCommand implements Callable<Integer> {
  private static final long BAND_BYTES = 64L << 20;

  @Spec private CommandSpec spec;
  @Mixin private StoreArguments store;
  @Mixin private SelectionArguments selected;

  @Parameters(paramLabel = "URI", description = "An array or a group.")
  private String uri;

  @Option(
      names = {"-o", "--output"},
      required = true,
      paramLabel = "FILE.npy",
      description = "Where to write.")
  private Path output;

  @Option(
      names = "--decode",
      description = "Apply CF attributes: scale, offset, times, fill to NaN; default: raw values.")
  private boolean decode;

  @Option(names = "--planner", description = "auto (default), get, range, merge, lambda or paper.")
  private String planner = "auto";

  @Option(names = "--profile", description = "Name or file of a store profile; else detected.")
  private String profile;

  @Option(names = "--phi", description = "Seconds that a dollar is worth (0), or infinity.")
  private String phi = "0";

  @Mixin private FunctionArguments function;

  @Option(names = "--missing", description = "Absent chunks: fill (default) or error.")
  private String missing = "fill";

  @Override
  public Integer call() {
    ReadSettings settings =
        ReadSettings.DEFAULT
            .withPlanner(
                PlannerOptions.parse(planner, Optional.ofNullable(profile), Optional.of(phi))
                    .withFunction(function.options().isPresent())
                    .planner())
            .withMissing(MissingChunk.named(missing));
    ZarrNode node = ZarrNodes.open(store.open(uri));
    try (HyperslabReader reader = new HyperslabReader(settings, function.function())) {
      Dataset dataset = selected.dataset(node, reader);
      Variable variable = onlyVariable(dataset);
      OrthogonalSelection selection = selected.product(dataset);
      copy(variable, selection, reader);
      if (variable.array() instanceof ZarrArray) {
        ZarrArray array = (ZarrArray) variable.array();
        ReplacementCheck.verify(array.path(), ReplacementCheck.generation(array.attributes()));
      }
      spec.commandLine()
          .getOut()
          .println(
              output + ": " + variable.name() + " " + selection.counts() + ", " + reader.metrics());
    }
    return 0;
  }

  private Variable onlyVariable(Dataset dataset) {
    if (dataset.variables().size() != 1) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          uri + " has several arrays: " + dataset.variables().stream().map(Variable::name).toList(),
          "Choose one with --array");
    }
    return dataset.variables().get(0);
  }

  private void copy(Variable variable, OrthogonalSelection selection, HyperslabReader reader) {
    NpyValues values = NpyValues.of(variable, decode);
    DataType type = values.type();
    PackedReads reads = new PackedReads(variable.array(), selection);
    Shape shape = reads.shape();
    long elements = Math.max(1, BAND_BYTES / Math.max(1, type.byteWidth()));
    try (NpyWriter writer = NpyWriter.create(output, type, shape)) {
      reads.read(
          reader,
          new Bands(shape, variable.array().readChunkShape(), elements),
          (box, band) -> writer.append((FixedWidthElements) values.of(band)));
      writer.publish();
    }
  }
}
