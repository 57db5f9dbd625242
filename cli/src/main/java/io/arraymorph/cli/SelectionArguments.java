package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.ArrayReader;
import io.arraymorph.layout.dataset.Dataset;
import io.arraymorph.layout.dataset.DatasetOptions;
import io.arraymorph.layout.dataset.SliceText;
import io.arraymorph.layout.dataset.ZarrDataset;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrNode;
import java.util.Arrays;
import java.util.Collections;
import picocli.CommandLine.Option;

/** Which arrays and which of their elements. */
final class SelectionArguments {
  @Option(
      names = "--array",
      paramLabel = "NAME[,NAME]",
      description = "Arrays of the group, as a or grp/a; default: all of one table.")
  private String array = "";

  @Option(
      names = "--slice",
      paramLabel = "SLICE",
      description =
          "Which elements, as lat=40:50,lon=:20 (coordinates, both ends included) or"
              + " x=@0:100:4 (positions, end excluded); boxes joined by ;")
  private String slice = "";

  /** The table of the chosen arrays. */
  Dataset dataset(ZarrNode node, ArrayReader reader) {
    return ZarrDataset.open(node, DatasetOptions.DEFAULT.withArray(array), reader);
  }

  /** The chosen elements. */
  Selection selection(Dataset dataset) {
    return slice.isBlank() ? Selection.all(dataset.shape()) : selection(dataset, slice);
  }

  /** The elements of another slice, in the syntax of {@code --slice}. */
  static Selection selection(Dataset dataset, String slice) {
    return SliceText.parse(slice).toSelection(dataset.dimensions());
  }

  /**
   * The chosen elements as a product, which makes an array.
   *
   * @throws ArrayMorphException INVALID_SLICE if they are several boxes that are none
   */
  OrthogonalSelection product(Dataset dataset) {
    Selection selection = selection(dataset);
    if (selection.parts().size() > 1) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_SLICE,
          "slice '" + slice + "' selects boxes that do not make one array",
          "Give boxes that differ along one dimension only, or run the command once for each");
    }
    return selection.isEmpty()
        ? OrthogonalSelection.of(Collections.nCopies(selection.rank(), IndexSet.EMPTY))
        : selection.parts().get(0);
  }

  /** True if the user gave a slice. */
  boolean isSliced() {
    return !slice.isBlank();
  }

  /** True if an array of the group was named, or is the coordinate of a dimension. */
  boolean keeps(ZarrArray candidate) {
    boolean coordinate =
        candidate.schema().shape().rank() == 1
            && candidate.schema().dimensionNames().get(0).equals(candidate.name());
    return coordinate
        || Arrays.stream(array.split(",")).map(String::strip).anyMatch(candidate.name()::equals);
  }

  /** True if the user named arrays. */
  boolean namesArrays() {
    return !array.isBlank();
  }
}
