package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.IndexSet;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RegularChunkGrid;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The chunks that a product of indices touches, grouped by what is selected in them, without
 * enumerating chunks: along each dimension chunks fall into few kinds, and a group is a product of
 * kinds.
 */
public final class ChunkGroups {
  private static final int MAX_GROUPS = 4096;
  private static final int MAX_HYPERSLABS = 256;

  private ChunkGroups() {}

  /**
   * Chunks in which the same elements are selected.
   *
   * @param example one of them
   * @param chunks how many there are
   * @param within the selected elements, relative to each chunk's first
   */
  public record ChunkGroup(ChunkCoordinates example, long chunks, OrthogonalSelection within) {}

  /** Chunks of one dimension that have the same length and the same selected indices. */
  private record Kind(long length, IndexSet within) {}

  private static final class Count {
    private final long example;
    private long chunks;

    Count(long example, long chunks) {
      this.example = example;
      this.chunks = chunks;
    }
  }

  /** The groups, or empty if there are very many. */
  public static Optional<List<ChunkGroup>> of(ChunkGrid grid, OrthogonalSelection selection) {
    if (selection.isEmpty()) {
      return Optional.of(List.of());
    }
    List<List<Map.Entry<Kind, Count>>> kinds = new ArrayList<>();
    double groups = 1;
    for (int d = 0; d < selection.rank(); d++) {
      Map<Kind, Count> ofDimension = new LinkedHashMap<>();
      List<IndexRange> ranges = selection.indices(d).ranges();
      if (ranges.size() == 1 && grid instanceof RegularChunkGrid) {
        addRegular((RegularChunkGrid) grid, d, ranges.get(0), ofDimension);
      } else {
        addEach(grid, d, selection.indices(d), ofDimension);
      }
      kinds.add(List.copyOf(ofDimension.entrySet()));
      groups *= ofDimension.size();
    }
    return groups > MAX_GROUPS ? Optional.empty() : Optional.of(product(kinds, (int) groups));
  }

  private static void addRegular(
      RegularChunkGrid grid, int d, IndexRange range, Map<Kind, Count> out) {
    long length = grid.chunkShape().length(d);
    long first = grid.chunkOf(d, range.start());
    long last = grid.chunkOf(d, range.last());
    boolean alike = length % range.stride() == 0;
    for (long chunk = first; chunk <= last; ) {
      // All chunks between the first and the last have the same phase.
      boolean between = alike && chunk > first && chunk < last;
      long start = chunk * length;
      IndexRange within = range.clip(start, start + length).shift(-start);
      add(out, new Kind(length, IndexSet.of(within)), chunk, between ? last - chunk : 1);
      if (between) {
        chunk = last;
      } else {
        IndexRange rest = range.clip(start + length, Long.MAX_VALUE);
        chunk = rest.isEmpty() ? last + 1 : grid.chunkOf(d, rest.start());
      }
    }
  }

  private static void addEach(ChunkGrid grid, int d, IndexSet indices, Map<Kind, Count> out) {
    for (long next = indices.first(); next >= 0; ) {
      long chunk = grid.chunkOf(d, next);
      long start = grid.chunkStart(d, chunk);
      long length = grid.chunkLength(d, chunk);
      List<IndexRange> within = new ArrayList<>();
      for (IndexRange range : indices.clip(start, start + length).ranges()) {
        within.add(range.shift(-start));
      }
      add(out, new Kind(length, IndexSet.of(within)), chunk, 1);
      next = indices.ceiling(start + length);
    }
  }

  private static void add(Map<Kind, Count> out, Kind kind, long chunk, long chunks) {
    Count count = out.get(kind);
    if (count == null) {
      out.put(kind, new Count(chunk, chunks));
    } else {
      count.chunks += chunks;
    }
  }

  private static List<ChunkGroup> product(List<List<Map.Entry<Kind, Count>>> kinds, int groups) {
    List<ChunkGroup> product = new ArrayList<>();
    for (int number = 0; number < groups; number++) {
      long[] example = new long[kinds.size()];
      List<IndexSet> within = new ArrayList<>();
      long chunks = 1;
      int rest = number;
      for (int d = 0; d < example.length; d++) {
        Map.Entry<Kind, Count> kind = kinds.get(d).get(rest % kinds.get(d).size());
        rest /= kinds.get(d).size();
        example[d] = kind.getValue().example;
        chunks = Math.multiplyExact(chunks, kind.getValue().chunks);
        within.add(kind.getKey().within);
      }
      product.add(
          new ChunkGroup(
              ChunkCoordinates.of(example), chunks, OrthogonalSelection.of(within)));
    }
    return product;
  }

  /**
   * What reading the product needs of the chunk objects of an array that is not sharded: exact for
   * raw chunks; encoded ones are needed whole, and their length is taken as the decoded one.
   *
   * @return empty if the array is sharded or there are very many groups
   */
  public static Optional<List<NeedGroup>> needs(
      ChunkedArray array, OrthogonalSelection selection) {
    List<NeedGroup> needs = new ArrayList<>();
    Optional<List<ChunkGroup>> groups = of(array.grid(), selection);
    for (ChunkGroup group : groups.orElse(List.of())) {
      Shape shape = array.grid().chunkShape(group.example());
      CodecPipeline pipeline = array.pipeline(shape);
      Addressing addressing = pipeline.addressing();
      if (addressing instanceof Addressing.Sharded) {
        return Optional.empty();
      }
      int width = array.schema().dataType().byteWidth();
      OptionalLong bytes = OptionalLong.of(shape.elementCount() * (width > 0 ? width : 16));
      NeededBytes needed = NeededBytes.WHOLE;
      if (addressing instanceof Addressing.Fixed) {
        Addressing.Fixed fixed = (Addressing.Fixed) addressing;
        List<ByteRuns> parts = new ArrayList<>();
        for (Hyperslab within : group.within().hyperslabs()) {
          if (parts.size() == MAX_HYPERSLABS) {
            parts = List.of(runs(fixed, pipeline, group.within().bounds()));
            break;
          }
          parts.add(runs(fixed, pipeline, within));
        }
        needed = NeededBytes.runs(parts);
      }
      ObjectNeed need = new ObjectNeed(array.chunkObject(group.example()), bytes, needed);
      needs.add(new NeedGroup(need, group.chunks()));
    }
    return groups.map(ignored -> needs);
  }

  private static ByteRuns runs(Addressing.Fixed fixed, CodecPipeline pipeline, Hyperslab within) {
    ElementRuns runs = ElementRuns.of(pipeline.toStored(within), fixed.storedShape());
    return ByteRuns.of(runs, fixed.elementBytes(), 0);
  }
}
