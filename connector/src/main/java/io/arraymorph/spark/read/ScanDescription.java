package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.dataset.Dimension;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.optimizer.plan.AccessPlanner;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * What EXPLAIN says of a scan: hyperslab, chunks, requests by method, bytes, partitions, and what
 * was pushed and what was not.
 */
final class ScanDescription {
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
    Map<String, Double> requests = new TreeMap<>();
    double bytes = 0;
    double chunks = 0;
    double total = 0;
    boolean estimated = false;
    for (Variable variable : scan.variables()) {
      AccessEstimate estimate =
          AccessEstimate.of(
              variable.array(),
              scan.selection(),
              AccessPlanner.named(scan.table().options().planner()));
      estimate.requests().forEach((method, count) -> requests.merge(method, count, Double::sum));
      bytes += estimate.bytes();
      chunks += estimate.chunks();
      total += count(variable.array().grid().gridShape());
      estimated |= estimate.isSampled() || estimate.isUpperBound();
    }
    if (scan.variables().isEmpty()) {
      text.append(", no chunks read");
    } else {
      String about = estimated ? "about " : "";
      text.append(", chunks ").append(whole(chunks)).append(" of ").append(whole(total));
      text.append(", requests ").append(about).append(requests(requests));
      text.append(", bytes to move ").append(about).append(whole(bytes));
    }
    text.append(", partitions ").append(scan.planInputPartitions().length);
    if (scan.limit() >= 0) {
      text.append(", limit ").append(scan.limit()).append(" per partition");
    }
    text.append(", pushed ").append(predicates(scan.pushed().exact()));
    if (!scan.pushed().narrowing().isEmpty()) {
      text.append(", narrowed by ").append(predicates(scan.pushed().narrowing()));
    }
    text.append(", not pushed ").append(predicates(scan.pushed().residual()));
    return text.toString();
  }

  private static double count(Shape shape) {
    double product = 1;
    for (long length : shape.toArray()) {
      product *= length;
    }
    return product;
  }

  private static String whole(double number) {
    return number < 1e15 ? Long.toString(Math.round(number)) : String.format("%.3g", number);
  }

  private static String requests(Map<String, Double> requests) {
    return requests.entrySet().stream()
        .map(entry -> whole(entry.getValue()) + " " + entry.getKey())
        .collect(Collectors.joining(" + ", "[", "]"));
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

  /** The chunks of one array that a selection touches, each counted once. */
  static double touchedChunks(ChunkedArray array, Selection selection) {
    return ChunkSelections.touched(array.grid(), selection).parts().stream()
        .mapToDouble(part -> count(part.counts()))
        .sum();
  }
}
