package io.arraymorph.spark.read;

import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.ChunkSelections;
import io.arraymorph.array.ElementRuns;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.ChunkedArray;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.codec.CodecPipeline;
import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.NeededBytes;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.optimizer.plan.ShardNeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What reading a selection of one array will ask of the store, without asking it anything: exact
 * for few chunks that are stored uncompressed, else scaled up from a sample, with encoded lengths
 * taken as the decoded ones.
 *
 * @param chunks the chunk objects that are touched
 * @param requests by access method
 * @param bytes to move
 * @param isSampled true if not every chunk was planned
 * @param isUpperBound true if encoded lengths are not known
 */
record AccessEstimate(
    double chunks,
    Map<String, Double> requests,
    double bytes,
    boolean isSampled,
    boolean isUpperBound) {
  private static final int SAMPLE = 128;
  private static final int MAX_HYPERSLABS = 256;

  /** Plans the touched chunks, or an evenly spaced sample of them. */
  static AccessEstimate of(ChunkedArray array, Selection selection, AccessPlanner planner) {
    Selection touched = ChunkSelections.touched(array.grid(), selection);
    double chunks = 0;
    double weight = 0;
    boolean upperBound = false;
    double bytes = 0;
    Map<String, Double> requests = new TreeMap<>();
    for (OrthogonalSelection part : touched.parts()) {
      chunks += count(part);
    }
    for (OrthogonalSelection part : touched.parts()) {
      double inPart = count(part);
      int samples = (int) Math.max(1, Math.min(inPart, Math.ceil(SAMPLE * inPart / chunks)));
      weight = inPart / samples;
      for (int s = 0; s < samples; s++) {
        ChunkCoordinates chunk = at(part, (s + 0.5) * weight);
        Sample sample = sample(array, chunk, selection, planner);
        upperBound |= sample.upperBound;
        bytes += weight * sample.bytes;
        for (Map.Entry<String, Long> entry : sample.requests.entrySet()) {
          requests.merge(entry.getKey(), weight * entry.getValue(), Double::sum);
        }
      }
    }
    return new AccessEstimate(chunks, requests, bytes, chunks > SAMPLE, upperBound);
  }

  private record Sample(Map<String, Long> requests, long bytes, boolean upperBound) {}

  private static double count(OrthogonalSelection part) {
    double product = 1;
    for (long length : part.counts().toArray()) {
      product *= length;
    }
    return product;
  }

  /** The chunk that a fraction of the way through the product, in C order, leads to. */
  private static ChunkCoordinates at(OrthogonalSelection chunks, double position) {
    long[] at = new long[chunks.rank()];
    double rest = position;
    for (int d = at.length - 1; d >= 0; d--) {
      IndexRanks ranks = new IndexRanks(chunks.indices(d));
      double length = ranks.count();
      at[d] = ranks.at((long) Math.min(length - 1, rest - Math.floor(rest / length) * length));
      rest = Math.floor(rest / length);
    }
    return ChunkCoordinates.of(at);
  }

  private static Sample sample(
      ChunkedArray array, ChunkCoordinates chunk, Selection selection, AccessPlanner planner) {
    Shape shape = array.grid().chunkShape(chunk);
    CodecPipeline pipeline = array.pipeline(shape);
    List<Hyperslab> within = within(array, chunk, selection);
    Addressing addressing = pipeline.addressing();
    long decoded = decodedBytes(array, shape);
    if (addressing instanceof Addressing.Sharded) {
      return ofShard((Addressing.Sharded) addressing, pipeline, within, decoded, planner);
    }
    boolean whole = !(addressing instanceof Addressing.Fixed);
    NeededBytes needed =
        whole ? NeededBytes.WHOLE : runs((Addressing.Fixed) addressing, pipeline, within);
    OptionalLong length = whole ? OptionalLong.empty() : OptionalLong.of(decoded);
    AccessPlan plan =
        planner.plan(List.of(new ObjectNeed(array.chunkObject(chunk), length, needed)));
    long bytes = plan.objectsOfUnknownSize() > 0 ? decoded : plan.bytesToMove();
    return new Sample(plan.requestsByMethod(), bytes, plan.objectsOfUnknownSize() > 0);
  }

  private static NeededBytes runs(
      Addressing.Fixed fixed, CodecPipeline pipeline, List<Hyperslab> within) {
    List<ByteRuns> runs = new ArrayList<>();
    for (Hyperslab part : within) {
      runs.add(
          ByteRuns.of(
              ElementRuns.of(pipeline.toStored(part), fixed.storedShape()),
              fixed.elementBytes(),
              0));
    }
    return NeededBytes.runs(runs);
  }

  /** The index, then one range for each run of neighbouring inner chunks; or the whole shard. */
  private static Sample ofShard(
      Addressing.Sharded shard,
      CodecPipeline pipeline,
      List<Hyperslab> within,
      long decoded,
      AccessPlanner planner) {
    List<OrthogonalSelection> inner = new ArrayList<>();
    for (Hyperslab part : within) {
      inner.add(
          ChunkSelections.touched(
              shard.innerGrid(), OrthogonalSelection.of(pipeline.toStored(part))));
    }
    Selection touched = Selection.of(shard.innerGrid().arrayShape().rank(), inner);
    long all = shard.innerGrid().gridShape().elementCount();
    long needed = touched.elementCount();
    if (planner.readsWhole(new ShardNeed(all, needed, decoded))) {
      return new Sample(Map.of("whole", 1L), decoded, true);
    }
    long runs = 0;
    for (Hyperslab part : touched.hyperslabs()) {
      runs += ElementRuns.of(part, shard.innerGrid().gridShape()).runCount();
    }
    return new Sample(
        Map.of("ranges", 1 + runs), shard.indexBytes() + decoded / all * needed, true);
  }

  /** The selected elements in a chunk, relative to it; their box if they are many hyperslabs. */
  private static List<Hyperslab> within(
      ChunkedArray array, ChunkCoordinates chunk, Selection selection) {
    Hyperslab box = array.grid().chunkBox(chunk);
    long[] origin = box.ranges().stream().mapToLong(range -> -range.start()).toArray();
    Selection clipped = selection.clip(box);
    List<Hyperslab> within = new ArrayList<>();
    for (Hyperslab part : clipped.hyperslabs()) {
      if (within.size() == MAX_HYPERSLABS) {
        return List.of(clipped.bounds().shift(origin));
      }
      within.add(part.shift(origin));
    }
    return within;
  }

  private static long decodedBytes(ChunkedArray array, Shape shape) {
    int width = array.schema().dataType().byteWidth();
    return shape.elementCount() * (width > 0 ? width : 16);
  }
}
