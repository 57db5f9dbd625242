package io.arraymorph.spark.read;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.optimizer.plan.PlanEstimate;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * What EXPLAIN says of a scan: hyperslab, chunks, requests by method, bytes, partitions, and what
 * was pushed and what was not.
 */
final class ScanDescription {
  /** Of more cells nothing is estimated. */
  static final double MAX_CELLS = 1e17;

  private static final int SHOWN_PARTS = 3;
  private static final int SHOWN_RANGES = 4;
  private static final int SHOWN_PREDICATES = 10;

  private final HyperslabScan scan;

  ScanDescription(HyperslabScan scan) {
    this.scan = scan;
  }

  /** One line. */
  String text() {
    StringBuilder text = new StringBuilder("arraymorph ").append(scan.source());
    text.append(" rows=").append(scan.table().options().rows());
    text.append(", hyperslab ").append(hyperslab());
    text.append(access());
    text.append(", partitions ").append(scan.planInputPartitions().length);
    SharedObjects shared = scan.sharedObjects();
    if (!shared.objects().isEmpty() || !shared.complete()) {
      text.append(" that share ").append(shared.complete() ? "" : "more than ");
      text.append(shared.objects().size()).append(" objects");
    }
    scan.aggregates()
        .ifPresent(
            a ->
                text.append(", aggregates ")
                    .append(a.measures().stream().map(m -> m.kind().name()).toList())
                    .append(" by ")
                    .append(List.of(a.schema().fieldNames()).subList(0, a.groups().size())));
    if (scan.limit() >= 0) {
      text.append(", limit ").append(scan.limit()).append(" per partition");
    }
    text.append(", pushed ").append(predicates(scan.pushed().exact()));
    if (!scan.pushed().narrowing().isEmpty()) {
      text.append(", narrowed by ").append(predicates(scan.pushed().narrowing()));
    }
    if (!scan.pushed().filtered().isEmpty()) {
      text.append(", filtered by ").append(predicates(scan.pushed().filtered()));
    }
    text.append(", not pushed ").append(predicates(scan.pushed().residual()));
    return text.toString();
  }

  /** Chunks, requests and bytes of all variables, foreseen from metadata. */
  private String access() {
    if (scan.variables().isEmpty() || scan.selection().isEmpty()) {
      return ", no chunks read";
    }
    if (scan.cells() > MAX_CELLS) {
      return ", more chunks than can be counted";
    }
    ScanCost cost = ScanCost.of(scan.variables(), scan.selection(), scan.plannerOptions());
    PlanEstimate sum = cost.estimate();
    int atOnce = TaskSlots.ofSession().atOnce(scan.planInputPartitions().length);
    String requests =
        new TreeMap<>(sum.requestsByMethod())
            .entrySet().stream()
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(" + ", "[", "]"));
    return ", chunks "
        + sum.chunks()
        + " of "
        + sum.totalChunks()
        + ", requests "
        + (sum.sampled() ? "about " : "")
        + requests
        + ", bytes to move "
        + (sum.upperBound() ? "at most " : sum.sampled() ? "about " : "")
        + sum.bytesToMove()
        + " for "
        + sum.bytesNeeded()
        + " needed, estimated "
        + cost.cost(atOnce)
        + " by "
        + atOnce
        + (atOnce == 1 ? " task" : " tasks at once")
        + ", planner "
        + scan.table().options().planner()
        + " with profile "
        + cost.model().profile().name();
  }

  private static String predicates(List<Predicate> predicates) {
    String shown =
        predicates.stream()
            .limit(SHOWN_PREDICATES)
            .map(Predicate::toString)
            .collect(Collectors.joining(", "));
    int more = predicates.size() - SHOWN_PREDICATES;
    return "[" + shown + (more > 0 ? ", and " + more + " more" : "") + "]";
  }

  private String hyperslab() {
    Selection selection = scan.selection();
    if (selection.isEmpty()) {
      return "none";
    }
    String shown =
        selection.parts().stream()
            .limit(SHOWN_PARTS)
            .map(this::part)
            .collect(Collectors.joining(" + "));
    int more = selection.parts().size() - SHOWN_PARTS;
    return shown + (more > 0 ? " + " + more + " more" : "");
  }

  private String part(OrthogonalSelection part) {
    List<Dimension> dimensions = scan.table().dataset().dimensions();
    StringBuilder text = new StringBuilder("[");
    for (int d = 0; d < part.rank(); d++) {
      text.append(d == 0 ? "" : ", ").append(dimensions.get(d).name()).append('=');
      text.append(ranges(part.indices(d)));
    }
    return text.append(']').toString();
  }

  private static String ranges(IndexSet set) {
    String shown =
        set.ranges().stream()
            .limit(SHOWN_RANGES)
            .map(Object::toString)
            .collect(Collectors.joining(" "));
    int more = set.ranges().size() - SHOWN_RANGES;
    return shown + (more > 0 ? " .. (" + set.count() + " indices)" : "");
  }
}
