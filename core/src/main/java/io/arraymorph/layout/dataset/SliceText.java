package io.arraymorph.layout.dataset;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The text of option {@code slice}: boxes joined by {@code ;}, each a list of {@code
 * dimension=range}.
 *
 * <p>A range of coordinate values includes both ends ({@code lat=40:50}); one that starts with
 * {@code @} holds index positions and excludes its end ({@code x=@0:100:4}). The grammar is {@code
 * docs/spec/slice.md}. Immutable.
 */
public final class SliceText {
  private final String text;
  private final List<List<SliceTerm>> boxes;

  private SliceText(String text, List<List<SliceTerm>> boxes) {
    this.text = text;
    this.boxes = boxes;
  }

  /**
   * Parses a text; what the values mean is decided when the dimensions are known.
   *
   * @throws ArrayMorphException INVALID_SLICE, naming the position
   */
  public static SliceText parse(String text) {
    return new SliceText(text, new SliceParser(text).boxes());
  }

  /**
   * The cells that the text names: the union of its boxes. Dimensions that a box does not name are
   * taken whole. Reads the coordinates that are named by value.
   *
   * @param dimensions of the array, in its order
   * @throws ArrayMorphException INVALID_SLICE, UNKNOWN_DIMENSION, or OUT_OF_BOUNDS for a single
   *     position outside of the dimension
   */
  public Selection toSelection(List<Dimension> dimensions) {
    List<Map<Integer, SliceTerm>> byDimension = new ArrayList<>();
    List<Coordinate> needed = new ArrayList<>();
    for (List<SliceTerm> box : boxes) {
      Map<Integer, SliceTerm> terms = new TreeMap<>();
      for (SliceTerm term : box) {
        int dimension = Dimension.position(dimensions, term.dimension());
        if (terms.put(dimension, term) != null) {
          throw SliceParser.invalid(
              text,
              term.at(),
              "dimension '" + term.dimension() + "' is named twice in one box",
              "Join several ranges of one dimension as boxes with ;");
        }
        if (!term.isByPosition()) {
          dimensions.get(dimension).coordinate().ifPresent(needed::add);
        }
      }
      byDimension.add(terms);
    }
    Coordinate.loadAll(needed.stream().distinct().toList());
    Shape shape = Shape.of(dimensions.stream().mapToLong(Dimension::length).toArray());
    List<OrthogonalSelection> parts = new ArrayList<>();
    for (Map<Integer, SliceTerm> terms : byDimension) {
      OrthogonalSelection part = OrthogonalSelection.all(shape);
      for (Map.Entry<Integer, SliceTerm> entry : terms.entrySet()) {
        Dimension dimension = dimensions.get(entry.getKey());
        part = part.with(entry.getKey(), indices(entry.getValue(), dimension));
      }
      parts.add(part);
    }
    return Selection.of(shape.rank(), parts);
  }

  private IndexSet indices(SliceTerm term, Dimension dimension) {
    return term.isByPosition()
        ? SlicePositions.indices(text, term, dimension)
        : new SliceValues(text, term, dimension).indices();
  }

  /** The text as it was given. */
  @Override
  public String toString() {
    return text;
  }
}
