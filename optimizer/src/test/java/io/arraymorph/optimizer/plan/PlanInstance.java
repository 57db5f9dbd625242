package io.arraymorph.optimizer.plan;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.RandomArrays;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.SliceCall;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Something to plan, at random: what a selection of an array on a small grid of raw chunks or of
 * shards needs of objects, a store and how much a dollar is worth.
 *
 * @param model of the store
 * @param phi seconds that a dollar is worth
 * @param function true if there is a slice function to call
 * @param needs one for each object
 * @param indexBytes of the index that is read before parts of an object; 0 if there is none
 * @param shape in words, for messages
 */
record PlanInstance(
    CostModel model,
    double phi,
    boolean function,
    List<ObjectNeed> needs,
    long indexBytes,
    String shape) {
  private static final double[] PHIS = {0, 1, 105, Double.POSITIVE_INFINITY};
  private static final DataType BYTE = new DataType.Int(8, true);
  private static final StorePath PATH = new StorePath(new MemoryObjectStore("instances"), "a");
  private static final long MOST_OBJECT_BYTES = 1L << 28;

  static PlanInstance of(long seed) {
    Random random = new Random(seed);
    CostModel model = RandomStores.model(random);
    double phi = PHIS[random.nextInt(PHIS.length)];
    boolean function = model.profile().function().isPresent() && random.nextBoolean();
    boolean sharded = random.nextInt(3) == 0;
    List<ObjectNeed> needs = new ArrayList<>();
    String shape = "";
    while (needs.isEmpty()) {
      ZarrArray array = array(random, sharded, random.nextBoolean() ? "zstd" : "none");
      Selection selection = selection(random, array.grid().arrayShape());
      shape =
          selection + " of " + array.grid().arrayShape() + (sharded ? " in shards" : " in chunks");
      needs.addAll(needs(random, array, selection));
    }
    for (int i = random.nextInt(12) == 0 ? random.nextInt(40) : 0; i > 0; i--) {
      needs.add(needs.get(random.nextInt(needs.size())));
    }
    long indexBytes = sharded && random.nextBoolean() ? 16L << random.nextInt(16) : 0;
    return new PlanInstance(model, phi, function, List.copyOf(needs), indexBytes, shape);
  }

  CostPlanner planner() {
    return new CostPlanner(model, phi, function);
  }

  /** The plan of the planner under test. */
  AccessPlan plan() {
    return indexBytes > 0 ? planner().planIndexed(needs, indexBytes) : planner().plan(needs);
  }

  @Override
  public String toString() {
    return String.format(
        "%s, phi %s, %s, index of %d bytes, %s:%n%s",
        shape, phi, function ? "function" : "no function", indexBytes, model, needs);
  }

  /** Of single bytes; chunks that are not in shards are not compressed. */
  static ZarrArray array(Random random, boolean sharded, String codec) {
    int rank = 1 + random.nextInt(3);
    long[] shape = new long[rank];
    long[] chunk = new long[rank];
    long[] shard = new long[rank];
    for (int d = 0; d < rank; d++) {
      chunk[d] = 1L + random.nextInt(sharded ? 3 : rank == 1 ? 24 : 7);
      shard[d] = chunk[d] * (1L + random.nextInt(rank == 1 ? 8 : 3));
      long outer = sharded ? shard[d] : chunk[d];
      // Two chunks along a dimension, the last one often cut short, by what follows it.
      shape[d] = random.nextInt(3) > 0 ? outer : outer + 1 + random.nextInt((int) outer);
    }
    return ZarrArray.of(
        PATH,
        new ZarrArraySpec(
            BYTE,
            Shape.of(shape),
            Shape.of(chunk),
            sharded ? Optional.of(Shape.of(shard)) : Optional.empty(),
            Compression.parse(sharded ? codec : "none"),
            ZarrArraySpec.defaultFill(BYTE),
            IntStream.range(0, rank).mapToObj(d -> "d" + d).toList(),
            JsonNodeFactory.instance.objectNode()));
  }

  /** A union of boxes, a strided slab, a diagonal of points, or a few rows or columns. */
  static Selection selection(Random random, Shape shape) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    int kind = random.nextInt(5);
    if (kind == 0) {
      for (int i = random.nextInt(3); i >= 0; i--) {
        parts.add(OrthogonalSelection.of(RandomArrays.hyperslab(random, shape)));
      }
    } else if (kind == 1) {
      parts.add(RandomArrays.orthogonal(random, shape));
    } else if (kind == 2) {
      long points = 1L + random.nextInt(6);
      for (long i = 0; i < points; i++) {
        parts.add(OrthogonalSelection.of(point(shape, i, points)));
      }
    } else {
      int along = kind == 3 ? shape.rank() - 1 : 0;
      List<IndexRange> ranges = new ArrayList<>();
      for (int d = 0; d < shape.rank(); d++) {
        long length = shape.length(d);
        long stride = 1L + random.nextInt(3);
        long start = random.nextInt((int) length);
        ranges.add(
            d == along
                ? new IndexRange(random.nextInt((int) Math.min(stride, length)), length, stride)
                : IndexRange.of(start, Math.min(length, start + stride)));
      }
      parts.add(OrthogonalSelection.of(Hyperslab.of(ranges)));
    }
    return Selection.of(shape.rank(), parts);
  }

  private static Hyperslab point(Shape shape, long number, long of) {
    List<IndexRange> ranges = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      ranges.add(IndexRange.single(number * shape.length(d) / of));
    }
    return Hyperslab.of(ranges);
  }

  /** The needs of an array of bytes, all or each with elements of some other width. */
  private static List<ObjectNeed> needs(Random random, ZarrArray array, Selection selection) {
    List<ObjectNeed> needs = new ArrayList<>();
    boolean each = random.nextInt(3) == 0;
    long width = width(random);
    // Of this planner parts of shards are needed, however many.
    for (PlannedChunk chunk : PlannedChunk.of(array, selection, FixedPlanner.RANGE, 1000)) {
      width = each ? width(random) : width;
      needs.add(need(random, chunk.access().need(), width));
    }
    return needs;
  }

  private static long width(Random random) {
    return (1L << random.nextInt(22)) + random.nextInt(3);
  }

  private static ObjectNeed need(Random random, ObjectNeed bytes, long width) {
    List<ByteRuns> runs = new ArrayList<>();
    long end = 0;
    for (ByteRuns part : ((NeededBytes.Runs) bytes.bytes()).parts()) {
      long most = Math.max(1, MOST_OBJECT_BYTES / Math.max(1, part.end()));
      runs.add(new ByteRuns(part.runs().scale(Math.min(width, most), 0)));
      end = Math.max(end, runs.get(runs.size() - 1).end());
    }
    long scaled = bytes.objectBytes().orElse(0) * width;
    long length = Math.max(end, scaled > 0 ? scaled : end + random.nextInt(1 << 20));
    NeededBytes needed = random.nextInt(15) == 0 ? NeededBytes.WHOLE : NeededBytes.runs(runs);
    return new ObjectNeed(
        bytes.object(),
        random.nextInt(4) == 0 ? OptionalLong.empty() : OptionalLong.of(length),
        needed,
        random.nextInt(4) == 0 ? Optional.empty() : bytes.decoded().map(c -> scaled(c, width)));
  }

  private static SliceCall scaled(SliceCall call, long width) {
    return new SliceCall(
        call.chunkBytes() * width, call.spanBytes() * width, call.answerBytes() * width);
  }
}
