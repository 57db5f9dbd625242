package io.arraymorph.delta.paper;

import java.util.TreeMap;

/** The tree of a tensor in CSF, put together from its rows, which come in any order. */
public final class PaperTree {
  private final int rank;
  private final TreeMap<Long, Numbers[]> parts = new TreeMap<>();
  private Numbers lengths = new Numbers();
  private Numbers[] levels;

  /**
   * @param rank of the tensor
   */
  public PaperTree(int rank) {
    this.rank = rank;
  }

  /** Takes a row: part {@code _0003} of its tensor. */
  public void add(PaperRecord row) {
    String id = row.text(PaperLayout.PART);
    String number = id.substring(id.lastIndexOf('_') + 1);
    if (!number.matches("[0-9]{1,18}")) {
      throw Numbers.corrupt("has part '" + id + "', which has no number");
    }
    Numbers[] part = new Numbers[2 * rank + 1];
    for (int level = 0; level < rank; level++) {
      part[level] = copy(row.numbers(PaperLayout.fid(level)));
      part[rank + level] =
          copy(level + 1 < rank ? row.numbers(PaperLayout.fptr(level)) : new Numbers());
    }
    part[2 * rank] = copy(row.numbers(PaperLayout.VALUES_CHUNK));
    if (parts.put(Long.parseLong(number), part) != null) {
      throw Numbers.corrupt("has part '" + id + "', which is there twice");
    }
    lengths = copy(row.numbers(PaperLayout.DENSE_SHAPE));
  }

  private static Numbers copy(Numbers from) {
    Numbers copy = new Numbers();
    copy.addAll(from);
    return copy;
  }

  /** True if no row was taken. */
  public boolean isEmpty() {
    return parts.isEmpty();
  }

  /** Joins the parts and checks that they are a tree. */
  void check(int expected) {
    levels = new Numbers[2 * rank + 1];
    for (int k = 0; k < levels.length; k++) {
      levels[k] = new Numbers();
      for (Numbers[] part : parts.values()) {
        levels[k].addAll(part[k]);
      }
    }
    if (parts.lastKey() != parts.size() - 1 || rank != expected) {
      throw Numbers.corrupt(
          "lacks a part: there are " + parts.size() + ", the last is " + parts.lastKey());
    }
    for (int level = 0; level < rank; level++) {
      int below = level + 1 < rank ? fid(level + 1).size() : values().size();
      if (level + 1 == rank ? fid(level).size() != below : !isCut(fptr(level), fid(level), below)) {
        throw Numbers.corrupt("has levels of a tree that do not fit each other");
      }
    }
  }

  private static boolean isCut(Numbers pointers, Numbers nodes, int below) {
    boolean fits = pointers.size() == nodes.size() + 1 && pointers.integer(0) == 0;
    for (int i = 0; fits && i < nodes.size(); i++) {
      fits = pointers.integer(i) <= pointers.integer(i + 1);
    }
    return fits && pointers.integer(nodes.size()) == below;
  }

  Numbers lengths() {
    return lengths;
  }

  Numbers fid(int level) {
    return levels[level];
  }

  Numbers fptr(int level) {
    return levels[rank + level];
  }

  Numbers values() {
    return levels[2 * rank];
  }
}
