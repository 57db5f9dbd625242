package io.arraymorph.spark;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StoreConfig;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.internal.SQLConf;

/**
 * What a Spark session already knows: defaults of our options, and how its object stores are
 * reached.
 */
public final class SessionSettings {
  private static final List<String> STORE_PREFIXES =
      List.of("fs.s3a.", "fs.azure.", "fs.gs.", "google.cloud.auth.");

  /** Keys that Hadoop may hold in credential files instead of the configuration. */
  private static final List<String> SECRETS =
      List.of("access.key", "secret.key", "session.token", "encryption.key");

  private static final String PROVIDERS = "hadoop.security.credential.provider.path";

  private SessionSettings() {}

  /** The settings of the current session, spark.* and others. */
  public static Map<String, String> ofSession() {
    Map<String, String> settings = SQLConf.get().settings();
    synchronized (settings) {
      return new HashMap<>(settings);
    }
  }

  /**
   * How to open the store that holds a URI: the session's Hadoop settings, overlaid by those set in
   * SQL, overlaid by those given as options of this read. Never log it.
   *
   * @param options of the read, of which {@code fs.*} and {@code arraymorph.*} are taken
   */
  public static StoreConfig storeConfig(String uri, Map<String, String> options) {
    Configuration hadoop = hadoopConfiguration();
    Map<String, String> session = ofSession();
    Map<String, String> settings = ofHadoop(hadoop);
    session.forEach(
        (key, value) -> {
          if (isOfStore(key)) {
            settings.put(key, value);
          } else if (key.startsWith("spark.hadoop.") && isOfStore(key.substring(13))) {
            settings.putIfAbsent(key.substring(13), value);
          } else if (key.startsWith(ReadOptions.SESSION_PREFIX)) {
            settings.put(key.substring("spark.".length()), value);
          }
        });
    addSecrets(uri, hadoop, settings);
    options.forEach(
        (key, value) -> {
          if (isOfStore(key) || key.startsWith("arraymorph.")) {
            settings.put(key, value);
          }
        });
    return StoreConfig.of(settings);
  }

  /** How to open the store that holds a URI, from Hadoop settings alone. Never log it. */
  public static StoreConfig storeConfig(String uri, Configuration hadoop) {
    Map<String, String> settings = ofHadoop(hadoop);
    addSecrets(uri, hadoop, settings);
    return StoreConfig.of(settings);
  }

  private static Map<String, String> ofHadoop(Configuration hadoop) {
    Map<String, String> settings = new HashMap<>();
    for (Map.Entry<String, String> entry : hadoop) {
      if (isOfStore(entry.getKey())) {
        String value = hadoop.get(entry.getKey());
        if (value != null) {
          settings.put(entry.getKey(), value);
        }
      }
    }
    return settings;
  }

  private static Configuration hadoopConfiguration() {
    return SparkSession.active().sparkContext().hadoopConfiguration();
  }

  private static boolean isOfStore(String key) {
    return STORE_PREFIXES.stream().anyMatch(key::startsWith);
  }

  /** Passwords in credential providers, which Hadoop resolves by name only. */
  private static void addSecrets(String uri, Configuration hadoop, Map<String, String> settings) {
    Configuration configuration = new Configuration(hadoop);
    String ofS3 = settings.get("fs.s3a.security.credential.provider.path");
    String ofAll = configuration.get(PROVIDERS, "");
    if (ofS3 != null && !ofS3.isBlank()) {
      configuration.set(PROVIDERS, ofAll.isBlank() ? ofS3 : ofS3 + "," + ofAll);
    } else if (ofAll.isBlank()) {
      return;
    }
    String container = container(uri);
    for (String secret : SECRETS) {
      addSecret("fs.s3a." + secret, configuration, settings);
      addSecret("fs.s3a.bucket." + container + "." + secret, configuration, settings);
    }
    addSecret("fs.azure.account.key." + container, configuration, settings);
  }

  private static void addSecret(
      String key, Configuration configuration, Map<String, String> settings) {
    try {
      char[] password = configuration.getPassword(key);
      if (password != null) {
        settings.put(key, new String(password));
      }
    } catch (IOException e) {
      throw new ArrayMorphException(
          ErrorCode.ACCESS_DENIED,
          "the credential provider of the session does not give " + key,
          "Check hadoop.security.credential.provider.path",
          e);
    }
  }

  /** The bucket of an S3 URI, the account host of an Azure one. */
  private static String container(String uri) {
    try {
      String host = URI.create(uri).getRawAuthority();
      return host == null ? "" : host.substring(host.indexOf('@') + 1);
    } catch (IllegalArgumentException e) {
      return ""; // Not a URI: a plain path, which needs no secret. The store reports real errors.
    }
  }
}
