package io.arraymorph.spark;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.loopback.Azurite;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Azure Blob Storage through Spark, on Azurite; skipped where it is not installed. */
class AzureThroughSparkTest extends CloudStoreScenarios {
  @TempDir static Path directory;
  private static Optional<Azurite> server = Optional.empty();

  @BeforeAll
  static void start() throws Exception {
    server = Azurite.start(directory);
    assumeTrue(server.isPresent(), "azurite-blob is not installed");
    server.get().create("container");
  }

  @AfterAll
  static void stop() {
    server.ifPresent(Azurite::close);
  }

  @Override
  String uri(String key) {
    return "abfss://container@" + Azurite.HOST + "/" + key;
  }

  @Override
  Map<String, String> settings() {
    return server.orElseThrow().settings();
  }

  @Override
  Map<String, String> refused() {
    String wrong =
        Base64.getEncoder().encodeToString("WRONG-SECRET".getBytes(StandardCharsets.UTF_8));
    return with("fs.azure.account.key." + Azurite.HOST, wrong);
  }

  @Override
  Map<String, String> readOnly() {
    Map<String, String> settings = with("fs.azure.account.auth.type." + Azurite.HOST, "SAS");
    settings.remove("fs.azure.account.key." + Azurite.HOST);
    settings.put(
        "fs.azure.sas.fixed.token." + Azurite.HOST,
        Azurite.containerSignature("container", "rl", Duration.ofHours(1)));
    return settings;
  }

  @Override
  String nowhere() {
    return "abfss://nowhere@" + Azurite.HOST + "/a.zarr";
  }

  private static Map<String, String> with(String key, String value) {
    Map<String, String> settings = new HashMap<>(server.orElseThrow().settings());
    settings.put(key, value);
    return settings;
  }
}
