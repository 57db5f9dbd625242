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
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.plan.PlannerOptions;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

  @Option(names = "--planner", description = "auto (default), get, range, merge or paper.")
  private String planner = "auto";

  @Option(names = "--profile", description = "Name or file of a store profile; else detected.")
  private String profile;

  @Option(names = "--phi", description = "Seconds that a dollar is worth (0), or infinity.")
  private String phi = "0";

  private CostModel model;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    AccessPlanner chosen =
        PlannerOptions.parse(planner, Optional.ofNullable(profile), Optional.of(phi)).planner();
    model = chosen.model(uri);
    Map<String, PlanEstimate> estimates = new LinkedHashMap<>();
    Selection selection;
    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
      Dataset dataset = selected.dataset(ZarrNodes.open(store.open(uri)), reader);
      selection = selected.selection(dataset);
      for (Variable variable : dataset.variables()) {
        estimates.put(variable.name(), PlanEstimator.estimate(variable.array(), selection, chosen));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(
        json
            ? json(chosen, selection, estimates).toPrettyString()
            : text(chosen, selection, estimates));
    return 0;
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
      AccessPlanner chosen, Selection selection, Map<String, PlanEstimate> estimates) {
    ObjectNode root = JsonNodeFactory.instance.objectNode();
    root.put("uri", uri).put("planner", chosen.label());
    root.put("selection", selection.toString()).put("elements", selection.elementCount());
    ArrayNode variables = root.putArray("variables");
    estimates.forEach((name, e) -> variables.add(json(e).put("name", name)));
    estimates.values().stream()
        .reduce(PlanEstimate::plus)
        .ifPresent(total -> root.set("total", json(total)));
    return root;
  }

  private ObjectNode json(PlanEstimate estimate) {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("chunks", estimate.chunks()).put("totalChunks", estimate.totalChunks());
    node.put("requests", estimate.requests());
    ObjectNode methods = node.putObject("requestsByMethod");
    new TreeMap<>(estimate.requestsByMethod()).forEach(methods::put);
    node.put("bytesToMove", estimate.bytesToMove()).put("bytesNeeded", estimate.bytesNeeded());
    AccessCost cost = estimate.cost(model);
    node.put("profile", model.profile().name());
    node.put("estimatedSeconds", cost.seconds()).put("estimatedDollars", cost.dollars());
    node.put("upperBound", estimate.upperBound()).put("sampled", estimate.sampled());
    return node;
  }
}
