package io.arraymorph.cloud.gcs;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.cloud.HadoopSettings;
import io.arraymorph.store.StoreConfig;
import java.net.URI;
import java.util.Optional;

/**
 * How to reach one bucket: the settings of Google's connector for Hadoop.
 *
 * @param bucket its name
 * @param endpoint of the service, as {@code https://storage.googleapis.com}, without trailing slash
 * @param userProject whom requests are charged to, for buckets whose requester pays
 * @param credentials how to prove who we are
 * @param connections most requests at a time
 * @param timeoutSeconds how long an answer may take to begin
 * @param attempts most attempts of one request
 */
record GcsSettings(
    String bucket,
    String endpoint,
    Optional<String> userProject,
    GcsCredentials credentials,
    int connections,
    int timeoutSeconds,
    int attempts) {
  private static final String ENDPOINT = "storage.root.url";
  private static final String PAYS = "requester.pays.";

  static GcsSettings of(String bucket, StoreConfig config) {
    HadoopSettings settings = new HadoopSettings(config, "fs.gs.", bucket);
    boolean pays = !settings.get(PAYS + "mode").orElse("DISABLED").equalsIgnoreCase("DISABLED");
    return new GcsSettings(
        bucket,
        settings
            .get(ENDPOINT)
            .map(text -> checked(text, settings.name(ENDPOINT)))
            .orElse("https://storage.googleapis.com"),
        pays
            ? settings.get(PAYS + "project.id").or(() -> settings.get("project.id"))
            : Optional.empty(),
        GcsCredentials.of(config),
        settings.positive("arraymorph.store.connections", 256),
        settings.positive("arraymorph.store.timeout", 30),
        settings.positive("arraymorph.store.attempts", 8));
  }

  private static String checked(String text, String key) {
    try {
      URI uri = URI.create(text);
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (http && uri.getHost() != null && uri.getRawUserInfo() == null && uri.getQuery() == null) {
        return text.replaceFirst("/+$", "");
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        key + " is no URL of a storage service",
        "Set it as https://host:port, without credentials");
  }

  /** Where requests go; no credentials. */
  @Override
  public String toString() {
    return "GcsSettings[" + endpoint + "/" + bucket + "]";
  }
}
