package io.arraymorph.optimizer.execute;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.layout.codec.Addressing;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.SliceCall;
import io.arraymorph.optimizer.plan.AccessPlan;
import io.arraymorph.optimizer.plan.AccessPlanner;
import io.arraymorph.optimizer.plan.ChunkAccess;
import io.arraymorph.optimizer.plan.ObjectNeed;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Pieces of compressed chunks and shards that the slice function decodes beside the store: it
 * answers the selected elements alone, where otherwise whole chunks would be moved.
 *
 * <p>All pieces of one chunk go in one call, or in as few as its limit of an answer allows. If a
 * call fails, the pieces are read from the store.
 */
final class DecodedSlices {
  /** For estimates, where the length of an object is not known. */
  private static final long ASSUMED_BYTES = 1 << 20;

  private final ReadContext context;
  private final ObjectFetcher fetcher;
  private final Executor workers;
  private AccessTotals calls = AccessTotals.NONE;

  DecodedSlices(ReadContext context, ObjectFetcher fetcher, Executor workers) {
    this.context = context;
    this.fetcher = fetcher;
    this.workers = workers;
  }

  /**
   * Calls the function where the planner says so; gives the pieces that are left to be read. If
   * none are, says what the calls will cost; else whoever reads the rest says it of both together.
   */
  List<Piece> take(List<Piece> pieces) {
    if (!fetcher.hasFunction() || !fetcher.function().function().decodes()) {
      return pieces;
    }
    Map<StorePath, List<Piece>> byObject = new LinkedHashMap<>();
    List<Piece> left = new ArrayList<>();
    for (Piece piece : pieces) {
      if (isDecodable(piece)) {
        byObject.computeIfAbsent(piece.object(), object -> new ArrayList<>()).add(piece);
      } else {
        left.add(piece);
      }
    }
    if (byObject.isEmpty()) {
      return pieces;
    }
    AccessPlanner planner = context.settings().planner();
    List<List<Piece>> groups = List.copyOf(byObject.values());
    List<ObjectNeed> needs = new ArrayList<>();
    HeldParts held = new HeldParts(context);
    for (List<Piece> group : groups) {
      needs.add(need(group, planner, held));
    }
    AccessPlan plan = planner.planIndexed(needs, indexBytes(pieces));
    CostModel model = planner.model(needs.get(0).object().storeUri());
    SliceCalls sends = new SliceCalls(fetcher);
    for (int i = 0; i < groups.size(); i++) {
      ChunkAccess access = plan.accesses().get(i);
      if (access instanceof ChunkAccess.SliceFunction) {
        calls = calls.plus(access.totals(model, ASSUMED_BYTES));
        call(groups.get(i), (ChunkAccess.SliceFunction) access, sends);
      } else {
        left.addAll(groups.get(i));
      }
    }
    sends.send();
    if (left.isEmpty()) {
      context.metrics().addEstimate(model.cost(calls));
    }
    return left;
  }

  /** The calls that were sent. */
  AccessTotals calls() {
    return calls;
  }

  /** Of the longest index of these shards; 0 if there is no shard. */
  private static long indexBytes(List<Piece> pieces) {
    long bytes = 0;
    for (Piece piece : pieces) {
      Addressing addressing = piece.pipeline().addressing();
      if (addressing instanceof Addressing.Sharded) {
        bytes = Math.max(bytes, ((Addressing.Sharded) addressing).indexBytes());
      }
    }
    return bytes;
  }

  private boolean isDecodable(Piece piece) {
    return !(piece.pipeline().addressing() instanceof Addressing.Fixed)
        && piece.dataType().isFixedWidth()
        && piece.request().array() instanceof ZarrArray
        && !context.versions().isAbsent(piece.object())
        && !(piece.pipeline().addressing() instanceof Addressing.Whole
            && context.chunks().get(new SharedChunk.Place(piece.object(), 0)) != null);
  }

  private static ObjectNeed need(List<Piece> group, AccessPlanner planner, HeldParts inMemory) {
    List<OrthogonalSelection> parts = new ArrayList<>();
    long answer = 0;
    for (Piece piece : group) {
      parts.add(OrthogonalSelection.of(piece.selection().absolute()));
      answer += piece.selection().within().elementCount() * piece.dataType().byteWidth();
    }
    Selection cells = Selection.of(parts.get(0).rank(), parts);
    ObjectNeed need =
        PlanEstimator.needOfChunk(group.get(0).request().array(), cells, planner, inMemory);
    // What several pieces select is answered to each.
    return need.withDecoded(need.sliceCall().orElseThrow().spanBytes(), answer);
  }

  /** One box of a piece, small enough for an answer. */
  private record Box(Piece piece, Hyperslab within, long bytes) {}

  private void call(List<Piece> group, ChunkAccess.SliceFunction access, SliceCalls sends) {
    Piece first = group.get(0);
    ZarrArray array = (ZarrArray) first.request().array();
    DataType type = first.dataType();
    long most = Math.max(type.byteWidth(), (access.answerBytes() - 1) / access.calls() + 1);
    List<List<Box>> calls = new ArrayList<>();
    long open = most;
    for (Piece piece : group) {
      for (Hyperslab part :
          piece.selection().within().divided(Math.max(1, most / type.byteWidth()))) {
        long bytes = part.elementCount() * type.byteWidth();
        if (open + bytes > most) {
          calls.add(new ArrayList<>());
          open = 0;
        }
        open += bytes;
        calls.get(calls.size() - 1).add(new Box(piece, part, bytes));
      }
    }
    Duration time = FunctionCalls.time(access.callSeconds());
    StorePath object = first.object();
    List<CompletableFuture<SliceFunction.Answer>> answers = new ArrayList<>();
    for (List<Box> boxes : calls) {
      List<Hyperslab> within = boxes.stream().map(Box::within).toList();
      long bytes = boxes.stream().mapToLong(Box::bytes).sum();
      SliceFunction.Decoded decoded =
          new SliceFunction.Decoded(array.metadataText(), first.chunkShape(), within);
      answers.add(
          sends.add(
              new SliceFunction.Slice(
                  object,
                  fetcher.pinned(object),
                  List.of(),
                  Optional.of(decoded),
                  bytes,
                  access.need().sliceCall().map(SliceCall::spanBytes).orElse(bytes)),
              OptionalLong.empty(),
              time));
    }
    CompletableFuture<?> unused =
        CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
            .whenComplete(
                (ignored, failure) ->
                    workers.execute(
                        () -> {
                          if (failure != null) {
                            readInstead(group, failure);
                          } else {
                            deliver(group, calls, answers);
                          }
                        }));
  }

  private void readInstead(List<Piece> group, Throwable failure) {
    ArrayMorphException fatal = fetcher.function().fatal(failure);
    if (fatal != null) {
      group.forEach(piece -> piece.fail(fatal));
    } else {
      new Batch(group, context, fetcher, AccessTotals.NONE).run();
    }
  }

  private void deliver(
      List<Piece> group,
      List<List<Box>> calls,
      List<CompletableFuture<SliceFunction.Answer>> answers) {
    try {
      Map<Piece, ByteBuffer> packed = new LinkedHashMap<>();
      for (Piece piece : group) {
        long bytes = piece.selection().within().elementCount() * piece.dataType().byteWidth();
        packed.put(piece, ByteBuffer.allocate(Math.toIntExact(bytes)));
      }
      for (int i = 0; i < calls.size(); i++) {
        SliceFunction.Answer answer = answers.get(i).join();
        context.versions().found(group.get(0).object(), answer.etag());
        ByteBuffer bytes = answer.bytes().duplicate();
        for (Box box : calls.get(i)) {
          // Parts of a box follow each other along its slowest dimension, as its elements do.
          packed.get(box.piece).put(bytes.slice(bytes.position(), (int) box.bytes));
          bytes.position(bytes.position() + (int) box.bytes);
        }
      }
      packed.forEach(
          (piece, bytes) -> {
            FixedWidthElements elements =
                new FixedWidthElements(
                    piece.dataType(),
                    piece.selection().within().counts(),
                    bytes.array(),
                    bytes.arrayOffset());
            piece.resolve(new ChunkPart.Given(elements));
            piece.request().offer(piece);
          });
    } catch (RuntimeException e) {
      group.forEach(piece -> piece.fail(e));
    }
  }
}
