package io.arraymorph.delta.tensor;

/**
 * Coordinates that are taken out of places when somebody asks for them: who hands cells over to
 * another process does not need them all at once.
 */
final class PlaceCoordinates implements Coordinates {
  private final ResultPlaces form;
  private final int[] dimensions;
  private final long[] places;
  private final int count;
  private final long[][] columns;

  PlaceCoordinates(ResultPlaces form, long[] places, int count) {
    this.form = form;
    this.dimensions = form.dimensions();
    this.places = places;
    this.count = count;
    this.columns = new long[dimensions.length][];
  }

  @Override
  public int rank() {
    return dimensions.length;
  }

  @Override
  public synchronized long[] column(int dimension) {
    if (columns[dimension] == null) {
      columns[dimension] = new long[count];
      copy(dimension, 0, count, columns[dimension]);
    }
    return columns[dimension];
  }

  @Override
  public void copy(int dimension, int from, int to, long[] into) {
    form.column(dimensions[dimension], places, from, to, into, 0);
  }
}
