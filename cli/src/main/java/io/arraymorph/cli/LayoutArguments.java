package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.write.WriteMode;
import java.util.Arrays;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How a new array is stored. */
final class LayoutArguments {
  @Option(
      names = "--chunks",
      paramLabel = "SIZES",
      description = "Shape of the chunks, as 64,256,256; default: chosen, about 8 MiB.")
  private String chunks = "";

  @Option(
      names = "--shards",
      paramLabel = "SIZES",
      description = "Shape of the stored objects that hold several chunks each.")
  private String shards = "";

  @Option(
      names = "--compression",
      paramLabel = "CODEC",
      description = "zstd, zstd:5, none, gzip or blosc:lz4:shuffle.")
  private String compression = "";

  @Option(
      names = "--mode",
      description = "errorifexists (default), overwrite, append (write only) or ignore.")
  private WriteMode mode = WriteMode.ERRORIFEXISTS;

  WriteMode mode() {
    return mode;
  }

  Optional<Shape> chunks(int rank) {
    return shape("--chunks", chunks, rank);
  }

  Optional<Shape> shards(int rank) {
    return shape("--shards", shards, rank);
  }

  /** The codec that was given, or the other text. */
  String compression(String otherwise) {
    return compression.isBlank() ? otherwise : compression;
  }

  private static Optional<Shape> shape(String option, String text, int rank) {
    if (text.isBlank()) {
      return Optional.empty();
    }
    try {
      long[] sizes =
          Arrays.stream(text.split(",", -1))
              .map(String::strip)
              .mapToLong(Long::parseLong)
              .toArray();
      if (sizes.length == rank && Arrays.stream(sizes).allMatch(size -> size > 0)) {
        return Optional.of(Shape.of(sizes));
      }
    } catch (NumberFormatException e) {
      throw invalid(option, text, rank, e);
    }
    throw invalid(option, text, rank, null);
  }

  private static ArrayMorphException invalid(
      String option, String text, int rank, NumberFormatException cause) {
    return new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        option + " '" + text + "' is no shape of " + rank + " dimensions",
        "Give one positive size for each dimension, separated by commas",
        cause);
  }
}
