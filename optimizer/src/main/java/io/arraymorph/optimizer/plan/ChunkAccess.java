package io.arraymorph.optimizer.plan;

import io.arraymorph.store.ByteRange;
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
  }

  /**
   * One request per range.
   *
   * @param ranges ascending and disjoint; they cover all needed bytes
   */
  record Ranges(ObjectNeed need, List<ByteRange.Bounded> ranges) implements ChunkAccess {
    /** Copies the list. */
    public Ranges {
      ranges = List.copyOf(ranges);
    }

    @Override
    public List<ByteRange> requests() {
      return List.copyOf(ranges);
    }

    @Override
    public OptionalLong bytesToMove() {
      return OptionalLong.of(ranges.stream().mapToLong(ByteRange.Bounded::length).sum());
    }

    @Override
    public String method() {
      return "ranges";
    }
  }

  /** No request: nothing of the object is needed, its elements are fill values. */
  record Fill(ObjectNeed need) implements ChunkAccess {
    @Override
    public List<ByteRange> requests() {
      return List.of();
    }

    @Override
    public OptionalLong bytesToMove() {
      return OptionalLong.of(0);
    }

    @Override
    public String method() {
      return "fill";
    }
  }
}
