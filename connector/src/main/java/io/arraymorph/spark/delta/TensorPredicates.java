package io.arraymorph.spark.delta;

import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Turns predicates of Spark into the cells of one tensor for which they are true, where that is
 * exactly known.
 *
 * <p>Of one tensor the column {@code tensor} is a constant, its dimensions are integers that are
 * never NULL, and the columns of other tensors are NULL. A predicate is true, false or unknown, as
 * in SQL: {@link #whereTrue} and {@link #whereFalse} are the two ends of that. What compares values
 * is left to Spark.
 */
final class TensorPredicates {
  /** More parts than this are not worth planning: Spark filters instead. */
  private static final int MOST_PARTS = 256;

  private final TensorColumns columns;
  private final int tensor;
  private final Shape shape;
  private final Selection all;
  private final Selection none;

  TensorPredicates(TensorColumns columns, int tensor) {
    this(columns, tensor, columns.header(tensor).schema().shape());
  }

  /**
   * @param shape what the tensor's shape is taken to be
   */
  TensorPredicates(TensorColumns columns, int tensor, Shape shape) {
    this.columns = columns;
    this.tensor = tensor;
    this.shape = shape;
    this.all = Selection.all(shape);
    this.none = Selection.none(shape.rank());
  }

  /** The cells for which a predicate is true, if that is known without reading. */
  Optional<Selection> whereTrue(Predicate predicate) {
    return where(predicate, true);
  }

  /** The cells for which a predicate is false, and not unknown. */
  Optional<Selection> whereFalse(Predicate predicate) {
    return where(predicate, false);
  }

  private Optional<Selection> where(Predicate predicate, boolean truth) {
    Expression[] children = predicate.children();
    switch (predicate.name()) {
      case "AND":
        return both(children, truth, /* intersect= */ truth);
      case "OR":
        return both(children, truth, /* intersect= */ !truth);
      case "NOT":
        return where((Predicate) children[0], !truth);
      case "ALWAYS_TRUE":
        return Optional.of(truth ? all : none);
      case "ALWAYS_FALSE":
        return Optional.of(truth ? none : all);
      case "IS_NULL":
        return nullness(children[0], truth);
      case "IS_NOT_NULL":
        return nullness(children[0], !truth);
      case "IN":
        return in(children, truth);
      default:
        return children.length == 2
            ? comparison(predicate.name(), children, truth)
            : Optional.empty();
    }
  }

  private Optional<Selection> both(Expression[] children, boolean truth, boolean intersect) {
    Optional<Selection> left = where((Predicate) children[0], truth);
    Optional<Selection> right = where((Predicate) children[1], truth);
    Selection absorbing = intersect ? none : all;
    if (left.filter(absorbing::equals).isPresent() || right.filter(absorbing::equals).isPresent()) {
      return Optional.of(absorbing);
    }
    if (left.isEmpty() || right.isEmpty()) {
      return Optional.empty();
    }
    Selection result =
        intersect ? left.get().intersect(right.get()) : left.get().union(right.get());
    return Optional.of(result).filter(r -> r.parts().size() <= MOST_PARTS);
  }

  private Optional<Selection> nullness(Expression child, boolean wantNull) {
    Optional<String> name = name(child);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    boolean known = columns.isTensorColumn(name.get()) || dimension(name.get()) >= 0;
    if (known) {
      return Optional.of(wantNull ? none : all);
    }
    return columns.isForeign(tensor, name.get())
        ? Optional.of(wantNull ? all : none)
        : Optional.empty();
  }

  private Optional<Selection> in(Expression[] children, boolean truth) {
    Optional<String> name = name(children[0]);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    if (columns.isForeign(tensor, name.get())) {
      return Optional.of(none);
    }
    Optional<Selection> found = Optional.of(none);
    List<Long> wanted = new ArrayList<>();
    for (int i = 1; i < children.length; i++) {
      if (columns.isTensorColumn(name.get())) {
        Optional<UTF8String> text = text(children[i]);
        if (text.isEmpty()) {
          return Optional.empty();
        }
        found = text.get().equals(id()) ? Optional.of(all) : found;
      } else {
        Optional<Long> index = index(children[i]);
        if (index.isEmpty()) {
          return Optional.empty();
        }
        wanted.add(index.get());
      }
    }
    int d = dimension(name.get());
    if (d >= 0) {
      long[] inside =
          wanted.stream()
              .mapToLong(Long::longValue)
              .filter(i -> i >= 0 && i < shape.length(d))
              .toArray();
      found = Optional.of(along(d, IndexSet.ofIndices(inside)));
    } else if (!columns.isTensorColumn(name.get())) {
      return Optional.empty();
    }
    return truth ? found : found.map(all::minus);
  }

  private Optional<Selection> comparison(String operator, Expression[] children, boolean truth) {
    boolean swapped = name(children[0]).isEmpty();
    Optional<String> name = name(children[swapped ? 1 : 0]);
    Expression other = children[swapped ? 0 : 1];
    String op = swapped ? swap(operator) : operator;
    if (name.isEmpty() || !(other instanceof Literal) || ((Literal<?>) other).value() == null) {
      return Optional.empty();
    }
    if (columns.isForeign(tensor, name.get())) {
      // NULL: neither true nor false, but for <=>, which is false.
      return Optional.of(op.equals("<=>") && !truth ? all : none);
    }
    Optional<Selection> found = Optional.empty();
    int d = dimension(name.get());
    if (columns.isTensorColumn(name.get())) {
      if (swapped && op.equals(operator) && !"= <=> <>".contains(op)) {
        return Optional.empty();
      }
      found = text(other).flatMap(text -> ofTensor(op, text)).map(yes -> yes ? all : none);
    } else if (d >= 0) {
      found = index(other).flatMap(index -> indices(op, index, d)).map(set -> along(d, set));
    }
    return truth ? found : found.map(all::minus);
  }

  private Optional<Boolean> ofTensor(String operator, UTF8String text) {
    int order = id().compareTo(text);
    switch (operator) {
      case "=":
      case "<=>":
        return Optional.of(order == 0);
      case "<>":
        return Optional.of(order != 0);
      case "<":
        return Optional.of(order < 0);
      case "<=":
        return Optional.of(order <= 0);
      case ">":
        return Optional.of(order > 0);
      case ">=":
        return Optional.of(order >= 0);
      case "STARTS_WITH":
        return Optional.of(id().startsWith(text));
      case "ENDS_WITH":
        return Optional.of(id().endsWith(text));
      case "CONTAINS":
        return Optional.of(id().contains(text));
      default:
        return Optional.empty();
    }
  }

  private Optional<IndexSet> indices(String operator, long index, int dimension) {
    long length = shape.length(dimension);
    long next = index == Long.MAX_VALUE ? index : index + 1;
    switch (operator) {
      case "<":
        return Optional.of(range(0, Math.min(index, length)));
      case "<=":
        return Optional.of(range(0, Math.min(next, length)));
      case ">":
        return Optional.of(range(Math.max(0, next), length));
      case ">=":
        return Optional.of(range(Math.max(0, index), length));
      case "=":
      case "<=>":
      case "<>":
        IndexSet one = index < 0 || index >= length ? IndexSet.EMPTY : range(index, next);
        return Optional.of(operator.equals("<>") ? one.complement(length) : one);
      default:
        return Optional.empty();
    }
  }

  private static String swap(String operator) {
    switch (operator) {
      case "<":
        return ">";
      case "<=":
        return ">=";
      case ">":
        return "<";
      case ">=":
        return "<=";
      default:
        return operator;
    }
  }

  private static IndexSet range(long from, long to) {
    return from >= to ? IndexSet.EMPTY : IndexSet.of(IndexRange.of(from, to));
  }

  private Selection along(int dimension, IndexSet indices) {
    return Selection.of(OrthogonalSelection.all(shape).with(dimension, indices));
  }

  private UTF8String id() {
    return UTF8String.fromString(columns.header(tensor).tensorId());
  }

  private int dimension(String name) {
    return columns.header(tensor).schema().dimensionNames().indexOf(name);
  }

  /** The name of a column; of a field of {@code _index} that of the dimension, which is equal. */
  private Optional<String> name(Expression expression) {
    if (expression instanceof NamedReference) {
      String[] names = ((NamedReference) expression).fieldNames();
      boolean metadata = columns.hasMetadata() && TensorMetadata.isMetadata(names[0]);
      if (names.length == 2 && metadata && names[0].equals(TensorMetadata.INDEX)) {
        return Optional.of(names[1]);
      }
      return names.length == 1 && !metadata ? Optional.of(names[0]) : Optional.empty();
    }
    return Optional.empty();
  }

  private static Optional<UTF8String> text(Expression expression) {
    Object value = expression instanceof Literal ? ((Literal<?>) expression).value() : null;
    return value instanceof UTF8String ? Optional.of((UTF8String) value) : Optional.empty();
  }

  private static Optional<Long> index(Expression expression) {
    Object value = expression instanceof Literal ? ((Literal<?>) expression).value() : null;
    return value instanceof Long
            || value instanceof Integer
            || value instanceof Short
            || value instanceof Byte
        ? Optional.of(((Number) value).longValue())
        : Optional.empty();
  }
}
