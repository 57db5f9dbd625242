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
    assertThat(EarlyRead.range(near)).contains(ByteRange.of(8_000, 70_008));
    assertThat(EarlyRead.range(runs(run(0, 8), run(65_529, 8)))).isEmpty();
    assertThat(EarlyRead.range(runs(run(0, 8), run(65_528, 8)))).contains(ByteRange.of(0, 65_536));
  }

  @Test
  void boxesAreNotReadEarly() {
    SliceRequest.Boxes boxes =
        new SliceRequest.Boxes(
            "{}", Shape.of(4), List.of(Hyperslab.box(new long[] {0}, new long[] {1})));
    assertThat(EarlyRead.range(new SliceRequest("s3://b/a", Optional.empty(), boxes))).isEmpty();
  }
}
