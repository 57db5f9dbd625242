package io.arraymorph.layout.zarr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.codec.FillElements;
import io.arraymorph.store.LocalObjectStore;
import io.arraymorph.store.MemoryObjectStore;
import io.arraymorph.store.RecordingObjectStore;
import io.arraymorph.store.StorePath;
import io.arraymorph.store.WriteCondition;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ZarrNodesTest {
  private final RecordingObjectStore fixtures =
      new RecordingObjectStore(new LocalObjectStore(Fixture.ROOT));
  private final MemoryObjectStore memory = new MemoryObjectStore("nodes");

  @AfterEach
  void close() {
    fixtures.close();
    memory.close();
  }

  private StorePath put(String key, String text) {
    memory.put(key, ByteBuffer.wrap(text.getBytes(UTF_8)), WriteCondition.NONE).join();
    return new StorePath(memory, key.substring(0, Math.max(0, key.lastIndexOf('/'))));
  }

  @Test
  void opensAnArrayOfVersionThreeWithOneRequest() {
    ZarrArray array = ZarrNodes.openArray(new StorePath(fixtures, "v3/shape/huge_sparse.zarr"));
    assertThat(array.schema().shape()).isEqualTo(Shape.of(1L << 40, 1L << 33));
    assertThat(fixtures.requests()).hasSize(1);
  }

  @Test
  void opensAnArrayOfVersionTwoWithThreeRequests() {
    ZarrArray array = ZarrNodes.openArray(new StorePath(fixtures, "v2/meta/dimensions.zarr"));
    assertThat(array.schema().dimensionNames()).hasSize(2).doesNotContain("dim_0");
    assertThat(fixtures.requests()).hasSize(3);
  }

  @Test
  void namesChunksAsTheirEncodingSays() {
    StorePath path = new StorePath(fixtures, "v3/shape/rank2.zarr");
    assertThat(ZarrNodes.openArray(path).chunkObject(ChunkCoordinates.of(1, 12)))
        .isEqualTo(path.resolve("c/1/12"));
    StorePath dots = new StorePath(fixtures, "v3/shape/rank2_v2keys.zarr");
    assertThat(ZarrNodes.openArray(dots).chunkObject(ChunkCoordinates.of(1, 12)))
        .isEqualTo(dots.resolve("1.12"));
    StorePath scalar = new StorePath(fixtures, "v3/shape/rank0.zarr");
    assertThat(ZarrNodes.openArray(scalar).chunkObject(ChunkCoordinates.of()))
        .isEqualTo(scalar.resolve("c"));
  }

  @Test
  void tellsReadChunksInTheArraysOwnDimensions() {
    assertThat(readChunk("v3/shard/end_crc.zarr")).isEqualTo(Shape.of(3, 4));
    assertThat(readChunk("v3/shard/nested_three.zarr")).isEqualTo(Shape.of(1));
    assertThat(readChunk("v3/shard/outer_transpose.zarr")).isEqualTo(Shape.of(3, 4));
    assertThat(readChunk("v3/shard/outer_transpose_3d.zarr")).isEqualTo(Shape.of(2, 3, 5));
    assertThat(readChunk("v3/shape/rank2.zarr")).isEqualTo(Shape.of(2, 3));
  }

  private Shape readChunk(String path) {
    return ZarrNodes.openArray(new StorePath(fixtures, path)).readChunkShape();
  }

  @Test
  void tellsCodecsForDisplay() {
    ZarrArray array = ZarrNodes.openArray(new StorePath(fixtures, "v3/shard/end_crc.zarr"));
    assertThat(array.codecNames()).isEqualTo(List.of("sharding_indexed"));
    assertThat(array.compressionText()).isEqualTo("zstd:1");
    assertThat(
            ZarrNodes.openArray(new StorePath(fixtures, "v2/compressor/blosc.zarr"))
                .compressionText())
        .isEqualTo("blosc:lz4:shuffle");
  }

  @Test
  void saysWhenThereIsNothing() {
    assertCode(new StorePath(memory, "none"), ErrorCode.NOT_AN_ARRAY);
  }

  @Test
  void saysWhenAGroupIsTakenForAnArray() {
    assertThatThrownBy(() -> ZarrNodes.openArray(new StorePath(fixtures, "groups/climate_v3.zarr")))
        .hasMessageStartingWith("[ARRAYMORPH_NOT_AN_ARRAY]")
        .hasMessageContaining("t2m");
    assertThatThrownBy(() -> ZarrNodes.openGroup(new StorePath(fixtures, "v3/shape/rank2.zarr")))
        .hasMessageStartingWith("[ARRAYMORPH_NOT_AN_ARRAY]");
  }

  @Test
  void readsBareNotANumberAsPythonWritesIt() {
    StorePath path =
        put(
            "a/zarr.json",
            "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"x\":NaN}}");
    assertThat(ZarrNodes.openGroup(path).attributes().get("x").doubleValue()).isNaN();
  }

  @Test
  void refusesMetadataThatTwoReadersWouldReadDifferently() {
    assertCode(
        put(
            "a/zarr.json",
            "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{},\"attributes\":{\"a\":1}}"),
        ErrorCode.METADATA_INVALID);
    assertCode(
        put("b/zarr.json", "{\"zarr_format\":3,\"node_type\":\"group\"} trailing"),
        ErrorCode.METADATA_INVALID);
    assertCode(put("c/zarr.json", ""), ErrorCode.METADATA_INVALID);
  }

  @Test
  void refusesFiltersOfLzmaThatAreNoList() {
    String before = "{\"zarr_format\":2,\"shape\":[4],\"chunks\":[4],\"dtype\":\"<i4\",";
    String after = "\"fill_value\":0,\"order\":\"C\",\"filters\":null}";
    for (String filters : List.of("{\"id\":33}", "[]", "[33]", "33", "[{\"id\":4}]")) {
      String lzma = "\"compressor\":{\"id\":\"lzma\",\"format\":3,\"filters\":" + filters + "},";
      assertCode(put("a/.zarray", before + lzma + after), ErrorCode.UNSUPPORTED_CODEC);
    }
  }

  private static void assertCode(StorePath path, ErrorCode code) {
    assertThatThrownBy(() -> ZarrNodes.open(path))
        .isInstanceOfSatisfying(
            ArrayMorphException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(path.toString());
  }

  @Test
  void saysWhenAnArrayCanOnlyBeRead() {
    ZarrArray array = ZarrNodes.openArray(new StorePath(fixtures, "v2/compressor/bz2.zarr"));
    Shape chunk = array.readChunkShape();
    assertThatThrownBy(() -> array.pipeline(chunk).encode(FillElements.of(array.schema(), chunk)))
        .isInstanceOfSatisfying(
            ArrayMorphException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED_CODEC))
        .hasMessageContaining("bz2");
  }
}
