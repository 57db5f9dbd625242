package io.arraymorph.spark.read;

import io.arraymorph.array.IndexSet;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;

/**
 * A column whose value depends on the index along one dimension only, so that a comparison with a
 * constant selects indices: a dimension column, an auxiliary coordinate, or a field of {@code
 * _index}.
 */
interface IndexedColumn {

  /** How a column is compared with a constant, in Spark's order of values. */
  enum Comparison {
    EQ,
    LT,
    LE,
    GT,
    GE;

    /** The comparison that Spark names so. */
    static Optional<Comparison> ofSymbol(String symbol) {
      switch (symbol) {
        case "=":
          return Optional.of(EQ);
        case "<":
          return Optional.of(LT);
        case "<=":
          return Optional.of(LE);
        case ">":
          return Optional.of(GT);
        case ">=":
          return Optional.of(GE);
        default:
          return Optional.empty();
      }
    }

    /** The comparison that says the same with both sides exchanged. */
    Comparison flipped() {
      switch (this) {
        case LT:
          return GT;
        case LE:
          return GE;
        case GT:
          return LT;
        case GE:
          return LE;
        default:
          return EQ;
      }
    }
  }

  /** The dimension along which the column lies. */
  int dimension();

  /** The length of that dimension. */
  long length();

  /** The type of the column as Spark sees it. */
  DataType type();

  /** The indices at which the column is NULL. */
  IndexSet nulls();

  /**
   * The indices at which the comparison is true; never those of NULLs.
   *
   * @param constant a value in Spark's internal form, not null
   * @param type its type
   * @return exactly those indices, or empty if a constant of this type cannot be compared exactly
   */
  Optional<IndexSet> matching(Comparison comparison, Object constant, DataType type);

  /** The indices at which the column is not NULL. */
  default IndexSet values() {
    return nulls().complement(length());
  }
}
