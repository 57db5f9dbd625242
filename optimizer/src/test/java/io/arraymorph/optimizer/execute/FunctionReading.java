package io.arraymorph.optimizer.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.IndexRange;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.optimizer.cost.OverlapCostModel;
import io.arraymorph.optimizer.plan.FunctionPlanner;
import io.arraymorph.optimizer.profile.StoreProfiles;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StoreOperation;
import io.arraymorph.store.StorePath;
import java.util.Optional;

/**
 * What is asked of a slice function: chunks in calls of their own or together, stored or decoded.
 */
enum FunctionReading {
  ALONE(24, 16, "none"),
  ALONE_DECODED(24, 16, "zstd"),
  TOGETHER(40, 40, "none"),
  TOGETHER_DECODED(40, 40, "zstd");

  private final long height;
  private final long width;
  private final String codec;

  FunctionReading(long height, long width, String codec) {
    this.height = height;
    this.width = width;
    this.codec = codec;
  }

  boolean isDecoded() {
    return codec.equals("zstd");
  }

  boolean isTogether() {
    return height == 40;
  }

  /** Chunks of 8 x 8, of 256 bytes if they are not compressed. */
  int chunks() {
    return (int) (height * width / 64);
  }

  Hyperslab columns() {
    return Hyperslab.of(IndexRange.of(0, height), new IndexRange(3, width, 5));
  }

  ZarrArray array(RecordingObjectStore store) {
    return HyperslabReaderTest.store(
        new StorePath(store, "a"),
        Shape.of(height, width),
        Shape.of(8, 8),
        null,
        Compression.parse(codec));
  }

  /** Leaves all to the function. */
  static ReadSettings settings() {
    return ReadSettings.DEFAULT.withPlanner(
        new FunctionPlanner(new OverlapCostModel(StoreProfiles.of("s3.wan"))));
  }

  static HyperslabReader reader(RawFunction raw, boolean required) {
    return new HyperslabReader(settings(), Optional.of(raw.function(required)));
  }

  /** The right values, of each object once from the store, and no call that brought any. */
  void assertReadWithout(RawFunction raw, RecordingObjectStore store, String name) {
    ZarrArray array = array(store);
    store.clear();
    try (HyperslabReader reader = reader(raw, false)) {
      HyperslabReaderTest.assertReads(reader, array, columns());
      assertThat(raw.calls()).as(name).isPositive();
      assertThat(reader.metrics().sliceFunctionFailures())
          .as(name)
          .isPositive()
          .isEqualTo(reader.metrics().sliceFunctionRequests());
      assertThat(store.requests(StoreOperation.GET)).as(name).hasSize(chunks());
    }
  }
}
