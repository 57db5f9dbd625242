package io.arraymorph.spark.python;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.JsonTree;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.DatasetOptions;
import io.arraymorph.layout.dataset.SliceText;
import io.arraymorph.layout.dataset.ZarrDataset;
import io.arraymorph.layout.zarr.ZarrNode;
import io.arraymorph.layout.zarr.ZarrNodes;
import io.arraymorph.optimizer.execute.HyperslabReader;
import io.arraymorph.optimizer.execute.MissingChunk;
import io.arraymorph.optimizer.execute.ReadSettings;
import io.arraymorph.optimizer.function.RemoteSliceFunction;
import io.arraymorph.optimizer.plan.PlannerOptions;
import io.arraymorph.spark.ReadOptions;
import io.arraymorph.spark.SessionSettings;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;

/**
 * An opened array or group on the driver: the one class that Python calls.
 *
 * <p>Opening reads metadata only. Immutable but for the coordinates that it keeps; thread-safe.
 */
public final class PythonDataset {
  private final ReadOptions options;
  private final ZarrNode node;
  private final List<Dataset> tables;
  private final Map<String, Member> members;

  private PythonDataset(ReadOptions options, ZarrNode node, List<Dataset> tables) {
    this.options = options;
    this.node = node;
    this.tables = tables;
    this.members = Member.of(tables);
  }

  /**
   * Opens an array or a group, with all its tables unless option {@code array} chooses.
   *
   * @param options those of {@code spark.read.format("arraymorph")}
   * @throws ArrayMorphException if it is no array or group, or the options do not fit
   */
  public static PythonDataset open(SparkSession session, String uri, Map<String, String> options) {
    options.keySet().forEach(ReadOptions::checkName);
    FirstRead.start();
    return ActiveSession.with(
        session,
        () -> {
          Map<String, String> all = new HashMap<>(options);
          all.put("path", uri);
          ReadOptions parsed = ReadOptions.parse(all, SessionSettings.ofSession());
          StoreConfig config = SessionSettings.storeConfig(parsed.uri(), all);
          ZarrNode node = ZarrNodes.open(ObjectStores.open(parsed.uri(), config));
          DatasetOptions how =
              DatasetOptions.DEFAULT
                  .withArray(String.join(",", parsed.array()))
                  .withDecode(parsed.decode())
                  .withV2Fill(
                      parsed.v2FillIsMissing()
                          ? DatasetOptions.V2Fill.MISSING
                          : DatasetOptions.V2Fill.VALUE);
          PlannerOptions.of(parsed.planner(), parsed.profile(), parsed.phi())
              .withFunction(parsed.sliceFunction().isPresent())
              .planner();
          List<Dataset> tables =
              ZarrDataset.openAll(
                  node,
                  how,
                  (array, hyperslab) -> {
                    try (HyperslabReader reader = new HyperslabReader(ReadSettings.DEFAULT)) {
                      return reader.read(array, hyperslab);
                    }
                  });
          return new PythonDataset(parsed, node, tables);
        });
  }

  /** What there is, as JSON. */
  public String describe() {
    return JsonTree.text(DatasetDescription.of(node, tables, members, options.decode()));
  }

  /**
   * The indices that labels select along a dimension, each label alone.
   *
   * @param name an array that has the dimension
   * @param labels each as the right side of a term of option {@code slice}
   * @return JSON: for each label a list of ranges {@code [start, stop, step]}
   * @throws ArrayMorphException INVALID_SLICE for labels that do not parse or select nothing
   */
  public String indices(String name, String dimension, List<String> labels) {
    Dataset table = member(name).table();
    int axis = table.dimension(dimension);
    String quoted = "'" + dimension.replace("'", "''") + "'=";
    ArrayNode found = JsonNodeFactory.instance.arrayNode();
    for (String label : labels) {
      Selection selection = SliceText.parse(quoted + label).toSelection(table.dimensions());
      IndexSet indices =
          selection.parts().isEmpty() ? IndexSet.EMPTY : selection.parts().get(0).indices(axis);
      found.add(IndexJson.ranges(indices));
    }
    return JsonTree.text(found);
  }

  /**
   * How the values of a selection will be given: {@code {"dtype", "shape", "bytes"}}; without bytes
   * for texts, whose length is not known before.
   */
  public String layout(String name, String selection) {
    return JsonTree.text(arrayRead(name, selection).layout());
  }

  /** Starts to give the values of a selection to Python, as {@link #layout} says. */
  public DriverJob read(String name, String selection, StagedOutput output) {
    return arrayRead(name, selection).into(output);
  }

  /** True if the values of an array are bytes of any length, not texts. */
  public boolean isBinary(String name) {
    return member(name).variable().type() == ColumnType.Scalar.BINARY;
  }

  private ArrayRead arrayRead(String name, String selection) {
    Member member = member(name);
    OrthogonalSelection cells = IndexJson.selection(selection, member.array().schema().shape());
    ReadSettings settings =
        ReadSettings.DEFAULT
            .withPlanner(planner("", "", "").planner())
            .withMissing(options.missingIsError() ? MissingChunk.ERROR : MissingChunk.FILL);
    // A hyperslab meets each chunk once: what was decoded need not be kept.
    boolean once =
        cells.isEmpty()
            || cells.hyperslabs().iterator().next().elementCount() == cells.elementCount();
    return new ArrayRead(
        member,
        cells,
        options.decode(),
        once ? settings.withCaches(0, settings.indexCacheBytes()) : settings,
        options.sliceFunction().map(RemoteSliceFunction::of));
  }

  /**
   * What reading a selection will take, as JSON.
   *
   * @param planner {@code auto} and so on; empty for the one of the options
   * @param profile of the store; empty for the one of the options
   * @param phi seconds that a dollar is worth; empty for the one of the options
   */
  public String plan(String name, String selection, String planner, String profile, String phi) {
    return report(name, selection, planner(planner, profile, phi)).sums().toString();
  }

  /**
   * Which chunks of a plane of the chunk grid are fetched how, as JSON.
   *
   * @param vertical the dimension from top to bottom, -1 for none
   * @param horizontal the dimension from left to right, -1 for none
   */
  public String planGrid(
      String name,
      String selection,
      String planner,
      String profile,
      String phi,
      int vertical,
      int horizontal) {
    return report(name, selection, planner(planner, profile, phi))
        .grid(vertical, horizontal)
        .toString();
  }

  private PlanReport report(String name, String selection, PlannerOptions planner) {
    Member member = member(name);
    OrthogonalSelection cells = IndexJson.selection(selection, member.array().schema().shape());
    return new PlanReport(member.array(), cells, planner);
  }

  private PlannerOptions planner(String planner, String profile, String phi) {
    return PlannerOptions.parse(
        given(planner).orElse(options.planner()),
        given(profile).or(options::profile),
        given(phi).or(() -> Optional.of(Double.toString(options.phi()))));
  }

  private static Optional<String> given(String text) {
    return Optional.of(text).filter(t -> !t.isBlank());
  }

  private Member member(String name) {
    Member member = members.get(name);
    if (member == null) {
      throw new ArrayMorphException(
          ErrorCode.UNKNOWN_ARRAY,
          node.path() + " has no array '" + name + "'",
          "It holds " + String.join(", ", members.keySet()));
    }
    return member;
  }

  /** The place, without credentials. */
  @Override
  public String toString() {
    return node.path().toString();
  }
}
