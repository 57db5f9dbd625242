package io.arraymorph.optimizer.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreProfilesTest {
  @Test
  void shippedProfilesParseAndKeepTheirValuesWhenWritten() {
    for (String name : StoreProfiles.NAMES) {
      StoreProfile profile = StoreProfiles.of(name);
      assertThat(profile.name()).isEqualTo(name);
      assertThat(profile.provenance().text()).isNotBlank();
      assertThat(ProfileJson.parse(ProfileJson.write(profile), "again")).isEqualTo(profile);
    }
    assertThat(StoreProfiles.NAMES).hasSize(14).isSorted();
  }

  @Test
  void shippedProfilesSayWhereEachGroupOfNumbersComesFromAndWhen() {
    for (String name : StoreProfiles.NAMES) {
      StoreProfile profile = StoreProfiles.of(name);
      assertThat(profile.provenance().text()).as(name).hasSizeLessThan(400);
      Provenance.Sources sources = profile.provenance().sources().orElseThrow();
      for (String source : List.of(sources.transport(), sources.prices(), sources.function())) {
        assertThat(source).as(name).containsPattern("20\\d\\d-\\d\\d|Assumed|None|Nothing");
      }
    }
  }

  @Test
  void provenanceIsOneTextOrOneForEachGroup() {
    StoreProfile shipped = StoreProfiles.of("s3.wan");
    String written = ProfileJson.write(shipped);
    String object = written.substring(written.indexOf("{", 1), written.indexOf("}") + 1);
    StoreProfile one = ProfileJson.parse(written.replace(object, "\"mine\""), "p.json");
    assertThat(one.provenance()).isEqualTo(Provenance.of("mine"));
    assertThat(ProfileJson.write(one)).contains("\"provenance\" : \"mine\"");
    assertThatThrownBy(
            () -> ProfileJson.parse(written.replace(object, "{\"text\": \"mine\"}"), "p.json"))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("p.json: provenance: transport is missing");

    Provenance measured =
        shipped.provenance().withTransport("all", "rounds").withFunction("all", "calls");
    Provenance.Sources sources = measured.sources().orElseThrow();
    assertThat(sources.transport()).isEqualTo("rounds");
    assertThat(sources.prices()).isEqualTo(shipped.provenance().sources().orElseThrow().prices());
    assertThat(sources.function()).startsWith("calls. Else: AWS Lambda");
    assertThat(one.provenance().withTransport("all", "rounds")).isEqualTo(Provenance.of("all"));
  }

  @Test
  void shippedPricesAreThoseOfTheProviders() {
    Prices wan = StoreProfiles.of("s3.wan").prices();
    assertThat(wan.dollarsPerRequest()).isEqualTo(4e-7);
    assertThat(wan.dollarsPerEgressByte(0) * 1e9).isEqualTo(0.09);
    assertThat(wan.dollarsPerEgressByte(20_000_000_000_000L) * 1e9).isEqualTo(0.085);
    assertThat(wan.dollarsPerEgressByte(Long.MAX_VALUE) * 1e9).isEqualTo(0.05);
    assertThat(StoreProfiles.of("s3.in-region").prices().dollarsPerEgressByte(0)).isZero();
    Prices dfs = StoreProfiles.of("azure-dfs.in-region").prices();
    assertThat(dfs.meteredRequests(1)).isEqualTo(1);
    assertThat(dfs.meteredRequests(4 << 20)).isEqualTo(1);
    assertThat(dfs.meteredRequests((4 << 20) + 1)).isEqualTo(2);
    assertThat(StoreProfiles.of("azure-blob.in-region").prices().meteredRequests(1L << 40))
        .isEqualTo(1);
    FunctionProfile flex = StoreProfiles.of("azure-blob.in-region").function().orElseThrow();
    assertThat(flex.prices().minimumSeconds()).isEqualTo(1.0);
  }

  @Test
  void bandwidthIsLinearBetweenPoints() {
    BandwidthCurve curve = StoreProfiles.of("paper.s3").transport().bandwidth();
    double mebibyte = 1 << 20;
    assertThat(curve.at(0)).isZero();
    assertThat(curve.at(1) / mebibyte).isCloseTo(12.6, within(1e-9));
    assertThat(curve.at(8) / mebibyte).isCloseTo(100.8, within(1e-9));
    assertThat(curve.at(20) / mebibyte).isCloseTo(102.35, within(1e-9));
    assertThat(curve.at(1L << 40) / mebibyte).isCloseTo(34.3, within(1e-9));
    assertThat(curve.fewestRequests(0.9)).isEqualTo(8);
    assertThat(curve.mostRequests(0.9)).isEqualTo(131_072);
  }

  private static org.assertj.core.data.Offset<Double> within(double value) {
    return org.assertj.core.data.Offset.offset(value);
  }

  @Test
  void detectsProfilesByScheme() {
    assertThat(StoreProfiles.detect("s3a://bucket/a.zarr").name()).isEqualTo("s3.in-region");
    assertThat(StoreProfiles.detect("s3://b--use1-az4--x-s3").name())
        .isEqualTo("s3-express.in-region");
    assertThat(StoreProfiles.detect("abfss://c@a/x").name()).isEqualTo("azure-blob.in-region");
    assertThat(StoreProfiles.detect("wasbs://c@a/x").name()).isEqualTo("azure-blob.in-region");
    assertThat(StoreProfiles.detect("gs://b").name()).isEqualTo("gcs.in-region");
    assertThat(StoreProfiles.detect("file:///data").name()).isEqualTo("local");
    assertThat(StoreProfiles.detect("/data").name()).isEqualTo("local");
  }

  @Test
  void detectsProfilesByLocation() {
    for (String uri : new String[] {"s3a://b/a", "abfss://c@a.dfs.core.windows.net/x", "gs://b"}) {
      String near = StoreProfiles.detect(uri, null).name();
      assertThat(near).endsWith(".in-region");
      assertThat(StoreProfiles.detect(uri, " in-region ").name()).isEqualTo(near);
      assertThat(StoreProfiles.detect(uri, "wan").name())
          .isEqualTo(near.replace(".in-region", ".wan"));
      assertThatThrownBy(() -> StoreProfiles.detect(uri, "moon"))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_LOCATION");
    }
    assertThat(StoreProfiles.detect("/data", "wan").name()).isEqualTo("local");
  }

  @Test
  void userFilesAreRead(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("mine.json");
    String text = ProfileJson.write(StoreProfiles.of("s3.wan")).replace("s3.wan", "mine");
    Files.writeString(file, text);
    assertThat(StoreProfiles.of(file.toString()).name()).isEqualTo("mine");
  }

  @Test
  void namesThatAreNeitherShippedNorFilesAreRefused() {
    for (String name : List.of("s3.moon", "/no/such/file.json", "bad\0name", "")) {
      assertThatThrownBy(() -> StoreProfiles.of(name))
          .isInstanceOf(ArrayMorphException.class)
          .extracting(e -> ((ArrayMorphException) e).code())
          .isEqualTo(ErrorCode.INVALID_OPTION);
    }
  }

  @Test
  void nonsenseIsRefusedWithWhereAndWhat() {
    String good = ProfileJson.write(StoreProfiles.of("s3.wan"));
    List<String[]> edits =
        List.of(
            new String[] {"\"latencySeconds\" : 0.08", "\"latencySeconds\" : -1", "latencySeconds"},
            new String[] {"\"latencySeconds\" : 0.08", "\"latencySeconds\" : 3", "tailLatency"},
            new String[] {"\"latencySeconds\" : 0.08", "\"latencySeconds\" : \"x\"", "number"},
            new String[] {"\"latencySeconds\" : 0.08", "\"speed\" : 1", "missing"},
            new String[] {"\"requestSeconds\"", "\"fast\" : 1, \"requestSeconds\"", "[fast]"},
            new String[] {"\"concurrency\" : 256", "\"concurrency\" : 0", "concurrency"},
            new String[] {"\"concurrency\" : 256", "\"concurrency\" : 1e99", "integer"},
            new String[] {"\"internet\"", "\"moon\"", "'moon'"},
            new String[] {"\"2026-11-21\"", "\"yesterday\"", "'yesterday'"},
            new String[] {"\"arraymorph_profile\" : 1", "\"arraymorph_profile\" : 2", "is 2"},
            new String[] {"[ 2, 1.0E8 ]", "[ 1, 1.0E8 ]", "ascend"},
            new String[] {"[ 2, 1.0E8 ]", "[ 2, -5 ]", "bytes per second"},
            new String[] {"[ 2, 1.0E8 ]", "[ 2 ]", "pairs"},
            new String[] {"[ 0, 9.0E-11 ]", "[ 7, 9.0E-11 ]", "ascend from 0"},
            new String[] {"\"coldProbability\" : 0.01", "\"coldProbability\" : 2", "from 0 to 1"},
            new String[] {
              "\"name\" : \"s3.wan\"", "\"name\" : \"a\", \"name\" : \"b\"", "uplicate"
            },
            new String[] {"\"name\" : \"s3.wan\",", "\"name\" : ", "not JSON"});
    for (String[] edit : edits) {
      assertThat(good).contains(edit[0]);
      assertThatThrownBy(() -> ProfileJson.parse(good.replace(edit[0], edit[1]), "p.json"))
          .isInstanceOf(ArrayMorphException.class)
          .hasMessageContaining("ARRAYMORPH_PROFILE_INVALID")
          .hasMessageContaining("p.json")
          .hasMessageContaining(edit[2]);
    }
  }

  @Test
  void aShareOfAHostHasItsShareOfBandwidthAndSlots() {
    Transport host = StoreProfiles.of("s3.in-region").transport();
    Transport quarter = host.share(0.25);
    assertThat(quarter.concurrency()).isEqualTo(host.concurrency() / 4);
    assertThat(quarter.bandwidth().maximum()).isEqualTo(host.bandwidth().maximum() / 4);
    assertThat(quarter.latencySeconds()).isEqualTo(host.latencySeconds());
    assertThatThrownBy(() -> host.share(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
