package io.arraymorph.spark.write;

/** Names in SQL expressions. */
final class SqlNames {
  private SqlNames() {}

  /** A column's name as one identifier, whatever it contains. */
  static String quote(String name) {
    return "`" + name.replace("`", "``") + "`";
  }
}
