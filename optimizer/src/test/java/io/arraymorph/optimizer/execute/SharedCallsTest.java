package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.OrthogonalSelection;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.AccessCost;
import io.arraymorph.optimizer.cost.AccessTotals;
import io.arraymorph.optimizer.cost.CallTotals;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.cost.PaperCostModel;
import io.arraymorph.optimizer.cost.SliceCall;
import io.arraymorph.optimizer.plan.ByteRuns;
import io.arraymorph.optimizer.plan.FunctionPlanner;
import io.arraymorph.optimizer.plan.PlanEstimate;
import io.arraymorph.optimizer.plan.PlanEstimator;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.ObjectBytes;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StorePath;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What the model says of small slices that share calls, and what the reader then sends. */
class SharedCallsTest {
  private static final CostModel IN_REGION = new OverlapCostModel(StoreProfiles.of("s3.in-region"));

  private static CallTotals calls(CostModel model, int slices, long span, long answer) {
    return model.calls(new SliceCall(16 << 20, span, answer)).orElseThrow().times(slices);
  }

  @Test
  void aHundredBoxesTakeEightCallsAndAHundredReads() {
    // Rows of 84 bytes every 4 KiB, 21 of them; 13 boxes a call, done 8 at a time.
    CallTotals planned = calls(IN_REGION, 100, 82_004, 1764);
    CallTotals sent = IN_REGION.sent(planned);
    assertThat(sent.calls()).isEqualTo(8);
    assertThat(sent.answerBytes()).isEqualTo(176_400);

    double billed = 2 * .028 + 82_004 * 12.5 / 90e6 + 1764 * 12.5 / 200e6;
    double call = 2e-7 + 1.33334e-5 * Math.ceil(billed * 1000) / 1000;
    double dollars = 8 * call + 100 * 4e-7;
    AccessTotals totals = new AccessTotals(0, 0, 0, 0, 0, planned);
    AccessCost cost = IN_REGION.cost(totals);
    assertThat(cost.dollars()).isCloseTo(dollars, within(1e-12));
    assertThat(sent.longestSeconds())
        .isCloseTo(.028 + 1764 * 12.5 / 90e6 + .01 + .0045 + billed, within(1e-6));
    // The longest call, and the tail that one in a hundred of eight meets.
    assertThat(cost.seconds())
        .isCloseTo(sent.longestSeconds() + (.12 - .028) * (1 - Math.pow(.99, 8)), within(1e-9));
  }

  @Test
  void largeSlicesAndFewSlicesHaveCallsOfTheirOwnAndThePaperCountsEach() {
    CallTotals large = calls(IN_REGION, 100, 16 << 20, 300 << 10);
    assertThat(IN_REGION.sent(large)).isEqualTo(large);
    CallTotals few = calls(IN_REGION, 8, 4096, 80);
    assertThat(IN_REGION.sent(few)).isEqualTo(few);
    CostModel paper = new PaperCostModel(StoreProfiles.of("paper.s3"));
    CallTotals many = calls(paper, 100, 4096, 80);
    assertThat(paper.sent(many)).isEqualTo(many);
    // Large ones beside small ones.
    CallTotals both = IN_REGION.sent(large.plus(calls(IN_REGION, 64, 4096, 80)));
    assertThat(both.calls()).isEqualTo(108);
  }

  @Test
  void sharedCallsCostNoMoreThanCallsOfTheirOwn() {
    for (long seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      CostModel model =
          new OverlapCostModel(StoreProfiles.of(random.nextBoolean() ? "s3.wan" : "gcs.in-region"));
      long answer = 1L + random.nextInt(1 << random.nextInt(20));
      long span = answer + random.nextInt(1 << random.nextInt(24));
      CallTotals planned = calls(model, 1 + random.nextInt(2000), span, answer);
      CallTotals sent = model.sent(planned);
      assertThat(sent.calls()).as("seed %s", seed).isBetween(1.0, planned.calls());
      assertThat(sent.dollars()).as("seed %s", seed).isLessThanOrEqualTo(planned.dollars());
    }
  }

  /** Answers from memory, several slices a call. */
  private static SliceFunction function(MemoryObjectStore memory) {
    return new SliceFunction() {
      @Override
      public int mostTogether() {
        return 64;
      }

      @Override
      public CompletableFuture<Answer> slice(
          StorePath object, Optional<String> etag, List<ByteRuns> runs) {
        ObjectBytes all = memory.get(object.key(), ByteRange.WHOLE, ReadCondition.NONE).join();
        ByteBuffer out =
            ByteBuffer.allocate((int) runs.stream().mapToLong(ByteRuns::byteCount).sum());
        for (ByteRuns part : runs) {
          for (PrimitiveIterator.OfLong it = part.starts(); it.hasNext(); ) {
            out.put(all.bytes().slice((int) it.nextLong(), (int) part.runLength()));
          }
        }
        return CompletableFuture.completedFuture(
            new Answer(out.flip(), all.etag(), all.objectSize()));
      }

      @Override
      public CompletableFuture<List<Optional<Answer>>> sliceAll(List<Slice> slices) {
        return CompletableFuture.completedFuture(
            slices.stream().map(slice -> Optional.of(slice(slice).join())).toList());
      }
    };
  }

  @Test
  void aReaderSendsAsManyCallsAsItsPlanSaid() {
    MemoryObjectStore memory = new MemoryObjectStore("t");
    ZarrArray array =
        HyperslabReaderTest.store(
            new StorePath(memory, "a"), Shape.of(64, 64), Shape.of(4, 4), null, Compression.NONE);
    FunctionPlanner planner = new FunctionPlanner(IN_REGION);
    long seed = Long.getLong("fuzz.seed", System.nanoTime());
    System.out.println("fuzz.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 60; i++) {
      long y = random.nextInt(60);
      long x = random.nextInt(60);
      Hyperslab box =
          Hyperslab.box(
              new long[] {y, x},
              new long[] {
                y + 1L + random.nextInt((int) (64 - y)), x + 1L + random.nextInt((int) (64 - x))
              });
      Selection cells = Selection.of(2, new ArrayList<>(List.of(OrthogonalSelection.of(box))));
      PlanEstimate estimate = PlanEstimator.estimate(array, cells, planner);
      try (HyperslabReader reader =
          new HyperslabReader(
              ReadSettings.DEFAULT.withPlanner(planner), Optional.of(function(memory)))) {
        HyperslabReaderTest.assertReads(reader, array, box);
        assertThat(estimate.requestsByMethod().get("function"))
            .as("fuzz.seed=%d, box %s", seed, box)
            .isEqualTo(reader.metrics().sliceFunctionRequests());
      }
    }
  }
}
