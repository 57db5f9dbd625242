package io.arraymorph.spark.read;

import io.arraymorph.array.CoordinateIndex;
import io.arraymorph.array.ValueSet;
import io.arraymorph.layout.column.ColumnType;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.spark.read.IndexedColumn.Comparison;
import io.arraymorph.spark.read.Narrowing.Exact;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;

/**
 * Turns predicates on values of variables into conditions that tasks evaluate while they read.
 *
 * <p>Only comparisons of a variable with constants, and AND, OR and NOT of these and of predicates
 * on dimensions, are understood; each is proven to be true for exactly the cells for which SQL's
 * is.
 */
final class ValuePushdown {
  /** A condition of more parts costs more to evaluate than Spark's own filter. */
  private static final int MAX_PARTS = 64;

  private final List<Variable> variables;
  private final BiFunction<Expression, Boolean, Optional<Narrowing>> ofDimensions;

  /**
   * @param variables those whose column is the value of one cell
   * @param ofDimensions what is known of the cells where a predicate is true, or false
   */
  ValuePushdown(
      List<Variable> variables, BiFunction<Expression, Boolean, Optional<Narrowing>> ofDimensions) {
    this.variables = List.copyOf(variables);
    this.ofDimensions = ofDimensions;
  }

  /**
   * The condition that holds for exactly the cells where the predicate is true, or false if {@code
   * negated}; variables are counted as in this object's list. Empty if none is known.
   */
  Optional<CellFilter> filter(Expression expression, boolean negated) {
    if (!(expression instanceof Predicate)) {
      return Optional.empty();
    }
    Optional<Narrowing> known = ofDimensions.apply(expression, negated);
    if (known.isPresent()
        && known.get() instanceof Exact
        && known.get().selection().parts().size() <= MAX_PARTS) {
      return Optional.of(new CellFilter.Inside(known.get().selection()));
    }
    Predicate predicate = (Predicate) expression;
    Expression[] children = predicate.children();
    switch (predicate.name()) {
      case "NOT":
        return children.length == 1 ? filter(children[0], !negated) : Optional.empty();
      case "AND":
      case "OR":
        return both(children, negated, predicate.name().equals("AND") != negated);
      case "IS_NULL":
      case "IS_NOT_NULL":
        boolean wantNull = predicate.name().equals("IS_NULL") != negated;
        return column(children)
            .map(c -> wantNull ? c.test(c.none(), true) : c.test(c.all(), false));
      case "IN":
        return in(children, negated);
      case "<=>":
        return nullSafeEqual(children, negated);
      case "<>":
        return compare(Comparison.EQ, children, !negated);
      default:
        return IndexedColumn.Comparison.ofSymbol(predicate.name())
            .flatMap(c -> compare(c, children, negated));
    }
  }

  private Optional<CellFilter> both(Expression[] children, boolean negated, boolean isAnd) {
    if (children.length != 2) {
      return Optional.empty();
    }
    Optional<CellFilter> left = filter(children[0], negated);
    Optional<CellFilter> right = left.isEmpty() ? left : filter(children[1], negated);
    if (right.isEmpty()) {
      return right;
    }
    List<CellFilter> two = List.of(left.get(), right.get());
    return Optional.of(isAnd ? new CellFilter.All(two) : new CellFilter.AnyOf(two));
  }

  private Optional<CellFilter> compare(Comparison comparison, Expression[] sides, boolean negated) {
    if (sides.length != 2) {
      return Optional.empty();
    }
    if (sides[0] instanceof Literal) {
      return compare(comparison.flipped(), new Expression[] {sides[1], sides[0]}, negated);
    }
    Optional<Column> column = column(sides);
    if (column.isEmpty() || !(sides[1] instanceof Literal)) {
      return Optional.empty();
    }
    Column c = column.get();
    Literal<?> literal = (Literal<?>) sides[1];
    if (literal.value() == null) {
      return Optional.of(c.test(c.none(), false));
    }
    return c.matching(comparison, literal)
        .map(found -> c.test(negated ? found.complement() : found, false));
  }

  private Optional<CellFilter> nullSafeEqual(Expression[] sides, boolean negated) {
    if (sides.length != 2) {
      return Optional.empty();
    }
    if (sides[0] instanceof Literal) {
      return nullSafeEqual(new Expression[] {sides[1], sides[0]}, negated);
    }
    Optional<Column> column = column(sides);
    if (column.isEmpty() || !(sides[1] instanceof Literal)) {
      return Optional.empty();
    }
    Column c = column.get();
    Literal<?> literal = (Literal<?>) sides[1];
    if (literal.value() == null) {
      return Optional.of(negated ? c.test(c.all(), false) : c.test(c.none(), true));
    }
    return c.matching(Comparison.EQ, literal)
        .map(found -> negated ? c.test(found.complement(), true) : c.test(found, false));
  }

  private Optional<CellFilter> in(Expression[] children, boolean negated) {
    Optional<Column> column = column(children);
    if (column.isEmpty()) {
      return Optional.empty();
    }
    Column c = column.get();
    ValueSet listed = c.none();
    boolean nullListed = false;
    for (int i = 1; i < children.length; i++) {
      if (!(children[i] instanceof Literal)) {
        return Optional.empty();
      }
      Literal<?> literal = (Literal<?>) children[i];
      if (literal.value() == null) {
        nullListed = true;
        continue;
      }
      Optional<ValueSet> one = c.matching(Comparison.EQ, literal);
      if (one.isEmpty()) {
        return Optional.empty();
      }
      listed = listed.union(one.get());
    }
    if (!negated) {
      return Optional.of(c.test(listed, false));
    }
    // x NOT IN (.., NULL) is NULL or false, never true.
    return Optional.of(c.test(nullListed ? c.none() : listed.complement(), false));
  }

  /** The variable that the first child is, looking through casts that change no value. */
  private Optional<Column> column(Expression[] children) {
    if (children.length == 0) {
      return Optional.empty();
    }
    if (children[0] instanceof Cast) {
      Cast cast = (Cast) children[0];
      return column(new Expression[] {cast.expression()})
          .filter(c -> LosslessCasts.keepsValues(c.type, cast.dataType()));
    }
    if (!(children[0] instanceof NamedReference)) {
      return Optional.empty();
    }
    String[] names = ((NamedReference) children[0]).fieldNames();
    for (int v = 0; v < variables.size(); v++) {
      if (names.length == 1 && variables.get(v).name().equals(names[0])) {
        return Column.of(v, variables.get(v).type());
      }
    }
    return Optional.empty();
  }

  /** A variable whose values have keys. */
  private record Column(int variable, ValueSet.Kind kind, DataType type) {

    static Optional<Column> of(int variable, ColumnType type) {
      if (!(type instanceof Scalar) || type.byteWidth() == 0) {
        return Optional.empty();
      }
      ValueSet.Kind kind =
          type == Scalar.FLOAT || type == Scalar.DOUBLE
              ? ValueSet.Kind.DOUBLES
              : type == Scalar.DECIMAL20 ? ValueSet.Kind.UNSIGNED_LONGS : ValueSet.Kind.LONGS;
      return Optional.of(new Column(variable, kind, SparkTypes.of(type)));
    }

    CellFilter test(ValueSet set, boolean nulls) {
      return new CellFilter.InSet(variable, set, nulls);
    }

    ValueSet none() {
      return ValueSet.none(kind);
    }

    ValueSet all() {
      return ValueSet.all(kind);
    }

    Optional<ValueSet> matching(Comparison comparison, Literal<?> literal) {
      boolean comparable =
          literal.dataType().equals(type)
              || (literal.dataType() instanceof NumericType && type instanceof NumericType);
      return comparable
          ? Optional.of(
              ValueSet.where(
                  kind,
                  CoordinateIndex.Comparison.valueOf(comparison.name()),
                  CoordinateColumn.inCore(literal.value())))
          : Optional.empty();
    }
  }
}
