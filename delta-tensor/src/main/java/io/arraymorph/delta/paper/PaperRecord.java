package io.arraymorph.delta.paper;

import java.util.HashMap;
import java.util.Map;

/** A row as it was read, of the columns that were asked for; reused for the next row. */
public final class PaperRecord {
  private static final Numbers NONE = new Numbers();

  private final Map<String, Object> scalars = new HashMap<>();
  private final Map<String, Numbers> lists = new HashMap<>();

  /** Forgets the row. */
  public void clear() {
    scalars.clear();
    lists.values().forEach(Numbers::clear);
  }

  /** Sets text, bytes or a number. */
  public void set(String column, Object value) {
    scalars.put(column, value);
  }

  /** The list to fill of a column. */
  public Numbers fill(String column) {
    return lists.computeIfAbsent(column, name -> new Numbers());
  }

  /** Text or bytes; corrupt if NULL. */
  public byte[] bytes(String column) {
    Object value = scalars.get(column);
    if (!(value instanceof byte[])) {
      throw Numbers.corrupt("has no " + column);
    }
    return (byte[]) value;
  }

  /** Text; corrupt if NULL. */
  public String text(String column) {
    return new String(bytes(column), java.nio.charset.StandardCharsets.UTF_8);
  }

  /** The numbers of a list, or the one number of a column; none for NULL. */
  public Numbers numbers(String column) {
    return lists.getOrDefault(column, NONE);
  }

  /** The one number of a column; corrupt if NULL. */
  public long integer(String column) {
    Numbers numbers = numbers(column);
    if (numbers.size() != 1) {
      throw Numbers.corrupt("has no " + column);
    }
    return numbers.integer(0);
  }
}
