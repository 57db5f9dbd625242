package io.arraymorph.spark.read;

import io.arraymorph.array.DatePart;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.dataset.Variable;
import io.arraymorph.spark.read.IndexedColumn.Comparison;
import io.arraymorph.spark.read.Narrowing.Exact;
import io.arraymorph.spark.read.Narrowing.Superset;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.connector.expressions.Cast;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Extract;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * Turns Spark's predicates into a selection of cells: those that are proven to mean the same as the
 * selection leave the query, all others stay as residual.
 *
 * <p>Only shapes named here are understood; Spark also offers predicates without references ({@code
 * rand() > 0.5}), functions and comparisons of columns, and none of those is accepted. SQL's third
 * truth value is kept by asking for the cells where a predicate is true and, below a NOT, for those
 * where it is false; NULL is in neither.
 */
final class PredicatePushdown {
  /** Beyond so many products a selection costs more to handle than it saves to read. */
  private static final int MAX_PARTS = 4096;

  private final Shape shape;
  private final Map<List<String>, IndexedColumn> columns;
  private final Set<List<String>> clipping;
  private final ZoneId zone;
  private final List<Variable> values;
  private final ValuePushdown filters;

  /**
   * @param shape of the array
   * @param columns those along one dimension, by field names
   * @param clipping those of them that lie along a packed dimension; a predicate that cannot be
   *     answered completely never narrows by these, for Spark could not evaluate the rest of it
   * @param zone the session's time zone
   * @param values variables whose column is the value of one cell, which tasks can test
   */
  PredicatePushdown(
      Shape shape,
      Map<List<String>, IndexedColumn> columns,
      Set<List<String>> clipping,
      ZoneId zone,
      List<Variable> values) {
    this.shape = shape;
    this.columns = Map.copyOf(columns);
    this.clipping = Set.copyOf(clipping);
    this.zone = zone;
    this.values = List.copyOf(values);
    this.filters = new ValuePushdown(values, this::narrow);
  }

  /** Splits conjuncts into a selection within {@code base} and what Spark must evaluate. */
  PushdownResult push(Selection base, Predicate[] predicates) {
    Selection selection = base;
    List<Predicate> exact = new ArrayList<>();
    List<Predicate> residual = new ArrayList<>();
    List<Predicate> narrowing = new ArrayList<>();
    List<Predicate> filtered = new ArrayList<>();
    CellFilter filter = CellFilter.everyCell();
    for (Predicate predicate : predicates) {
      Optional<Narrowing> found = narrow(predicate, false);
      if (found.isPresent() && !fits(selection, found.get().selection())) {
        found = Optional.empty();
      }
      if (found.isPresent() && found.get() instanceof Exact) {
        exact.add(predicate);
        selection = selection.intersect(found.get().selection());
        continue;
      }
      Optional<CellFilter> test =
          values.isEmpty() ? Optional.empty() : filters.filter(predicate, false);
      if (test.isPresent()) {
        filtered.add(predicate);
        filter = filter.and(test.get());
      } else {
        residual.add(predicate);
      }
      if (found.isPresent()
          && Arrays.stream(predicate.references())
              .noneMatch(r -> clipping.contains(List.of(r.fieldNames())))) {
        narrowing.add(predicate);
        selection = selection.intersect(found.get().selection());
      }
    }
    return new PushdownResult(
        selection, exact, residual, narrowing, filtered, new ValueFilter(filter, values));
  }

  /**
   * What is known of the cells where a predicate is true, or false if {@code negated}; empty if
   * nothing is.
   */
  private Optional<Narrowing> narrow(Expression expression, boolean negated) {
    if (!(expression instanceof Predicate)) {
      return Optional.empty();
    }
    Predicate predicate = (Predicate) expression;
    Expression[] children = predicate.children();
    switch (predicate.name()) {
      case "ALWAYS_TRUE":
        return exact(negated ? Selection.none(shape.rank()) : Selection.all(shape));
      case "ALWAYS_FALSE":
        return exact(negated ? Selection.all(shape) : Selection.none(shape.rank()));
      case "NOT":
        return children.length == 1 ? narrow(children[0], !negated) : Optional.empty();
      case "AND":
      case "OR":
        if (children.length != 2) {
          return Optional.empty();
        }
        Optional<Narrowing> left = narrow(children[0], negated);
        Optional<Narrowing> right = narrow(children[1], negated);
        return predicate.name().equals("AND") == negated ? or(left, right) : and(left, right);
      case "IS_NULL":
      case "IS_NOT_NULL":
        boolean wantNull = predicate.name().equals("IS_NULL") != negated;
        return column(children).flatMap(c -> exact(along(c, wantNull ? c.nulls() : c.values())));
      case "IN":
        return in(children, negated);
      case "<=>":
        return nullSafeEqual(children, negated);
      case "<>":
        return compare(Comparison.EQ, children, !negated);
      default:
        return Comparison.ofSymbol(predicate.name()).flatMap(c -> compare(c, children, negated));
    }
  }

  private static Optional<Narrowing> and(Optional<Narrowing> left, Optional<Narrowing> right) {
    if (left.isEmpty() || right.isEmpty()) {
      return left.or(() -> right).map(known -> new Superset(known.selection()));
    }
    Narrowing l = left.get();
    Narrowing r = right.get();
    if (!fits(l.selection(), r.selection())) {
      return Optional.of(new Superset(l.selection()));
    }
    Selection both = l.selection().intersect(r.selection());
    return Optional.of(
        l instanceof Exact && r instanceof Exact ? new Exact(both) : new Superset(both));
  }

  private static Optional<Narrowing> or(Optional<Narrowing> left, Optional<Narrowing> right) {
    if (left.isEmpty() || right.isEmpty()) {
      return Optional.empty();
    }
    Narrowing l = left.get();
    Narrowing r = right.get();
    if (!fits(l.selection(), r.selection())) {
      return Optional.empty();
    }
    Selection either = l.selection().union(r.selection());
    return Optional.of(
        l instanceof Exact && r instanceof Exact ? new Exact(either) : new Superset(either));
  }

  private static boolean fits(Selection a, Selection b) {
    return (long) a.parts().size() * b.parts().size() <= MAX_PARTS;
  }

  private Optional<Narrowing> compare(Comparison comparison, Expression[] sides, boolean negated) {
    if (sides.length != 2) {
      return Optional.empty();
    }
    if (sides[0] instanceof Literal) {
      return compare(comparison.flipped(), new Expression[] {sides[1], sides[0]}, negated);
    }
    Optional<IndexedColumn> column = column(sides);
    if (column.isEmpty() || !(sides[1] instanceof Literal)) {
      return Optional.empty();
    }
    Literal<?> literal = (Literal<?>) sides[1];
    if (literal.value() == null) {
      return exact(Selection.none(shape.rank()));
    }
    return column
        .get()
        .matching(comparison, literal.value(), literal.dataType())
        .map(found -> negated ? column.get().values().minus(found) : found)
        .flatMap(found -> exact(along(column.get(), found)));
  }

  private Optional<Narrowing> nullSafeEqual(Expression[] sides, boolean negated) {
    if (sides.length != 2) {
      return Optional.empty();
    }
    if (sides[0] instanceof Literal) {
      return nullSafeEqual(new Expression[] {sides[1], sides[0]}, negated);
    }
    Optional<IndexedColumn> column = column(sides);
    if (column.isEmpty() || !(sides[1] instanceof Literal)) {
      return Optional.empty();
    }
    IndexedColumn c = column.get();
    Literal<?> literal = (Literal<?>) sides[1];
    Optional<IndexSet> equal =
        literal.value() == null
            ? Optional.of(c.nulls())
            : c.matching(Comparison.EQ, literal.value(), literal.dataType());
    return equal
        .map(found -> negated ? found.complement(c.length()) : found)
        .flatMap(found -> exact(along(c, found)));
  }

  private Optional<Narrowing> in(Expression[] children, boolean negated) {
    Optional<IndexedColumn> column = column(children);
    if (column.isEmpty()) {
      return Optional.empty();
    }
    IndexedColumn c = column.get();
    List<IndexSet> found = new ArrayList<>();
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
      Optional<IndexSet> one = c.matching(Comparison.EQ, literal.value(), literal.dataType());
      if (one.isEmpty()) {
        return Optional.empty();
      }
      found.add(one.get());
    }
    IndexSet listed = IndexSet.of(found.stream().flatMap(s -> s.ranges().stream()).toList());
    if (!negated) {
      return exact(along(c, listed));
    }
    // x NOT IN (.., NULL) is NULL or false, never true.
    return exact(along(c, nullListed ? IndexSet.EMPTY : c.values().minus(listed)));
  }

  /** The indexed column that the first child is, looking through casts that change no value. */
  private Optional<IndexedColumn> column(Expression[] children) {
    if (children.length == 0) {
      return Optional.empty();
    }
    if (children[0] instanceof NamedReference) {
      return Optional.ofNullable(columns.get(List.of(((NamedReference) children[0]).fieldNames())));
    }
    if (children[0] instanceof Cast) {
      Cast cast = (Cast) children[0];
      Optional<IndexedColumn> column = column(new Expression[] {cast.expression()});
      if (cast.dataType() instanceof DateType) {
        return column.flatMap(c -> part(c, DatePart.EPOCH_DAY, cast.dataType()));
      }
      return column.flatMap(c -> LosslessCasts.through(c, cast.dataType()));
    }
    return children[0] instanceof Extract ? ofExtract((Extract) children[0]) : Optional.empty();
  }

  /**
   * {@code year(time)} and the like; Spark casts to DATE below parts of a day, which changes none.
   */
  private Optional<IndexedColumn> ofExtract(Extract extract) {
    Expression source = extract.source();
    boolean ofDay = !Set.of("HOUR", "MINUTE", "SECOND").contains(extract.field());
    if (ofDay && source instanceof Cast && ((Cast) source).dataType() instanceof DateType) {
      source = ((Cast) source).expression();
    }
    Optional<DatePart> part = DatePartColumn.named(extract.field());
    if (part.isEmpty() || !(source instanceof NamedReference)) {
      return Optional.empty();
    }
    return column(new Expression[] {source})
        .flatMap(c -> part(c, part.get(), DataTypes.IntegerType));
  }

  private Optional<IndexedColumn> part(IndexedColumn column, DatePart part, DataType type) {
    if (!(column instanceof CoordinateColumn)) {
      return Optional.empty();
    }
    boolean isInstant = column.type() instanceof TimestampType;
    if (!isInstant && !(column.type() instanceof TimestampNTZType)) {
      return Optional.empty();
    }
    ZoneId clock = isInstant ? zone : ZoneOffset.UTC;
    return Optional.of(new DatePartColumn((CoordinateColumn) column, part, clock, type));
  }

  private Selection along(IndexedColumn column, IndexSet indices) {
    if (indices.isEmpty()) {
      return Selection.none(shape.rank());
    }
    return Selection.of(OrthogonalSelection.all(shape).with(column.dimension(), indices));
  }

  private static Optional<Narrowing> exact(Selection selection) {
    return Optional.of(new Exact(selection));
  }
}
