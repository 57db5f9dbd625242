package io.arraymorph.layout.dataset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which a group's variables are columns: that of attribute {@code
 * _arraymorph.columns}, which groups have that were written from a table; others follow by name.
 */
public final class ColumnOrder {
  private static final String OWN = "_arraymorph";
  private static final String COLUMNS = "columns";

  private ColumnOrder() {}

  /** Adds the order to the attributes of a group. */
  public static void describe(List<String> variables, ObjectNode groupAttributes) {
    ObjectNode own =
        groupAttributes.path(OWN).isObject()
            ? (ObjectNode) groupAttributes.get(OWN)
            : groupAttributes.putObject(OWN);
    ArrayNode names = own.putArray(COLUMNS);
    variables.forEach(names::add);
  }

  /** Some variables of a group in the order that its attributes say. */
  static List<NamedArray> sorted(List<NamedArray> variables, ObjectNode groupAttributes) {
    List<String> names = new ArrayList<>();
    for (JsonNode name : groupAttributes.path(OWN).path(COLUMNS)) {
      names.add(name.asText());
    }
    List<NamedArray> sorted = new ArrayList<>(variables);
    sorted.sort(
        Comparator.comparingInt(
            variable -> {
              int at = names.indexOf(variable.name());
              return at < 0 ? names.size() : at;
            }));
    return sorted;
  }
}
