package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.slice.SliceProtocol;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ObjectNeedTest {
  @Test
  void theFunctionReadsShortGapsBetweenPartsAndNotLongOnes() {
    long gap = SliceProtocol.GAP_BYTES;
    assertThat(span(0, 10, 10 + gap, 20 + gap)).isEqualTo(20 + gap);
    assertThat(span(0, 10, 11 + gap, 21 + gap)).isEqualTo(20);
    assertThat(span(11 + gap, 21 + gap, 0, 10)).isEqualTo(20);
    assertThat(span(0, 10 + gap, 5, 8, 9, 12 + gap)).isEqualTo(12 + gap);
    assertThat(span(5, 7)).isEqualTo(2);
  }

  private static long span(long... bounds) {
    List<ByteRuns> runs = new ArrayList<>();
    for (int i = 0; i < bounds.length; i += 2) {
      runs.add(ByteRuns.of(bounds[i], bounds[i + 1]));
    }
    StorePath object = new StorePath(new MemoryObjectStore("spans"), "a");
    return new ObjectNeed(object, OptionalLong.of(1 << 30), NeededBytes.runs(runs))
        .sliceCall()
        .orElseThrow()
        .spanBytes();
  }
}
