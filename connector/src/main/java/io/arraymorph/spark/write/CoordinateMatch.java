package io.arraymorph.spark.write;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The coordinates that occur in rows against those that an array has.
 *
 * @param dimension which
 * @param known the array's, in the order of its indices
 * @param found those of the rows, in order
 * @param isPacked true if they are those of tensors, which must not have gaps
 */
record CoordinateMatch(String dimension, List<Object> known, List<Object> found, boolean isPacked) {

  /**
   * Makes sure that all are known.
   *
   * @throws ArrayMorphException OUT_OF_BOUNDS otherwise
   */
  void requireKnown() {
    Set<Object> all = new HashSet<>(known);
    for (Object key : found) {
      if (!all.contains(key)) {
        throw outside("coordinate " + key + " is not among those of " + dimension);
      }
    }
    if (isPacked && !found.isEmpty()) {
      int first = known.indexOf(found.get(0));
      boolean consecutive =
          first + found.size() <= known.size()
              && known.subList(first, first + found.size()).equals(found);
      if (!consecutive) {
        throw outside("the tensors' coordinates along " + dimension + " are not consecutive");
      }
    }
  }

  /**
   * Those that are added at the end, in the order of their new indices.
   *
   * @throws ArrayMorphException OUT_OF_BOUNDS if one is there already or lies before the last
   */
  List<Object> added() {
    Set<Object> all = new HashSet<>(known);
    for (Object key : found) {
      if (all.contains(key)) {
        throw outside("coordinate " + key + " of " + dimension + " exists already");
      }
    }
    List<Object> added = new ArrayList<>(found);
    int order = order(known);
    if (order < 0 && !isPacked) {
      Collections.reverse(added);
    }
    if (order != 0 && !added.isEmpty()) {
      Object last = known.get(known.size() - 1);
      Object next = added.get(0);
      boolean beyond = Integer.signum(RowSurvey.compare(next, last)) == order;
      if (!beyond || (isPacked && order(added) == -order)) {
        throw outside(
            "coordinate " + next + " of " + dimension + " does not follow the last, " + last);
      }
    }
    return added;
  }

  /** 1 if ascending, -1 if descending, 0 if neither. */
  private static int order(List<Object> keys) {
    int order = 0;
    for (int i = 0; i < keys.size(); i++) {
      if (keys.get(i) == null) {
        return 0;
      }
      if (i > 0) {
        int step = Integer.signum(RowSurvey.compare(keys.get(i), keys.get(i - 1)));
        if (step == 0 || (order != 0 && step != order)) {
          return 0;
        }
        order = step;
      }
    }
    return keys.size() == 1 ? 1 : order;
  }

  private static ArrayMorphException outside(String problem) {
    return new ArrayMorphException(
        ErrorCode.OUT_OF_BOUNDS,
        problem,
        "Append only what follows the end of the array along its append-dim, or overwrite it");
  }
}
