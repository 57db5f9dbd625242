package io.arraymorph.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.array.DataType;
import io.arraymorph.array.FixedWidthElements;
import io.arraymorph.array.FloatFormat;
import io.arraymorph.array.Hyperslab;
import io.arraymorph.array.Shape;
import io.arraymorph.layout.npy.NpyReader;
import io.arraymorph.layout.npy.NpyWriter;
import io.arraymorph.loopback.Azurite;
import io.arraymorph.loopback.FakeGcs;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --conf} reaches the other clouds, on emulators; skipped where those are not installed. */
class CloudsTest {
  private static final DataType FLOAT32 = new DataType.Float(FloatFormat.FLOAT32);

  @TempDir Path directory;
  private String out;
  private String err;

  @Test
  void azure() throws Exception {
    Optional<Azurite> server = Azurite.start(Files.createDirectory(directory.resolve("azurite")));
    assumeTrue(server.isPresent(), "azurite-blob is not installed");
    try (Azurite azurite = server.get()) {
      azurite.create("container");
      String uri = "abfss://container@" + Azurite.HOST + "/a.zarr";
      writesReadsAndIsRefused(
          uri,
          azurite.settings(),
          Map.of(
              "arraymorph.azure.endpoint",
              azurite.endpoint().toString(),
              "fs.azure.account.key",
              "V1JPTkctU0VDUkVU"));
    }
  }

  @Test
  void google() throws Exception {
    Optional<FakeGcs> server = FakeGcs.start("bucket");
    assumeTrue(server.isPresent(), "fake-gcs-server is not installed");
    try (FakeGcs gcs = server.get()) {
      writesReadsAndIsRefused(
          "gs://bucket/a.zarr",
          gcs.settings(),
          Map.of(
              "fs.gs.storage.root.url",
              gcs.endpoint().toString(),
              "fs.gs.auth.service.account.json.keyfile",
              directory.resolve("no-such-key.json").toString()));
    }
  }

  private void writesReadsAndIsRefused(
      String uri, Map<String, String> settings, Map<String, String> wrong) throws Exception {
    Shape shape = Shape.of(20, 30);
    byte[] bytes = new byte[20 * 30 * 4];
    new Random(1).nextBytes(bytes);
    String in = directory.resolve("in.npy").toString();
    String back = directory.resolve("back.npy").toString();
    try (NpyWriter writer = NpyWriter.create(Path.of(in), FLOAT32, shape)) {
      writer.append(new FixedWidthElements(FLOAT32, shape, bytes, 0));
      writer.publish();
    }
    assertThat(run(settings, "write", in, uri, "--dims", "y,x", "--chunks", "8,8"))
        .as(err)
        .isZero();
    assertThat(run(settings, "info", uri)).as(err).isZero();
    assertThat(out).contains("shape: (20, 30)");
    assertThat(run(settings, "read", uri, "-o", back)).as(err).isZero();
    try (NpyReader reader = NpyReader.open(Path.of(back))) {
      assertThat(reader.read(Hyperslab.all(shape)).bytes()).isEqualTo(bytes);
    }
    assertThat(run(settings, "info", uri + "/nothing")).isEqualTo(1);
    assertThat(err).startsWith("[ARRAYMORPH_NOT_AN_ARRAY]");
    assertThat(run(wrong, "info", uri)).isEqualTo(1);
    assertThat(err).startsWith("[ARRAYMORPH_ACCESS_DENIED]").doesNotContain("V1JPTkctU0VDUkVU");
  }

  private int run(Map<String, String> settings, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    settings.forEach((key, value) -> all.addAll(List.of("--conf", key + "=" + value)));
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    int code =
        Main.run(
            new PrintWriter(outText, true),
            new PrintWriter(errText, true),
            all.toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return code;
  }
}
