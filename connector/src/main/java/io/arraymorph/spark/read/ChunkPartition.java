package io.arraymorph.spark.read;

import io.arraymorph.array.Selection;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * The work of one Spark task: for some parts of the selection, an interval of the units that the
 * part touches, counted in C order.
 *
 * <p>A few longs, whatever the number of chunks; the selection itself travels with the plan of the
 * scan, unless it was narrowed after that plan was made. Immutable.
 */
class ChunkPartition implements InputPartition {
  private static final long serialVersionUID = 1L;

  /** Units {@code [from, to)} among those that a part of the selection touches. */
  record Segment(int part, long from, long to) {}

  /** Part, from and to of each segment, one after the other. */
  private final long[] segments;

  private final Selection narrowed;

  ChunkPartition(List<Segment> segments) {
    this(
        segments.stream()
            .flatMapToLong(s -> Arrays.stream(new long[] {s.part(), s.from(), s.to()}))
            .toArray(),
        null);
  }

  /** A partition of another selection than that of the scan's plan. */
  ChunkPartition(ChunkPartition other, Selection selection) {
    this(other.segments, selection);
  }

  private ChunkPartition(long[] segments, Selection narrowed) {
    this.segments = segments;
    this.narrowed = narrowed;
  }

  /** This partition of another selection than that of the scan's plan. */
  ChunkPartition of(Selection selection) {
    return new ChunkPartition(segments, selection);
  }

  /** The selection whose parts the segments count, if it is not that of the scan's plan. */
  Optional<Selection> narrowed() {
    return Optional.ofNullable(narrowed);
  }

  /** The number of segments. */
  int size() {
    return segments.length / 3;
  }

  /** One segment. */
  Segment segment(int i) {
    return new Segment((int) segments[3 * i], segments[3 * i + 1], segments[3 * i + 2]);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ChunkPartition
        && Arrays.equals(segments, ((ChunkPartition) other).segments)
        && Objects.equals(narrowed, ((ChunkPartition) other).narrowed);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(segments);
  }

  /** As {@code part 0 units 12:24}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < size(); i++) {
      Segment s = segment(i);
      text.append(i == 0 ? "" : ", ").append("part ").append(s.part()).append(" units ");
      text.append(s.from()).append(':').append(s.to());
    }
    return text.toString();
  }
}
