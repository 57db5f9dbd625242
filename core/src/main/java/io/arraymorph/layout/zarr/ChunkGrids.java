package io.arraymorph.layout.zarr;

import com.fasterxml.jackson.databind.JsonNode;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.RectilinearChunkGrid;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Chunk grids in Zarr v3 metadata. */
final class ChunkGrids {
  /** Chunk lengths of a rectilinear grid, over all dimensions, at most. */
  private static final int MAX_RECTILINEAR_CHUNKS = 1 << 20;

  private ChunkGrids() {}

  /** Reads the member {@code chunk_grid}. */
  static ChunkGrid parse(JsonNode node, Shape shape, String where) {
    Extension grid = Extension.of(node, "chunk_grid", where);
    switch (grid.name()) {
      case "regular":
        grid.refuseUnknown("chunk_shape");
        return new RegularChunkGrid(
            shape, grid.configuration().requiredChunkShape("chunk_shape", shape.rank()));
      case "rectilinear":
        return rectilinear(grid, shape);
      default:
        throw MetadataJson.unsupported(
            ErrorCode.UNSUPPORTED_FEATURE, where, "chunk grid '" + grid.name() + "' is not known");
    }
  }

  private static ChunkGrid rectilinear(Extension grid, Shape shape) {
    MetadataReader reader = grid.configuration();
    grid.refuseUnknown("kind", "chunk_shapes");
    String kind = reader.requiredText("kind");
    if (!kind.equals("inline")) {
      throw reader.unsupported(
          ErrorCode.UNSUPPORTED_FEATURE, "rectilinear kind '" + kind + "' is not known");
    }
    JsonNode lists = reader.required("chunk_shapes");
    if (!lists.isArray() || lists.size() != shape.rank()) {
      throw reader.invalid("'chunk_shapes' has not one entry for each dimension of " + shape);
    }
    List<long[]> lengths = new ArrayList<>();
    long total = 0;
    for (int d = 0; d < shape.rank(); d++) {
      lengths.add(lengths(lists.get(d), shape.length(d), reader));
      total += lengths.get(d).length;
      if (total > MAX_RECTILINEAR_CHUNKS) {
        throw reader.invalid("more than " + MAX_RECTILINEAR_CHUNKS + " chunk lengths");
      }
    }
    return new RectilinearChunkGrid(shape, lengths);
  }

  /** The chunk lengths that cover one dimension; those wholly beyond it are left out. */
  private static long[] lengths(JsonNode spec, long length, MetadataReader reader) {
    long[] found = new long[16];
    int count = 0;
    long covered = 0;
    boolean bare = spec.isIntegralNumber();
    if (!bare && (!spec.isArray() || spec.isEmpty())) {
      throw reader.invalid("chunk lengths are neither a number nor a list");
    }
    for (int i = 0; i < (bare ? 1 : spec.size()); i++) {
      JsonNode entry = bare ? spec : spec.get(i);
      long size = positive(entry.isArray() ? entry.path(0) : entry, reader);
      long runs = bare ? Long.MAX_VALUE : 1;
      if (entry.isArray()) {
        if (entry.size() != 2) {
          throw reader.invalid("run " + MetadataReader.shown(entry) + " is not [length, count]");
        }
        runs = positive(entry.get(1), reader);
        if (runs > MAX_RECTILINEAR_CHUNKS) {
          throw reader.invalid("run " + MetadataReader.shown(entry) + " has too many chunks");
        }
      }
      for (long r = 0; r < runs && covered < length; r++) {
        if (count == MAX_RECTILINEAR_CHUNKS) {
          throw reader.invalid("more than " + MAX_RECTILINEAR_CHUNKS + " chunks a dimension");
        }
        if (count == found.length) {
          found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = size;
        if (size > Long.MAX_VALUE - covered) {
          throw reader.invalid("chunk lengths sum to over 2^63");
        }
        covered += size;
      }
    }
    if (covered < length) {
      throw reader.invalid("chunk lengths reach " + covered + " of " + length);
    }
    return Arrays.copyOf(found, count);
  }

  private static long positive(JsonNode node, MetadataReader reader) {
    long value = reader.toLong("chunk_shapes", node);
    if (value < 1) {
      throw reader.invalid("'chunk_shapes' has the length " + value);
    }
    return value;
  }
}
