package io.arraymorph.layout.dataset;

/**
 * A further 1-D array along a dimension, as {@code MONTH(TIME)}: a column that depends on one
 * dimension's index.
 *
 * @param name the name of the column
 * @param dimension which dimension, counted from 0
 * @param coordinate the values
 */
public record AuxiliaryCoordinate(String name, int dimension, Coordinate coordinate) {}
