package io.arraymorph.spark.delta;

import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.Shape;
import io.arraymorph.delta.tensor.IndexRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;

/**
 * Turns predicates on dimension columns into a region, where they mean exactly the same.
 *
 * <p>Dimension columns are BIGINT and never NULL, so every comparison with an integer literal is a
 * set of indices. Anything else is left to Spark.
 */
final class DimensionFilter {
  private final List<String> dimensions;
  private final Shape shape;

  DimensionFilter(List<String> dimensions, Shape shape) {
    this.dimensions = dimensions;
    this.shape = shape;
  }

  /** The indices of one dimension. */
  private record OneDimension(int dimension, IndexSet indices) {}

  /** The cells of a region for which a predicate is true, if that is again a region. */
  Optional<IndexRegion> apply(Predicate predicate, IndexRegion region) {
    if (predicate.name().equals("AND")) {
      Optional<IndexRegion> left = apply((Predicate) predicate.children()[0], region);
      return left.flatMap(l -> apply((Predicate) predicate.children()[1], l));
    }
    return one(predicate)
        .map(
            one -> {
              List<IndexSet> indices = new ArrayList<>(region.indices());
              indices.set(one.dimension(), indices.get(one.dimension()).intersect(one.indices()));
              return new IndexRegion(indices);
            });
  }

  private Optional<OneDimension> one(Predicate predicate) {
    Expression[] children = predicate.children();
    switch (predicate.name()) {
      case "OR":
        return one((Predicate) children[0])
            .flatMap(
                left ->
                    one((Predicate) children[1])
                        .filter(right -> right.dimension() == left.dimension())
                        .map(
                            right ->
                                new OneDimension(
                                    left.dimension(), left.indices().union(right.indices()))));
      case "IN":
        return in(children);
      case "=":
      case "<=>":
      case "<":
      case "<=":
      case ">":
      case ">=":
        return comparison(predicate.name(), children);
      default:
        return Optional.empty();
    }
  }

  private Optional<OneDimension> in(Expression[] children) {
    int dimension = dimension(children[0]);
    if (dimension < 0) {
      return Optional.empty();
    }
    List<Long> wanted = new ArrayList<>();
    for (int i = 1; i < children.length; i++) {
      Optional<Long> index = index(children[i]);
      if (index.isEmpty()) {
        return Optional.empty();
      }
      if (index.get() >= 0 && index.get() < shape.length(dimension)) {
        wanted.add(index.get());
      }
    }
    return Optional.of(
        new OneDimension(
            dimension, IndexSet.ofIndices(wanted.stream().mapToLong(Long::longValue).toArray())));
  }

  private Optional<OneDimension> comparison(String name, Expression[] children) {
    if (children.length != 2) {
      return Optional.empty();
    }
    boolean swapped = dimension(children[0]) < 0;
    int dimension = dimension(children[swapped ? 1 : 0]);
    Optional<Long> index = index(children[swapped ? 0 : 1]);
    if (dimension < 0 || index.isEmpty()) {
      return Optional.empty();
    }
    String operator = swapped ? swap(name) : name;
    return Optional.of(new OneDimension(dimension, indices(operator, index.get(), dimension)));
  }

  private static String swap(String name) {
    if (name.startsWith("<") && !name.equals("<=>")) {
      return name.replace('<', '>');
    }
    return name.replace('>', '<').replace("<=<", "<=>");
  }

  private IndexSet indices(String operator, long index, int dimension) {
    long length = shape.length(dimension);
    long next = index == Long.MAX_VALUE ? index : index + 1;
    switch (operator) {
      case "<":
        return range(0, Math.min(index, length));
      case "<=":
        return range(0, Math.min(next, length));
      case ">":
        return range(Math.max(0, next), length);
      case ">=":
        return range(Math.max(0, index), length);
      default:
        return index < 0 || index >= length ? IndexSet.EMPTY : range(index, next);
    }
  }

  private static IndexSet range(long from, long to) {
    return from >= to ? IndexSet.EMPTY : IndexSet.of(IndexRange.of(from, to));
  }

  private int dimension(Expression expression) {
    if (expression instanceof NamedReference) {
      String[] names = ((NamedReference) expression).fieldNames();
      return names.length == 1 ? dimensions.indexOf(names[0]) : -1;
    }
    return -1;
  }

  private static Optional<Long> index(Expression expression) {
    if (expression instanceof Literal) {
      Object value = ((Literal<?>) expression).value();
      if (value instanceof Long
          || value instanceof Integer
          || value instanceof Short
          || value instanceof Byte) {
        return Optional.of(((Number) value).longValue());
      }
    }
    return Optional.empty();
  }
}
