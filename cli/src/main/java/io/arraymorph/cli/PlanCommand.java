package io.arraymorph.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.HeldObjects;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannedChunk;
import io.arraymorph.optimizer.plan.PlannerOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code arraymorph plan}: what a read would fetch. */
@Command(
    name = "plan",
    description = "Shows what reading a slice would fetch: chunks, requests, bytes.",
    mixinStandardHelpOptions = true)
final class PlanCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;
  @Mixin private StoreArguments store;
  @Mixin private SelectionArguments selected;

  @Parameters(paramLabel = "URI", description = "An array or a group.")
  private String uri;

  @Option(names = "--planner", description = "auto (default), get, range, merge, lambda or paper.")
  private String planner = "auto";

  @Option(names = "--profile", description = "Name or file of a store profile; else detected.")
  private String profile;

  @Option(names = "--phi", description = "Seconds that a dollar is worth (0), or infinity.")
  private String phi = "0";

  private CostModel model;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Mixin private FunctionArguments function;

  @Option(
      names = "--plot",
      paramLabel = "FILE",
      description = "Draw the chunks of the first variable by method, as .svg or .png.")
  private Path plot;

  @Option(
      names = "--after",
      paramLabel = "SLICE",
      description = "Read this slice first; chunks that the reader then holds are planned cached.")
  private String after;

  @Override
  public Integer call() {
    AccessPlanner chosen =
        PlannerOptions.parse(planner, Optional.ofNullable(profile), Optional.of(phi))
            .withFunction(function.options().isPresent())
            .planner();
    model = chosen.model(uri);
    Map<String, PlanEstimate> estimates = new LinkedHashMap<>();
    List<Variable> variables = new ArrayList<>();
    Selection selection;
    HeldObjects held;
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
      Dataset dataset = selected.dataset(ZarrNodes.open(store.open(uri)), reader);
      selection = selected.selection(dataset);
      held = after == null ? HeldObjects.NONE : heldAfter(dataset, reader);
      for (Variable variable : dataset.variables()) {
        variables.add(variable);
        estimates.put(
            variable.name(), PlanEstimator.estimate(variable.array(), selection, chosen, held));
      }
      if (plot != null && !variables.isEmpty()) {
        Variable first = variables.get(0);
        plot(chosen, held, selection, first, estimates.get(first.name()));
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println(
          json
              ? json(new PlanReport(chosen, model, held), selection, variables, estimates)
                  .toPrettyString()
              : text(chosen, selection, estimates));
    }
    return 0;
  }

  /** What a reader holds that has read the slice of {@code --after}. */
  private HeldObjects heldAfter(Dataset dataset, HyperslabReader reader) {
    Selection before = SelectionArguments.selection(dataset, after);
    for (Variable variable : dataset.variables()) {
      reader.read(variable.array(), before, (part, elements) -> {});
    }
    return reader.held();
  }

  private String text(
      AccessPlanner chosen, Selection selection, Map<String, PlanEstimate> estimates) {
    StringBuilder text = new StringBuilder();
    text.append(uri).append(", planner ").append(chosen.label());
    text.append("\nselection ").append(selection);
    text.append(" (").append(selection.elementCount()).append(" elements)");
    estimates.forEach(
        (name, e) -> {
          text.append("\n  ").append(name).append(": ").append(e.explain());
          text.append(", estimated ").append(e.cost(model));
          text.append(" with profile ").append(model.profile().name());
        });
    return text.toString();
  }

  private ObjectNode json(
      PlanReport report,
      Selection selection,
      List<Variable> variables,
      Map<String, PlanEstimate> estimates) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("arraymorph_plan", PlanReport.VERSION);
    root.put("uri", uri).put("planner", report.planner().label());
    root.put("selection", selection.toString()).put("elements", selection.elementCount());
    ArrayNode list = root.putArray("variables");
    variables.forEach(v -> list.add(report.json(v, selection, estimates.get(v.name()))));
    estimates.values().stream()
        .reduce(PlanEstimate::plus)
        .ifPresent(total -> root.set("total", report.sums(total)));
    return root;
  }

  private void plot(
      AccessPlanner chosen,
      HeldObjects held,
      Selection selection,
      Variable variable,
      PlanEstimate estimate) {
    List<PlannedChunk> chunks =
        PlannedChunk.of(variable.array(), selection, chosen, held, PlanReport.MAX_LISTED);
    AccessCost cost = estimate.cost(model);
    List<String> names = new ArrayList<>();
    for (int d = 0; d < variable.array().schema().shape().rank(); d++) {
      String name = variable.array().schema().dimensionNames().get(d);
      names.add(name.isEmpty() ? "dim_" + d : name);
    }
    new PlanPicture(
            variable.name() + ", planner " + chosen.label() + ", " + model.profile().name(),
            variable.array().grid().gridShape(),
            names,
            chunks,
            List.of(
                estimate.chunks() + " of " + estimate.totalChunks() + " chunks",
                estimate.requests() + " requests",
                (estimate.upperBound() ? "at most " : "") + estimate.bytesToMove() + " bytes",
                estimate.bytesNeeded() + " needed",
                String.format(Locale.ROOT, "%.4g s", cost.seconds()),
                String.format(Locale.ROOT, "$%.4g", cost.dollars())))
        .write(plot);
  }
}
