package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ArrayReader;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * One table made of arrays: its dimensions, auxiliary coordinates and variables, each with the name
 * and type of its column.
 *
 * <p>All variables have the same dimensions in the same order and length; their chunks may differ.
 * Names are unique without regard to case. Nothing is read but metadata until a {@link
 * Coordinate}'s values are asked for. Immutable and thread-safe.
 */
public final class Dataset {
  private final Shape shape;
  private final List<Dimension> dimensions;
  private final List<AuxiliaryCoordinate> auxiliary;
  private final List<Variable> coordinateVariables;
  private final List<Variable> variables;
  private final List<TableDescription> tables;
  private final List<String> warnings;

  Dataset(
      Shape shape,
      List<Dimension> dimensions,
      List<AuxiliaryCoordinate> auxiliary,
      List<Variable> coordinateVariables,
      List<Variable> variables,
      List<TableDescription> tables,
      List<String> warnings) {
    this.shape = shape;
    this.dimensions = List.copyOf(dimensions);
    this.auxiliary = List.copyOf(auxiliary);
    this.coordinateVariables = List.copyOf(coordinateVariables);
    this.variables = List.copyOf(variables);
    this.tables = List.copyOf(tables);
    this.warnings = List.copyOf(warnings);
  }

  /**
   * The table of chosen arrays.
   *
   * @param chosen the variables, at least one, in column order
   * @param neighbours arrays among which coordinates are looked for, nearest first; those of other
   *     dimensions are ignored
   * @param tables all tables of the group, for display
   * @throws ArrayMorphException INVALID_OPTION if the arrays differ in their dimensions,
   *     UNSUPPORTED_TYPE for an array that cannot be a column
   */
  public static Dataset of(
      List<NamedArray> chosen,
      List<NamedArray> neighbours,
      List<TableDescription> tables,
      DatasetOptions options,
      ArrayReader reader) {
    return new TableAssembly(chosen, neighbours, options, reader).assemble(tables);
  }

  /** The lengths of the dimensions, which every variable has. */
  public Shape shape() {
    return shape;
  }

  /** The dimensions, in the order of the arrays' axes. */
  public List<Dimension> dimensions() {
    return dimensions;
  }

  /** Further columns along one dimension. */
  public List<AuxiliaryCoordinate> auxiliary() {
    return auxiliary;
  }

  /**
   * Coordinates of the variables along no dimension or along several but not all, read as variables
   * are.
   */
  public List<Variable> coordinateVariables() {
    return coordinateVariables;
  }

  /** The variables: one column each, at least one. */
  public List<Variable> variables() {
    return variables;
  }

  /** All tables of the opened group, of which this is one; only this one for an array. */
  public List<TableDescription> tables() {
    return tables;
  }

  /** What was left raw, renamed or left out, as sentences without full stop. */
  public List<String> warnings() {
    return warnings;
  }

  /** All coordinates, of dimensions and auxiliary, for {@link Coordinate#loadAll}. */
  public Collection<Coordinate> coordinates() {
    List<Coordinate> coordinates = new ArrayList<>();
    dimensions.forEach(d -> d.coordinate().ifPresent(coordinates::add));
    auxiliary.forEach(a -> coordinates.add(a.coordinate()));
    return coordinates;
  }

  /**
   * The position of a dimension by the name of its column or its stored name; upper and lower case
   * matter only where two names differ in nothing else.
   */
  public Optional<Integer> findDimension(String name) {
    return Dimension.find(dimensions, name);
  }

  /**
   * As {@link #findDimension}.
   *
   * @throws ArrayMorphException UNKNOWN_DIMENSION, naming those there are
   */
  public int dimension(String name) {
    return Dimension.position(dimensions, name);
  }
}
