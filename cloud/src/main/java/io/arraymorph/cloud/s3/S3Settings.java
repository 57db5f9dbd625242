package io.arraymorph.cloud.s3;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.cloud.HadoopSettings;
import io.arraymorph.store.StoreConfig;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;

/**
 * How to reach one bucket: the {@code fs.s3a.*} settings of the session, {@code
 * fs.s3a.bucket.NAME.*} first.
 *
 * @param endpoint empty for Amazon's own
 * @param region empty if nobody named one: the client starts in us-east-1 and follows the bucket
 * @param pathStyle the bucket in the path instead of the host name
 * @param credentials where keys come from
 * @param encryption server-side, as {@code AES256} or {@code aws:kms}; empty for the bucket's own
 * @param encryptionKey of the key service
 * @param connections most at a time, and threads to use them
 * @param timeoutSeconds how long a connection may stay silent
 * @param attempts most attempts of one request
 */
record S3Settings(
    Optional<URI> endpoint,
    Optional<String> region,
    boolean pathStyle,
    AwsCredentialsProvider credentials,
    Optional<String> encryption,
    Optional<String> encryptionKey,
    int connections,
    int timeoutSeconds,
    int attempts) {
  private static final Pattern AMAZON_ENDPOINT =
      Pattern.compile("s3[.-](?:fips\\.|dualstack\\.)*([a-z]{2}(?:-[a-z]+)+-\\d)\\.amazonaws\\..*");

  static S3Settings of(String bucket, StoreConfig config) {
    HadoopSettings settings = new HadoopSettings(config, "fs.s3a.", bucket);
    Optional<URI> endpoint = endpoint(settings);
    Optional<String> region = settings.get("endpoint.region").or(() -> regionOf(endpoint));
    return new S3Settings(
        endpoint,
        region.or(S3Settings::regionOfProcess),
        settings.flag("path.style.access", false),
        S3Credentials.of(settings, region),
        settings.get("encryption.algorithm").map(S3Settings::encryptionName),
        settings.get("encryption.key"),
        settings.positive("arraymorph.store.connections", 256),
        settings.positive("arraymorph.store.timeout", 30),
        settings.positive("arraymorph.store.attempts", 8));
  }

  private static Optional<URI> endpoint(HadoopSettings settings) {
    Optional<String> text = settings.get("endpoint");
    if (text.isEmpty() || text.get().equals("s3.amazonaws.com")) {
      return Optional.empty();
    }
    String scheme = settings.flag("connection.ssl.enabled", true) ? "https://" : "http://";
    String full = text.get().contains("://") ? text.get() : scheme + text.get();
    try {
      URI endpoint = URI.create(full);
      if (endpoint.getHost() != null && endpoint.getRawUserInfo() == null) {
        return Optional.of(endpoint);
      }
    } catch (IllegalArgumentException e) {
      // Said below.
    }
    throw new ArrayMorphException(
        ErrorCode.INVALID_OPTION,
        settings.name("endpoint") + " is no host or URL",
        "Set it as https://host:port, without credentials");
  }

  private static Optional<String> regionOf(Optional<URI> endpoint) {
    Matcher matcher = AMAZON_ENDPOINT.matcher(endpoint.map(URI::getHost).orElse(""));
    if (matcher.matches()) {
      return Optional.of(matcher.group(1));
    }
    return endpoint.map(other -> "us-east-1");
  }

  private static Optional<String> regionOfProcess() {
    for (String name : new String[] {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
      String value = System.getenv(name);
      if (value != null && !value.isBlank()) {
        return Optional.of(value.trim());
      }
    }
    return Optional.ofNullable(System.getProperty("aws.region"));
  }

  private static String encryptionName(String algorithm) {
    switch (algorithm) {
      case "SSE-KMS":
        return "aws:kms";
      case "DSSE-KMS":
        return "aws:kms:dsse";
      case "AES256":
      case "SSE-S3":
        return "AES256";
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "fs.s3a.encryption.algorithm is '" + algorithm + "'",
            "Set it to AES256, SSE-KMS or DSSE-KMS; keys held by clients are not supported");
    }
  }

  /** Where requests go; no credentials. */
  @Override
  public String toString() {
    return "S3Settings[endpoint=" + endpoint + ", region=" + region + "]";
  }
}
