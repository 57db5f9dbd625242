package io.arraymorph.cloud.gcs;

import com.google.auth.ServiceAccountSigner;
import com.google.auth.oauth2.ComputeEngineCredentials;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.auth.oauth2.ImpersonatedCredentials;
import com.google.auth.oauth2.UserCredentials;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StoreConfig;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A proof of identity for Google Cloud, from the settings of Google's connector for Hadoop: a key
 * file of a service account, a federated identity, a user's refresh token, the machine's own
 * account, nobody; else the application default credentials.
 *
 * <p>Keys are looked for under {@code fs.gs.auth.} and, as older connectors had them, {@code
 * google.cloud.auth.}. Nothing is read before the first request. Thread-safe.
 */
final class GcsCredentials {
  private static final List<String> PREFIXES = List.of("fs.gs.auth.", "google.cloud.auth.");
  private static final List<String> SCOPES =
      List.of("https://www.googleapis.com/auth/devstorage.read_write");

  /** How credentials are made, once they are needed. */
  private interface Source {
    GoogleCredentials load() throws IOException;
  }

  private final Optional<Source> source;
  private final Optional<String> impersonated;
  private GoogleCredentials loaded;

  private GcsCredentials(Optional<Source> source, Optional<String> impersonated) {
    this.source = source;
    this.impersonated = impersonated;
  }

  static GcsCredentials of(StoreConfig config) {
    Optional<String> impersonated = get(config, "impersonation.service.account");
    Optional<String> file = get(config, "service.account.json.keyfile");
    Optional<String> type = get(config, "type");
    if (type.isEmpty() && isNobody(config)) {
      return new GcsCredentials(Optional.empty(), Optional.empty());
    }
    Source source;
    switch (type.orElse(file.isPresent() ? "SERVICE_ACCOUNT_JSON_KEYFILE" : "APPLICATION_DEFAULT")
        .toUpperCase(Locale.ROOT)) {
      case "APPLICATION_DEFAULT":
        source = GoogleCredentials::getApplicationDefault;
        break;
      case "SERVICE_ACCOUNT_JSON_KEYFILE":
        source = fromFile(file, "service.account.json.keyfile");
        break;
      case "WORKLOAD_IDENTITY_FEDERATION_CREDENTIAL_CONFIG_FILE":
        String federation = "workload.identity.federation.credential.config.file";
        source = fromFile(get(config, federation), federation);
        break;
      case "COMPUTE_ENGINE":
        source = ComputeEngineCredentials::create;
        break;
      case "USER_CREDENTIALS":
        UserCredentials user =
            UserCredentials.newBuilder()
                .setClientId(required(config, "client.id"))
                .setClientSecret(required(config, "client.secret"))
                .setRefreshToken(required(config, "refresh.token"))
                .build();
        source = () -> user;
        break;
      case "UNAUTHENTICATED":
        return new GcsCredentials(Optional.empty(), Optional.empty());
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "fs.gs.auth.type is '" + type.orElse("") + "', which is not known here",
            "Set it to APPLICATION_DEFAULT, SERVICE_ACCOUNT_JSON_KEYFILE, COMPUTE_ENGINE,"
                + " USER_CREDENTIALS, WORKLOAD_IDENTITY_FEDERATION_CREDENTIAL_CONFIG_FILE or"
                + " UNAUTHENTICATED");
    }
    return new GcsCredentials(Optional.of(source), impersonated);
  }

  /** What Google's older connectors called it: no service account, and null is fine. */
  private static boolean isNobody(StoreConfig config) {
    return get(config, "null.enable").orElse("").equalsIgnoreCase("true")
        || get(config, "null.enabled").orElse("").equalsIgnoreCase("true");
  }

  private static Optional<String> get(StoreConfig config, String key) {
    return PREFIXES.stream()
        .map(prefix -> config.get(prefix + key))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static String required(StoreConfig config, String key) {
    return get(config, key).orElseThrow(() -> missing(key));
  }

  private static ArrayMorphException missing(String key) {
    return new ArrayMorphException(
        ErrorCode.ACCESS_DENIED,
        "The setting fs.gs.auth." + key + " is missing",
        "Set it in the session");
  }

  private static Source fromFile(Optional<String> path, String key) {
    String file = path.orElseThrow(() -> missing(key));
    return () -> {
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        return GoogleCredentials.fromStream(in);
      }
    };
  }

  /**
   * The headers that prove who we are; empty for nobody.
   *
   * @throws IOException if there are no credentials or no token could be had
   */
  Map<String, List<String>> headers(URI uri) throws IOException {
    return source.isEmpty() ? Map.of() : load().getRequestMetadata(uri);
  }

  /** The account that can sign, if it can. */
  Optional<ServiceAccountSigner> signer() throws IOException {
    if (source.isPresent() && load() instanceof ServiceAccountSigner) {
      return Optional.of((ServiceAccountSigner) load());
    }
    return Optional.empty();
  }

  /** True if requests say nothing about who makes them. */
  boolean isNobody() {
    return source.isEmpty();
  }

  private synchronized GoogleCredentials load() throws IOException {
    if (loaded == null) {
      GoogleCredentials credentials = source.orElseThrow().load();
      if (impersonated.isPresent()) {
        credentials =
            ImpersonatedCredentials.create(
                credentials.createScoped("https://www.googleapis.com/auth/cloud-platform"),
                impersonated.get(),
                null,
                SCOPES,
                3600);
      } else if (credentials.createScopedRequired()) {
        credentials = credentials.createScoped(SCOPES);
      }
      loaded = credentials;
    }
    return loaded;
  }

  /** Nothing: what it holds is secret. */
  @Override
  public String toString() {
    return "GcsCredentials";
  }
}
