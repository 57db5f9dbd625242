package io.arraymorph.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.IndexSet;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.GeneralScalarExpression;
import org.apache.spark.sql.connector.expressions.LiteralValue;
import org.apache.spark.sql.connector.expressions.filter.AlwaysFalse;
import org.apache.spark.sql.connector.expressions.filter.AlwaysTrue;
import org.apache.spark.sql.connector.expressions.filter.And;
import org.apache.spark.sql.connector.expressions.filter.Not;
import org.apache.spark.sql.connector.expressions.filter.Or;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class PredicatePushdownTest {
  private static final Shape SHAPE = Shape.of(7, 5);

  /** Along dimension 0, with NULLs. */
  private static final Integer[] X = {3, null, 1, 4, 1, null, 5};

  /** A column of small integers and NULLs, compared the slow way. */
  private record SlowColumn(int dimension, List<Optional<Integer>> cells) implements IndexedColumn {
    @Override
    public long length() {
      return cells.size();
    }

    @Override
    public DataType type() {
      return DataTypes.IntegerType;
    }

    @Override
    public IndexSet nulls() {
      return where(i -> cells.get(i).isEmpty());
    }

    @Override
    public Optional<IndexSet> matching(Comparison comparison, Object constant, DataType type) {
      int c = (Integer) constant;
      return Optional.of(
          where(
              i ->
                  cells.get(i).isPresent()
                      && holds(comparison, Integer.compare(cells.get(i).get(), c))));
    }

    private IndexSet where(java.util.function.IntPredicate test) {
      return IndexSet.ofIndices(
          IntStream.range(0, cells.size()).filter(test).asLongStream().toArray());
    }
  }

  private static boolean holds(IndexedColumn.Comparison comparison, int sign) {
    switch (comparison) {
      case EQ:
        return sign == 0;
      case LT:
        return sign < 0;
      case LE:
        return sign <= 0;
      case GT:
        return sign > 0;
      default:
        return sign >= 0;
    }
  }

  private static PredicatePushdown pushdown(Set<List<String>> clipping) {
    Map<List<String>, IndexedColumn> columns = new HashMap<>();
    columns.put(
        List.of("x"), new SlowColumn(0, Arrays.stream(X).map(Optional::ofNullable).toList()));
    columns.put(List.of("y"), new IndexColumn(1, 5));
    columns.put(List.of("_index", "x"), new IndexColumn(0, 7));
    return new PredicatePushdown(SHAPE, columns, clipping, ZoneOffset.UTC, List.of());
  }

  private static Expression ref(String... names) {
    return Expressions.column(String.join(".", names));
  }

  private static Expression literal(Object value, DataType type) {
    return new LiteralValue<>(value, type);
  }

  private static Predicate predicate(String name, Expression... children) {
    return new Predicate(name, children);
  }

  /** rand() > 0.5, as Spark offers it: no references. */
  private static Predicate random() {
    return predicate(
        ">",
        new GeneralScalarExpression("RAND", new Expression[0]),
        literal(0.5, DataTypes.DoubleType));
  }

  @RepeatedTest(500)
  void exactPredicatesSelectExactlyTheCellsWhereTheyAreTrue(RepetitionInfo info) {
    long seed = 31_000L + info.getCurrentRepetition();
    Random random = new Random(seed);
    Predicate[] conjuncts =
        IntStream.range(0, 1 + random.nextInt(3))
            .mapToObj(i -> tree(random, 3))
            .toArray(Predicate[]::new);
    PushdownResult result = pushdown(Set.of()).push(Selection.all(SHAPE), conjuncts);
    assertThat(result.exact().size() + result.residual().size()).isEqualTo(conjuncts.length);
    for (int x = 0; x < 7; x++) {
      for (int y = 0; y < 5; y++) {
        boolean selected = contains(result.selection(), x, y);
        Boolean unknownTrue = all(conjuncts, x, y, true);
        Boolean unknownFalse = all(conjuncts, x, y, false);
        String cell = "seed " + seed + " cell " + x + "," + y + " of " + List.of(conjuncts);
        if (result.residual().isEmpty()) {
          assertThat(selected).as(cell).isEqualTo(Boolean.TRUE.equals(unknownTrue));
        } else if (Boolean.TRUE.equals(unknownTrue) || Boolean.TRUE.equals(unknownFalse)) {
          assertThat(selected).as(cell).isTrue();
        }
        for (Predicate exact : result.exact()) {
          if (selected) {
            assertThat(evaluate(exact, x, y, true)).as(cell).isEqualTo(true);
          }
        }
      }
    }
  }

  @Test
  void predicatesWithoutReferencesStayWithSpark() {
    PushdownResult result =
        pushdown(Set.of()).push(Selection.all(SHAPE), new Predicate[] {random()});
    assertThat(result.residual()).containsExactly(random());
    assertThat(result.selection()).isEqualTo(Selection.all(SHAPE));
  }

  @Test
  void comparisonsOfColumnsStayWithSpark() {
    Predicate columns = predicate("=", ref("y"), ref("_index", "x"));
    assertThat(pushdown(Set.of()).push(Selection.all(SHAPE), new Predicate[] {columns}).residual())
        .containsExactly(columns);
  }

  @Test
  void aDisjunctionWithValuesNarrowsAndStaysResidual() {
    Predicate value = predicate(">", ref("v"), literal(0.5, DataTypes.DoubleType));
    Predicate low = predicate("<", ref("y"), literal(1L, DataTypes.LongType));
    Predicate high = predicate(">", ref("y"), literal(3L, DataTypes.LongType));
    Predicate either = new Or(new And(low, value), new And(high, new Not(value)));
    PushdownResult result = pushdown(Set.of()).push(Selection.all(SHAPE), new Predicate[] {either});
    assertThat(result.residual()).containsExactly(either);
    assertThat(result.selection().elementCount()).isEqualTo(14);
    assertThat(result.narrowing()).containsExactly(either);

    PushdownResult packed =
        pushdown(Set.of(List.of("y"))).push(Selection.all(SHAPE), new Predicate[] {either});
    assertThat(packed.selection()).isEqualTo(Selection.all(SHAPE));
    assertThat(packed.residual()).containsExactly(either);
  }

  @Test
  void lossyCastsAreNotLookedThrough() {
    Expression toFloat =
        new org.apache.spark.sql.connector.expressions.Cast(
            ref("x"), DataTypes.IntegerType, DataTypes.FloatType);
    Predicate p = predicate("<", toFloat, literal(2f, DataTypes.FloatType));
    assertThat(pushdown(Set.of()).push(Selection.all(SHAPE), new Predicate[] {p}).exact())
        .isEmpty();
    Expression toDecimal =
        new org.apache.spark.sql.connector.expressions.Cast(
            ref("y"), DataTypes.LongType, DataTypes.createDecimalType(20, 0));
    Predicate exact =
        predicate(
            "<",
            toDecimal,
            literal(
                org.apache.spark.sql.types.Decimal.apply(2), DataTypes.createDecimalType(20, 0)));
    assertThat(pushdown(Set.of()).push(Selection.all(SHAPE), new Predicate[] {exact}).selection())
        .isEqualTo(
            Selection.of(io.arraymorph.array.Hyperslab.box(new long[] {0, 0}, new long[] {7, 2})));
  }

  @Test
  void indexComparesWithEveryNumericType() {
    IndexColumn y = new IndexColumn(1, 5);
    DataType any = DataTypes.DoubleType;
    IndexedColumn.Comparison lt = IndexedColumn.Comparison.LT;
    IndexedColumn.Comparison ge = IndexedColumn.Comparison.GE;
    IndexedColumn.Comparison eq = IndexedColumn.Comparison.EQ;
    assertThat(y.matching(lt, 2.5, any)).contains(IndexSet.ofIndices(0, 1, 2));
    assertThat(y.matching(lt, Double.NaN, any)).contains(IndexSet.all(5));
    assertThat(y.matching(ge, Double.NaN, any)).contains(IndexSet.EMPTY);
    assertThat(y.matching(ge, Double.NEGATIVE_INFINITY, any)).contains(IndexSet.all(5));
    assertThat(y.matching(lt, Double.NEGATIVE_INFINITY, any)).contains(IndexSet.EMPTY);
    assertThat(y.matching(eq, -0.0, any)).contains(IndexSet.ofIndices(0));
    assertThat(y.matching(eq, 2.5f, any)).contains(IndexSet.EMPTY);
    assertThat(y.matching(ge, Long.MIN_VALUE, any)).contains(IndexSet.all(5));
    assertThat(y.matching(IndexedColumn.Comparison.GT, Long.MAX_VALUE, any))
        .contains(IndexSet.EMPTY);
    assertThat(y.matching(IndexedColumn.Comparison.LE, (byte) 1, any))
        .contains(IndexSet.ofIndices(0, 1));
  }

  private static Predicate tree(Random random, int depth) {
    int kind = random.nextInt(depth > 0 ? 12 : 8);
    switch (kind) {
      case 8:
        return new And(tree(random, depth - 1), tree(random, depth - 1));
      case 9:
        return new Or(tree(random, depth - 1), tree(random, depth - 1));
      case 10:
      case 11:
        return new Not(tree(random, depth - 1));
      default:
        return leaf(random, kind);
    }
  }

  private static Predicate leaf(Random random, int kind) {
    boolean onX = random.nextBoolean();
    Expression column = onX ? ref("x") : random.nextBoolean() ? ref("y") : ref("_index", "x");
    switch (kind) {
      case 0:
        return predicate("IS_NULL", column);
      case 1:
        return predicate("IS_NOT_NULL", column);
      case 2:
        List<Expression> children = new ArrayList<>(List.of(column));
        for (int i = random.nextInt(4); i >= 0; i--) {
          children.add(constant(random, onX));
        }
        return predicate("IN", children.toArray(Expression[]::new));
      case 3:
        return predicate("<=>", column, constant(random, onX));
      case 4:
        return random.nextInt(4) == 0
            ? (random.nextBoolean() ? new AlwaysTrue() : new AlwaysFalse())
            : random.nextInt(3) == 0 ? random() : predicate("<>", column, constant(random, onX));
      default:
        String name = List.of("=", "<", "<=", ">", ">=").get(random.nextInt(5));
        return random.nextInt(4) == 0
            ? predicate(name, constant(random, onX), column)
            : predicate(name, column, constant(random, onX));
    }
  }

  private static Expression constant(Random random, boolean asInt) {
    DataType type = asInt ? DataTypes.IntegerType : DataTypes.LongType;
    if (random.nextInt(8) == 0) {
      return literal(null, type);
    }
    int value = random.nextInt(8) - 1;
    return asInt ? literal(value, type) : literal((long) value, type);
  }

  private static boolean contains(Selection selection, long x, long y) {
    return selection.parts().stream()
        .anyMatch(p -> p.indices(0).contains(x) && p.indices(1).contains(y));
  }

  private static Boolean all(Predicate[] conjuncts, int x, int y, boolean unknown) {
    Boolean all = true;
    for (Predicate conjunct : conjuncts) {
      all = and(all, evaluate(conjunct, x, y, unknown));
    }
    return all;
  }

  private static Boolean and(Boolean a, Boolean b) {
    if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
      return false;
    }
    return (a == null || b == null) ? null : true;
  }

  private static Boolean not(Boolean a) {
    return a == null ? null : !a;
  }

  /** SQL's three-valued logic; what is not understood counts as {@code unknown}. */
  private static Boolean evaluate(Expression expression, int x, int y, boolean unknown) {
    Predicate p = (Predicate) expression;
    Expression[] c = p.children();
    switch (p.name()) {
      case "AND":
        return and(evaluate(c[0], x, y, unknown), evaluate(c[1], x, y, unknown));
      case "OR":
        return not(and(not(evaluate(c[0], x, y, unknown)), not(evaluate(c[1], x, y, unknown))));
      case "NOT":
        return not(evaluate(c[0], x, y, unknown));
      case "ALWAYS_TRUE":
        return true;
      case "ALWAYS_FALSE":
        return false;
      case "IS_NULL":
        return value(c[0], x, y) == null;
      case "IS_NOT_NULL":
        return value(c[0], x, y) != null;
      case "<=>":
        return java.util.Objects.equals(value(c[0], x, y), value(c[1], x, y));
      case "IN":
        Boolean none = true;
        for (int i = 1; i < c.length; i++) {
          none = and(none, not(equal(value(c[0], x, y), value(c[i], x, y))));
        }
        return not(none);
      case "<>":
        return not(equal(value(c[0], x, y), value(c[1], x, y)));
      default:
        if (c[0] instanceof GeneralScalarExpression) {
          return unknown;
        }
        Long left = value(c[0], x, y);
        Long right = value(c[1], x, y);
        if (left == null || right == null) {
          return null;
        }
        int sign = Long.compare(left, right);
        switch (p.name()) {
          case "=":
            return sign == 0;
          case "<":
            return sign < 0;
          case "<=":
            return sign <= 0;
          case ">":
            return sign > 0;
          default:
            return sign >= 0;
        }
    }
  }

  private static Boolean equal(Long a, Long b) {
    return (a == null || b == null) ? null : a.equals(b);
  }

  private static Long value(Expression expression, int x, int y) {
    if (expression instanceof LiteralValue) {
      Object value = ((LiteralValue<?>) expression).value();
      return value == null ? null : ((Number) value).longValue();
    }
    switch (expression.describe()) {
      case "x":
        return X[x] == null ? null : X[x].longValue();
      case "y":
        return (long) y;
      default:
        return (long) x;
    }
  }
}
