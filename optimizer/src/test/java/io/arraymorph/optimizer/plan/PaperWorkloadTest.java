package io.arraymorph.optimizer.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Selection;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.optimizer.cost.CostModel;
import io.arraymorph.optimizer.cost.PaperCostModel;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The workload of the ArrayMorph paper under its own model (section 4.1, published constants, phi =
 * 105) beside the plans that the published planner makes: 128K x 128K int32 in chunks of 16 MiB.
 */
class PaperWorkloadTest {
  private static final StorePath OBJECT = new StorePath(new MemoryObjectStore("paper"), "c");
  private static final IndexRange ALL = IndexRange.of(0, 131_072);
  private static final IndexRange ONE_CHUNK = IndexRange.of(2048 + 100, 2048 + 1410);
  private static final IndexRange TWO_CHUNKS = IndexRange.of(4096 - 655, 4096 + 655);

  private static final CostModel S3 = new PaperCostModel(StoreProfiles.of("paper.s3"));
  private static final CostModel GCS = new PaperCostModel(StoreProfiles.of("paper.gcs"));
  private static final CostModel AZURE = new PaperCostModel(StoreProfiles.of("paper.azure"));

  private static List<NeedGroup> needs(Hyperslab slab) {
    DataType type = new DataType.Int(32, true);
    ZarrArray array =
        ZarrArray.of(
            OBJECT,
            new ZarrArraySpec(
                type,
                Shape.of(131_072, 131_072),
                Shape.of(2048, 2048),
                Optional.empty(),
                Compression.NONE,
                ZarrArraySpec.defaultFill(type),
                List.of("y", "x"),
                JsonNodeFactory.instance.objectNode()));
    return PlanEstimator.needs(array, Selection.of(slab), FixedPlanner.GET);
  }

  /** Our cost, printed beside the published planner's. */
  private static double cost(
      String query, CostModel model, String theirs, double published, Hyperslab slab) {
    GroupPlan plan = new CostPlanner(model, 105, true).planGroups(needs(slab));
    double cost = plan.cost().weighted(105);
    String row =
        String.format(
            Locale.ROOT,
            "| %s | %s | %s | %.4f | %.4f | %.1f %% | %s | %.1f MB | %.4f s | $%.6f |",
            query,
            model.profile().name(),
            theirs,
            published,
            cost,
            100 * (cost / published - 1),
            plan.requestsByMethod(),
            plan.totals().movedBytes() / (1 << 20),
            plan.cost().seconds(),
            plan.cost().dollars());
    System.out.println(row);
    assertThat(guide()).as("docs/guide/plans.md has the row").contains(row);
    // Published costs are rounded to two digits after the point, small ones to four.
    assertThat(cost).as(query).isLessThanOrEqualTo(published + (published < 0.1 ? 6e-5 : 6e-3));
    return cost;
  }

  private static String guide() {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("docs/guide/plans.md"))) {
      root = root.getParent();
    }
    try {
      return Files.readString(root.resolve("docs/guide/plans.md"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Hyperslab slab(IndexRange rows, IndexRange columns) {
    return Hyperslab.of(rows, columns);
  }

  @Test
  void rowsAreAsCheapAsPublished() {
    cost("horizontal 1 %, 64 chunks", S3, "154 ranges, 655 MB", 12.33, slab(ONE_CHUNK, ALL));
    cost("horizontal 1 %, 128 chunks", S3, "168 ranges, 655 MB", 12.33, slab(TWO_CHUNKS, ALL));
  }

  @Test
  void columnsAreAsCheapAsPublished() {
    cost("vertical 1 %, 128 chunks", S3, "128 calls", 12.84, slab(ALL, TWO_CHUNKS));
    cost("vertical 1 %, 128 chunks", GCS, "128 calls", 15.29, slab(ALL, TWO_CHUNKS));
    cost("vertical 1 %, 128 chunks", AZURE, "128 calls", 12.90, slab(ALL, TWO_CHUNKS));
  }

  @Test
  void answersAboveTheLimitAreSplitAndSaveAThird() {
    double gcs =
        cost("vertical 1 %, 64 chunks", GCS, "60452 ranges, 854 MB", 24.55, slab(ALL, ONE_CHUNK));
    double azure =
        cost("vertical 1 %, 64 chunks", AZURE, "164 ranges, 1024 MB", 17.98, slab(ALL, ONE_CHUNK));
    assertThat(gcs / 24.55 - 1).isLessThan(-0.37);
    assertThat(azure / 17.98 - 1).isLessThan(-0.27);
  }

  @Test
  void smallAndMiddleBoxesAreCheaperThanPublished() {
    Hyperslab columns = slab(IndexRange.of(0, 2048), IndexRange.of(100, 110));
    assertThat(cost("10 columns of a chunk", S3, "1 call", 0.433, columns)).isLessThan(0.1285);
    assertThat(cost("10 columns of a chunk", GCS, "1 call", 0.865, columns)).isLessThan(0.0965);
    assertThat(cost("10 columns of a chunk", AZURE, "1 call", 1.020, columns)).isLessThan(0.3115);
    Hyperslab box = slab(IndexRange.of(0, 3000), IndexRange.of(0, 3000));
    assertThat(cost("3000 x 3000 box", S3, "11 ranges, 2 calls", 1.10, box)).isLessThan(0.855);
    assertThat(cost("3000 x 3000 box", GCS, "11 ranges, 2 calls", 1.62, box)).isLessThan(0.975);
    assertThat(cost("3000 x 3000 box", AZURE, "11 ranges, 2 calls", 1.66, box)).isLessThan(0.855);
  }

  @Test
  void aSmallBoxIsAsCheapAsPublished() {
    Hyperslab box = slab(IndexRange.of(100, 121), IndexRange.of(100, 121));
    cost("21 x 21 box", S3, "21 ranges", 0.0060, box);
    cost("21 x 21 box", GCS, "21 ranges", 0.0019, box);
    cost("21 x 21 box", AZURE, "8 ranges", 0.0306, box);
  }
}
