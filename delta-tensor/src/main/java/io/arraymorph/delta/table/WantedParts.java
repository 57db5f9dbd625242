package io.arraymorph.delta.table;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.parquet.filter2.predicate.Statistics;
import org.apache.parquet.filter2.predicate.UserDefinedPredicate;

/** Picks the pages and row groups that may hold rows of some parts. */
final class WantedParts extends UserDefinedPredicate<Long> implements Serializable {
  private static final long serialVersionUID = 1L;

  private final long[] parts;

  /** The parts, ascending. */
  WantedParts(long[] parts) {
    this.parts = parts;
  }

  @Override
  public boolean acceptsNullValue() {
    return false;
  }

  @Override
  public boolean keep(Long part) {
    return part != null && Arrays.binarySearch(parts, part) >= 0;
  }

  @Override
  public boolean canDrop(Statistics<Long> range) {
    int at = Arrays.binarySearch(parts, range.getMin());
    at = at < 0 ? -at - 1 : at;
    return at == parts.length || parts[at] > range.getMax();
  }

  @Override
  public boolean inverseCanDrop(Statistics<Long> range) {
    return false;
  }
}
