package io.arraymorph.layout.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.arraymorph.array.DataType;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.cf.CfDecoding;
import io.arraymorph.layout.column.ColumnType.Scalar;
import io.arraymorph.layout.column.DecodedColumn;
import io.arraymorph.layout.column.Validity;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.ZarrArray;
import io.arraymorph.layout.zarr.ZarrArraySpec;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.StorePath;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which coordinates are read again. */
class CoordinateCacheTest {
  private static final DataType INT32 = new DataType.Int(32, true);
  private static final CfDecoding RAW = CfDecoding.raw(INT32);

  private final CoordinateCache cache = new CoordinateCache(4000);
  private int reads;

  private static ZarrArray array(String name, String generation, int length) {
    ObjectNode attributes = JsonNodeFactory.instance.objectNode();
    if (!generation.isEmpty()) {
      attributes.putObject("_arraymorph").put("generation", generation);
    }
    return ZarrArray.of(
        new StorePath(new MemoryObjectStore("c"), name),
        new ZarrArraySpec(
            INT32,
            Shape.of(length),
            Shape.of(length),
            Optional.empty(),
            Compression.parse("none"),
            ZarrArraySpec.parseFill("0", INT32),
            List.of("x"),
            attributes));
  }

  private DecodedColumn values(ZarrArray array, CfDecoding decoding) {
    return cache.values(
        array,
        decoding,
        () -> {
          reads++;
          int count = (int) array.schema().shape().length(0);
          return DecodedColumn.fixed(Scalar.INT, count, new byte[4 * count], 0, Validity.ALL);
        });
  }

  @Test
  void aVersionIsReadOnce() {
    DecodedColumn first = values(array("x", "g1", 3), RAW);
    assertThat(values(array("x", "g1", 3), RAW)).isSameAs(first);
    assertThat(reads).isOne();
  }

  @Test
  void anotherVersionPlaceLengthOrDecodingIsReadAnew() {
    values(array("x", "g1", 3), RAW);
    values(array("x", "g2", 3), RAW);
    values(array("y", "g1", 3), RAW);
    values(array("x", "g1", 4), RAW);
    ObjectNode scaled = JsonNodeFactory.instance.objectNode().put("scale_factor", 2);
    values(array("x", "g1", 3), CfDecoding.of(INT32, scaled));
    assertThat(reads).isEqualTo(5);
  }

  @Test
  void arraysThatOthersWroteAreReadAgainForTheyMayChangeInPlace() {
    values(array("x", "", 3), RAW);
    values(array("x", "", 3), RAW);
    assertThat(reads).isEqualTo(2);
    assertThat(cache.bytes()).isZero();
  }

  @Test
  void theLeastRecentlyUsedGoFirstAndBytesStayWithinTheBound() {
    values(array("x", "g1", 3), RAW);
    values(array("x", "g2", 3), RAW);
    values(array("x", "g1", 3), RAW);
    long two = cache.bytes();
    for (int n = 3; cache.bytes() < 4000 - two; n++) {
      values(array("x", "g" + n, 3), RAW);
      values(array("x", "g1", 3), RAW);
      assertThat(cache.bytes()).isLessThanOrEqualTo(4000);
      if (n > 40) {
        break;
      }
    }
    int before = reads;
    values(array("x", "g1", 3), RAW);
    assertThat(reads).isEqualTo(before);
    values(array("z", "g1", 2000), RAW);
    values(array("z", "g1", 2000), RAW);
    assertThat(reads).as("too large to keep").isEqualTo(before + 2);
  }
}
