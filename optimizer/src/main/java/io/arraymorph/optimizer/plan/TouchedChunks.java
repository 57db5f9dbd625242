package io.arraymorph.optimizer.plan;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkGrid;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The chunks that a selection touches, and which of them several of its parts share.
 *
 * <p>Takes time about in the number of parts and of shared chunks: of parts that touch no chunk in
 * common none is enumerated, unless they are few.
 */
final class TouchedChunks {
  /** Of more chunks nobody looks which parts share them, or which are held. */
  static final int MOST_LOOKED_AT = 20_000;

  /** Chunks of all parts, each counted for each part, that are entered into a table at most. */
  private static final int MOST_ENTERED = 1 << 18;

  /** So few are entered without asking first which parts could share them. */
  private static final int FEW_ENTERED = 1 << 12;

  /** Pairs of parts that are compared, for each part. */
  private static final int MOST_COMPARED = 128;

  /** Of more parts nobody counts exactly what they touch if they share too much. */
  private static final int MOST_COUNTED = 1000;

  private final ChunkGrid grid;
  private final List<OrthogonalSelection> byPart;

  /** Chunks with the parts that touch them, two or more. */
  private final Map<ChunkCoordinates, SortedSet<Integer>> shared = new TreeMap<>();

  private final long entries;
  private final boolean known;
  private final long count;

  TouchedChunks(ChunkGrid grid, Selection selection) {
    this.grid = grid;
    this.byPart =
        selection.parts().stream().map(part -> ChunkSelections.touched(grid, part)).toList();
    this.entries =
        byPart.stream()
            .mapToLong(OrthogonalSelection::elementCount)
            .reduce(0, TouchedChunks::sumAtMost);
    this.known = byPart.size() < 2 || findShared();
    if (!known) {
      shared.clear();
    }
    this.count = known ? entries - sharedAgain() : countAnyway();
  }

  private static long sumAtMost(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  private long sharedAgain() {
    return shared.values().stream().mapToLong(parts -> parts.size() - 1).sum();
  }

  private long countAnyway() {
    return byPart.size() <= MOST_COUNTED
        ? Selection.of(grid.gridShape().rank(), byPart).elementCount()
        : Math.min(entries, grid.gridShape().elementCountAtMost(Long.MAX_VALUE));
  }

  private boolean findShared() {
    if (entries > FEW_ENTERED + byPart.size()) {
      Optional<List<ProductOverlaps.Overlap>> overlaps =
          ProductOverlaps.of(byPart, (long) MOST_COMPARED * byPart.size());
      if (overlaps.isPresent() && count(overlaps.get()) <= MOST_ENTERED) {
        return takeShared(overlaps.get());
      }
    }
    return entries <= MOST_ENTERED && enterAll();
  }

  private static long count(List<ProductOverlaps.Overlap> overlaps) {
    return overlaps.stream()
        .mapToLong(overlap -> overlap.common().elementCount())
        .reduce(0, TouchedChunks::sumAtMost);
  }

  private boolean takeShared(List<ProductOverlaps.Overlap> overlaps) {
    for (ProductOverlaps.Overlap overlap : overlaps) {
      boolean all =
          EachChunk.of(
              overlap.common(),
              chunk -> {
                SortedSet<Integer> parts = shared.computeIfAbsent(chunk, c -> new TreeSet<>());
                parts.add(overlap.one());
                parts.add(overlap.other());
                return shared.size() <= MOST_LOOKED_AT;
              });
      if (!all) {
        return false;
      }
    }
    return true;
  }

  private boolean enterAll() {
    Map<ChunkCoordinates, Integer> first = new HashMap<>();
    for (int i = 0; i < byPart.size(); i++) {
      Integer part = i;
      boolean all =
          EachChunk.of(
              byPart.get(i),
              chunk -> {
                Integer before = first.putIfAbsent(chunk, part);
                if (before != null) {
                  SortedSet<Integer> parts = shared.computeIfAbsent(chunk, c -> new TreeSet<>());
                  parts.add(before);
                  parts.add(part);
                }
                return shared.size() <= MOST_LOOKED_AT;
              });
      if (!all) {
        return false;
      }
    }
    return true;
  }

  /** The chunks of each part of the selection, as indices of the grid. */
  List<OrthogonalSelection> byPart() {
    return byPart;
  }

  /** The number of chunks; if shared ones are not {@link #isKnown known} perhaps less. */
  long count() {
    return count;
  }

  /** False if so many chunks are shared that nobody looked: then none counts as shared. */
  boolean isKnown() {
    return known;
  }

  /** True if they are so few that each may be visited, with what each part selects of it. */
  boolean isFew() {
    return known && count <= MOST_LOOKED_AT && entries <= MOST_ENTERED;
  }

  /** The chunks that several parts touch, in grid order, each with the numbers of these parts. */
  Map<ChunkCoordinates, SortedSet<Integer>> shared() {
    return shared;
  }

  /** Of each part that shares chunks these chunks, by its number. */
  Map<Integer, Collection<ChunkCoordinates>> sharedByPart() {
    Map<Integer, Collection<ChunkCoordinates>> of = new HashMap<>();
    shared.forEach(
        (chunk, parts) ->
            parts.forEach(part -> of.computeIfAbsent(part, p -> new ArrayList<>()).add(chunk)));
    return of;
  }
}
