package io.arraymorph.optimizer.plan;

import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.profile.Prices;
import io.arraymorph.store.ByteRange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;

/** How the needed bytes of one object are fetched. */
public sealed interface ChunkAccess {

  /** What is needed. */
  ObjectNeed need();

  /** The requests to send, in ascending order of bytes. */
  List<ByteRange> requests();

  /** The bytes that the requests move; empty if the object's length is not known. */
  OptionalLong bytesToMove();

  /** The access method in the words of plans and metrics. */
  String method();

  /**
   * What a cost model has to know of the requests.
   *
   * @param unknownBytes the length to assume where an object's is not known
   */
  AccessTotals totals(CostModel model, long unknownBytes);

  /** The same access of another object of which the same bytes are needed. */
  ChunkAccess of(ObjectNeed other);

  /** The access of an object of which nothing is left to fetch. */
  static ChunkAccess ofNothing(ObjectNeed need) {
    return need.held().chunks() > 0 ? new Cached(need) : new Fill(need);
  }

  /** One request for the whole object. */
  record WholeObject(ObjectNeed need) implements ChunkAccess {
    @Override
    public List<ByteRange> requests() {
      return List.of(ByteRange.WHOLE);
    }

    @Override
    public OptionalLong bytesToMove() {
      return need.objectBytes();
    }

    @Override
    public String method() {
      return "whole";
    }

    @Override
    public AccessTotals totals(CostModel model, long unknownBytes) {
      long bytes = need.assumedBytes(unknownBytes);
      double charged = model.profile().prices().meteredRequests(bytes);
      return new AccessTotals(1, 0, charged, bytes, bytes, CallTotals.NONE);
    }

    @Override
    public WholeObject of(ObjectNeed other) {
      return new WholeObject(other);
    }
  }

  /**
   * One request per range.
   *
   * @param ranges ascending and disjoint; they cover all needed bytes
   */
  record Ranges(ObjectNeed need, List<ByteRange.Bounded> ranges) implements ChunkAccess {
    /** Copies the list. */
    public Ranges {
      ranges = ranges instanceof RegularRanges ? ranges : List.copyOf(ranges);
    }

    @Override
    public List<ByteRange> requests() {
      return Collections.unmodifiableList(ranges);
    }

    @Override
    public OptionalLong bytesToMove() {
      return OptionalLong.of(RegularRanges.bytesOf(ranges));
    }

    @Override
    public AccessTotals totals(CostModel model, long unknownBytes) {
      long bytes = RegularRanges.bytesOf(ranges);
      Prices prices = model.profile().prices();
      double charged = ranges.size();
      if (prices.meteredBytes() > 0) {
        charged = ranges.stream().mapToDouble(r -> prices.meteredRequests(r.length())).sum();
      }
      return new AccessTotals(
          ranges.size(),
          ranges.size(),
          charged,
          bytes,
          RegularRanges.longestOf(ranges),
          CallTotals.NONE);
    }

    @Override
    public Ranges of(ObjectNeed other) {
      return new Ranges(other, ranges);
    }

    @Override
    public String method() {
      return "ranges";
    }
  }

  /** No request: nothing is left to fetch. */
  sealed interface Nothing extends ChunkAccess {
    @Override
    default List<ByteRange> requests() {
      return List.of();
    }

    @Override
    default OptionalLong bytesToMove() {
      return OptionalLong.of(0);
    }

    @Override
    default AccessTotals totals(CostModel model, long unknownBytes) {
      return AccessTotals.NONE;
    }
  }

  /** No request: nothing of the object is needed, its elements are fill values. */
  record Fill(ObjectNeed need) implements Nothing {
    @Override
    public String method() {
      return "fill";
    }

    @Override
    public Fill of(ObjectNeed other) {
      return new Fill(other);
    }
  }

  /**
   * No request: all that is needed of the object is in memory, decoded. It takes no time in a
   * model: packing elements of a decoded chunk takes the same whether it was just fetched or held.
   * A reader takes at least those chunks from memory that were planned so, as long as they stay
   * there.
   */
  record Cached(ObjectNeed need) implements Nothing {
    @Override
    public String method() {
      return "cached";
    }

    @Override
    public Cached of(ObjectNeed other) {
      return new Cached(other);
    }
  }

  /**
   * Calls of the slice function beside the store, which answers the needed bytes only.
   *
   * @param calls how many share the work
   * @param answerBytes of all answers
   * @param callSeconds that the longest call is estimated to take
   */
  record SliceFunction(ObjectNeed need, int calls, long answerBytes, double callSeconds)
      implements ChunkAccess {
    /** The calls that a cost model asks for. */
    static SliceFunction of(ObjectNeed need, CallTotals totals) {
      return new SliceFunction(
          need, (int) totals.calls(), (long) totals.answerBytes(), totals.longestSeconds());
    }

    /**
     * The needed bytes of each call: ascending and disjoint runs, about equally many bytes a call.
     */
    public List<List<ByteRuns>> dividedRuns() {
      List<ByteRuns> parts = ((NeededBytes.Runs) need.bytes()).parts();
      if (calls == 1 && parts.size() == 1) {
        return List.of(parts);
      }
      List<List<ByteRuns>> divided = new ArrayList<>();
      List<ByteRuns> open = new ArrayList<>();
      long most = (answerBytes + calls - 1) / calls;
      long bytes = 0;
      for (ByteRange.Bounded range : RangeMerge.merge(parts, GapRule.EXACT)) {
        for (long start = range.start(); start < range.end(); ) {
          long end = Math.min(range.end(), start + most - bytes);
          open.add(ByteRuns.of(start, end));
          bytes += end - start;
          start = end;
          if (bytes == most) {
            divided.add(List.copyOf(open));
            open.clear();
            bytes = 0;
          }
        }
      }
      if (!open.isEmpty()) {
        divided.add(List.copyOf(open));
      }
      return divided;
    }

    /** No requests to the store itself. */
    @Override
    public List<ByteRange> requests() {
      return List.of();
    }

    @Override
    public OptionalLong bytesToMove() {
      return OptionalLong.of(answerBytes);
    }

    @Override
    public String method() {
      return "function";
    }

    @Override
    public AccessTotals totals(CostModel model, long unknownBytes) {
      CallTotals one = need.sliceCall().flatMap(model::calls).orElseThrow();
      return new AccessTotals(0, 0, 0, 0, 0, one);
    }

    @Override
    public SliceFunction of(ObjectNeed other) {
      return new SliceFunction(other, calls, answerBytes, callSeconds);
    }
  }
}
