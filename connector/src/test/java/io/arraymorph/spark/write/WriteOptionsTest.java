package io.arraymorph.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.array.Shape;
import io.arraymorph.layout.zarr.Compression;
import io.arraymorph.layout.zarr.write.WriteTicket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WriteOptionsTest {
  @Test
  void allThatIsGivenIsRead() {
    WriteOptions options =
        parse(
            Map.of(
                "DIMS", " time , lat ",
                "shape", "0, 40",
                "Chunks", "4,8",
                "shards", "8,8",
                "compression", "gzip:9",
                "fill", "-1",
                "append-dim", "lat",
                "duplicates", "LAST"));
    assertThat(options.dims()).contains(List.of("time", "lat"));
    assertThat(options.shape()).contains(Shape.of(0, 40));
    assertThat(options.chunks()).contains(Shape.of(4, 8));
    assertThat(options.shards()).contains(Shape.of(8, 8));
    assertThat(options.compression()).isEqualTo(Compression.parse("gzip:9"));
    assertThat(options.fill()).contains("-1");
    assertThat(options.appendDim()).contains("lat");
    assertThat(options.duplicates()).isEqualTo(WriteTicket.Duplicates.LAST);
  }

  @Test
  void whatIsNotGivenIsLeftToTheRows() {
    WriteOptions options = parse(Map.of("shards", " "));
    assertThat(options.dims()).isEmpty();
    assertThat(options.shape()).isEmpty();
    assertThat(options.shards()).isEmpty();
    assertThat(options.compression()).isEqualTo(Compression.ZSTD);
    assertThat(options.duplicates()).isEqualTo(WriteTicket.Duplicates.ERROR);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '=',
      value = {
        "shape=1,-1",
        "shape=1,,2",
        "chunks=0",
        "chunks=x",
        "chunks=99999999999999999999",
        "shards=4,4",
        "dims=a,a",
        "duplicates=first",
        "compression=zip"
      })
  void whatIsNotUnderstoodIsNamed(String option, String value) {
    assertThatThrownBy(() -> parse(Map.of(option, value)))
        .hasMessageContaining("ARRAYMORPH_INVALID_OPTION")
        .hasMessageContaining(option);
  }

  @Test
  void shardsMustBeMultiplesOfChunks() {
    assertThatThrownBy(() -> parse(Map.of("chunks", "4,4", "shards", "8,6")))
        .hasMessageContaining("shards is '(8, 6)'");
  }

  private static WriteOptions parse(Map<String, String> some) {
    Map<String, String> options = new HashMap<>(some);
    options.put("path", "/a");
    return WriteOptions.parse(options);
  }
}
