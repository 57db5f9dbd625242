package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.spark.read.ClippedColumns;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetStructField;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.LimitExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.TakeOrderedAndProjectExec;
import org.apache.spark.sql.execution.UnionExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.aggregate.BaseAggregateExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.joins.BaseJoinExec;
import scala.Product;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * Fails a query whose predicate on a packed dimension was not turned into a hyperslab.
 *
 * <p>A tensor row carries the first coordinate of its piece. A predicate on that column which Spark
 * itself evaluates would keep or drop whole pieces by it, which no user means. Predicates that were
 * pushed exactly leave no filter behind, so every filter or join key that is left on such a column
 * is an error. Above a LIMIT, an aggregate or a cached result the column is just a value.
 *
 * <p>Plans are walked through {@link Product} and {@link Iterable} alone: these have one binary
 * form in Scala 2.12 and 2.13, methods that return {@code Seq} have not.
 */
final class ClipRule extends Rule<SparkPlan> {

  /** A packed attribute: all of it, or these fields of the struct. */
  private record Packed(String source, Set<String> fields) {}

  @Override
  public SparkPlan apply(SparkPlan plan) {
    packedOutput(plan);
    return plan;
  }

  /** Checks a plan; the attributes of its output that carry packed dimensions. */
  private Map<ExprId, Packed> packedOutput(SparkPlan plan) {
    if (plan instanceof BatchScanExec) {
      return ofScan((BatchScanExec) plan);
    }
    if (plan instanceof AdaptiveSparkPlanExec) {
      return packedOutput(((AdaptiveSparkPlanExec) plan).inputPlan());
    }
    if (plan instanceof QueryStageExec) {
      return packedOutput(((QueryStageExec) plan).plan());
    }
    if (plan instanceof ReusedExchangeExec) {
      return ofReused((ReusedExchangeExec) plan);
    }
    if (plan instanceof UnionExec) {
      return ofUnion(plan);
    }
    Map<ExprId, Packed> below = new HashMap<>();
    for (Object child : elements(plan, SparkPlan.class)) {
      below.putAll(packedOutput((SparkPlan) child));
    }
    if (below.isEmpty()) {
      return below;
    }
    if (plan instanceof LimitExec
        || plan instanceof TakeOrderedAndProjectExec
        || plan instanceof BaseAggregateExec
        || plan instanceof InMemoryTableScanExec) {
      return new HashMap<>();
    }
    if (plan instanceof FilterExec) {
      check(((FilterExec) plan).condition(), below, "predicate");
    } else if (plan instanceof BaseJoinExec) {
      for (Object key : elements(plan, Expression.class)) {
        check((Expression) key, below, "join key");
      }
    } else if (plan instanceof ProjectExec) {
      addAliases(plan, below);
    } else if (plan.nodeName().endsWith("EvalPython")) {
      addResultsOfPython(plan, below);
    }
    return below;
  }

  private static Map<ExprId, Packed> ofScan(BatchScanExec plan) {
    Map<ExprId, Packed> found = new HashMap<>();
    if (plan.scan() instanceof ClippedColumns) {
      ClippedColumns scan = (ClippedColumns) plan.scan();
      for (Object element : list(plan.outputSet())) {
        Attribute attribute = (Attribute) element;
        if (attribute.name().equals("_index") && !scan.packedIndexFields().isEmpty()) {
          found.put(attribute.exprId(), new Packed(scan.source(), scan.packedIndexFields()));
        } else if (scan.packedColumns().contains(attribute.name())) {
          found.put(attribute.exprId(), new Packed(scan.source(), Set.of()));
        }
      }
    }
    return found;
  }

  private Map<ExprId, Packed> ofReused(ReusedExchangeExec plan) {
    Map<ExprId, Packed> below = packedOutput(plan.child());
    return rename(output(plan.child()), output(plan), below);
  }

  private Map<ExprId, Packed> ofUnion(SparkPlan union) {
    Map<ExprId, Packed> found = new HashMap<>();
    for (Object element : elements(union, SparkPlan.class)) {
      SparkPlan child = (SparkPlan) element;
      found.putAll(rename(output(child), output(union), packedOutput(child)));
    }
    return found;
  }

  private static Map<ExprId, Packed> rename(
      List<Attribute> from, List<Attribute> to, Map<ExprId, Packed> packed) {
    Map<ExprId, Packed> renamed = new HashMap<>();
    for (int i = 0; i < from.size(); i++) {
      Packed value = packed.get(from.get(i).exprId());
      if (value != null) {
        renamed.put(to.get(i).exprId(), value);
      }
    }
    return renamed;
  }

  /** Aliases of expressions over packed attributes are packed as well. */
  private static void addAliases(SparkPlan project, Map<ExprId, Packed> packed) {
    for (Object element : elements(project, Expression.class)) {
      if (element instanceof Alias) {
        Packed origin = firstPacked((Alias) element, packed);
        if (origin != null) {
          packed.put(((Alias) element).exprId(), new Packed(origin.source(), Set.of()));
        }
      }
    }
  }

  /** Python functions run in a node of their own; a filter above it sees their results only. */
  private static void addResultsOfPython(SparkPlan plan, Map<ExprId, Packed> packed) {
    for (Object function : elements(plan, Expression.class)) {
      Packed origin = function instanceof Attribute ? null : firstPacked(function, packed);
      if (origin != null) {
        for (Object result : elements(plan, Attribute.class)) {
          packed.put(((Attribute) result).exprId(), new Packed(origin.source(), Set.of()));
        }
      }
    }
  }

  private static void check(Expression expression, Map<ExprId, Packed> packed, String what) {
    Packed origin = firstPacked(expression, packed);
    if (origin != null) {
      throw new ArrayMorphException(
          ErrorCode.CANNOT_CLIP,
          what
              + " "
              + expression.sql()
              + " on a packed dimension of "
              + origin.source()
              + " cannot be turned into hyperslabs exactly",
          "Read with option rows=cells, or name that dimension in option rows");
    }
  }

  /** The first packed attribute that an expression refers to, or null. */
  private static Packed firstPacked(Object expression, Map<ExprId, Packed> packed) {
    if (expression instanceof AttributeReference) {
      return packed.get(((AttributeReference) expression).exprId());
    }
    if (expression instanceof GetStructField) {
      GetStructField get = (GetStructField) expression;
      if (get.child() instanceof AttributeReference) {
        Packed found = packed.get(((AttributeReference) get.child()).exprId());
        String field = get.childSchema().fields()[get.ordinal()].name();
        boolean touched =
            found != null && (found.fields().isEmpty() || found.fields().contains(field));
        return touched ? found : null;
      }
    }
    for (Object child : elements((Product) expression, Expression.class)) {
      Packed found = firstPacked(child, packed);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  /** The plan's output attributes; looked up by name, for the type of {@code Seq} varies. */
  private static List<Attribute> output(SparkPlan plan) {
    try {
      List<Attribute> attributes = new ArrayList<>();
      for (Object element : list(SparkPlan.class.getMethod("output").invoke(plan))) {
        attributes.add((Attribute) element);
      }
      return attributes;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("no output attributes of " + plan.nodeName(), e);
    }
  }

  /** Constructor arguments of a node that are of a type, also inside collections and options. */
  private static Set<Object> elements(Product node, Class<?> type) {
    Set<Object> found = new HashSet<>();
    Iterator<?> arguments = node.productIterator();
    while (arguments.hasNext()) {
      collect(arguments.next(), type, found);
    }
    return found;
  }

  private static void collect(Object argument, Class<?> type, Set<Object> found) {
    if (type.isInstance(argument)) {
      found.add(argument);
    } else if (argument instanceof Iterable) {
      list(argument).forEach(element -> collect(element, type, found));
    } else if (argument instanceof scala.Some) {
      collect(((scala.Some<?>) argument).get(), type, found);
    }
  }

  private static List<Object> list(Object iterable) {
    List<Object> elements = new ArrayList<>();
    Iterator<?> iterator = ((Iterable<?>) iterable).iterator();
    while (iterator.hasNext()) {
      elements.add(iterator.next());
    }
    return elements;
  }
}
