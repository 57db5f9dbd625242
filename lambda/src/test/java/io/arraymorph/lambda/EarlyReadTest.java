package io.arraymorph.lambda;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.slice.SliceRequest;
import io.arraymorph.slice.SliceRuns;
import io.arraymorph.store.ByteRange;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EarlyReadTest {
  private static SliceRequest runs(SliceRuns... runs) {
    return new SliceRequest(
        "s3://bucket/a/c/0/0", Optional.empty(), new SliceRequest.Runs(List.of(runs)));
  }

  private static SliceRuns run(long start, long length) {
    return new SliceRuns(start, length, new long[0], new long[0]);
  }

  @Test
  void oneRangeCoversRunsThatLieNearEachOther() {
    SliceRequest near = runs(run(70_000, 8), run(8_000, 16));
    assertThat(EarlyRead.range(near, -1)).contains(ByteRange.of(8_000, 70_008));
    assertThat(EarlyRead.range(runs(run(0, 8), run(65_529, 8)), -1)).isEmpty();
    assertThat(EarlyRead.range(runs(run(0, 8), run(65_528, 8)), -1))
        .contains(ByteRange.of(0, 65_536));
  }

  @Test
  void allOfAnObjectIsReadThatIsLikelySmallAndHoldsTheRuns() {
    assertThat(EarlyRead.range(runs(run(100, 8)), 16_384)).contains(ByteRange.WHOLE);
    assertThat(EarlyRead.range(runs(run(100, 8)), 65_537)).contains(ByteRange.of(100, 108));
    assertThat(EarlyRead.range(runs(run(100, 8)), 107)).contains(ByteRange.of(100, 108));
  }

  @Test
  void boxesAreNotReadEarly() {
    SliceRequest.Boxes boxes =
        new SliceRequest.Boxes(
            "{}", Shape.of(4), List.of(Hyperslab.box(new long[] {0}, new long[] {1})));
    assertThat(EarlyRead.range(new SliceRequest("s3://b/a", Optional.empty(), boxes), 100))
        .isEmpty();
  }

  @Test
  void objectsOfAnArrayAreThoseThatDifferInCoordinates() {
    ObjectLengths lengths = new ObjectLengths();
    assertThat(lengths.likely("s3://b/a/c/0/0")).isEqualTo(-1);
    lengths.found("s3://b/a/c/0/0", 10);
    lengths.found("s3://b/a/c/12/7", 8);
    assertThat(lengths.likely("s3://b/a/c/3/1")).isEqualTo(10);
    assertThat(lengths.likely("s3://b/a2/c/3/1")).isEqualTo(-1);
    lengths.found("s3://b/v2/0.0", 5);
    assertThat(lengths.likely("s3://b/v2/1.4")).isEqualTo(5);
  }

  @Test
  void lengthsOfManyArraysAreForgotten() {
    ObjectLengths lengths = new ObjectLengths();
    for (int i = 0; i < 5000; i++) {
      lengths.found("s3://b/a" + i + "x/c/0", i);
    }
    assertThat(lengths.likely("s3://b/a0x/c/0")).isEqualTo(-1);
    assertThat(lengths.likely("s3://b/a4999x/c/1")).isEqualTo(4999);
  }
}
