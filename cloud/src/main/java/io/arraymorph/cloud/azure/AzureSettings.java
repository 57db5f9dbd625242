package io.arraymorph.cloud.azure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.cloud.HadoopSettings;
import io.arraymorph.store.StoreConfig;
import java.net.URI;
import java.util.Optional;

/**
 * How to reach one container: the {@code fs.azure.*} settings of the session, those that end in the
 * account's host name first.
 *
 * @param endpoint of the blob service, as {@code https://account.blob.core.windows.net}
 * @param container its name
 * @param credential how to prove who we are
 * @param connections most requests at a time
 * @param timeoutSeconds how long a connection may stay silent
 * @param attempts most attempts of one request
 */
record AzureSettings(
    String endpoint,
    String container,
    AzureCredential credential,
    int connections,
    int timeoutSeconds,
    int attempts) {

  /** Overrides the endpoint, for emulators and private clouds. */
  static final String ENDPOINT = "arraymorph.azure.endpoint";

  /**
   * @param host of the account, as {@code account.dfs.core.windows.net}
   */
  static AzureSettings of(String container, String host, StoreConfig config) {
    HadoopSettings common = new HadoopSettings(config, "fs.azure.", container);
    return new AzureSettings(
        config.get(ENDPOINT).map(AzureSettings::checked).orElse("https://" + blobHost(host)),
        container,
        AzureCredential.of(container, host, config),
        common.positive("arraymorph.store.connections", 256),
        common.positive("arraymorph.store.timeout", 30),
        common.positive("arraymorph.store.attempts", 8));
  }

  /** The host of the blob service that goes with that of the file service. */
  static String blobHost(String host) {
    return host.replaceFirst("\\.dfs\\.", ".blob.");
  }

  private static String checked(String text) {
    try {
      URI uri = URI.create(text);
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (http && uri.getHost() != null && uri.getRawUserInfo() == null && uri.getQuery() == null) {
        return text;
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        ENDPOINT + " is no URL of a blob service",
        "Set it as https://host/account, without credentials");
  }

  /** A setting of the account: {@code key.HOST} before {@code key}. */
  static Optional<String> ofAccount(StoreConfig config, String key, String host) {
    return config
        .get(key + "." + host)
        .or(() -> config.get(key + "." + blobHost(host)))
        .or(() -> config.get(key));
  }

  /** Where requests go; no credentials. */
  @Override
  public String toString() {
    return "AzureSettings[" + endpoint + "/" + container + "]";
  }
}
