package io.arraymorph.cloud.s3;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;

/**
 * Signs reads of one region: Signature Version 4 in headers, for requests without query and body
 * (Amazon S3 API Reference, Authenticating Requests: Using the Authorization Header).
 *
 * <p>The key that a day's signatures are made with is derived once, and the time of a second is
 * written once. Thread-safe.
 */
final class ReadSignatures {
  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final String HMAC = "HmacSHA256";

  /** SHA-256 of no bytes. */
  private static final String NO_BODY =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /** Is only copied. */
  private static final MessageDigest DIGEST = newDigest();

  private final String region;
  private volatile DayKey latest;
  private volatile Second now = new Second(0, TIME.format(Instant.EPOCH));

  ReadSignatures(String region) {
    this.region = region;
  }

  /** A second since 1970, and as signatures name it. */
  private record Second(long number, String text) {}

  /** The key of one day; no record, for nothing may print it. */
  private static final class DayKey {
    private final String secret;
    private final String day;
    private final SecretKeySpec key;

    /** Is only copied, as the search of a provider takes longer than what is asked of it. */
    private final Mac keyed;

    DayKey(String secret, String day, SecretKeySpec key) throws GeneralSecurityException {
      this.secret = secret;
      this.day = day;
      this.key = key;
      this.keyed = keyed(key);
    }

    /** A code for one text. */
    Mac mac() throws GeneralSecurityException {
      try {
        return (Mac) keyed.clone();
      } catch (CloneNotSupportedException e) {
        return keyed(key); // A provider need not be able to.
      }
    }

    private static Mac keyed(SecretKeySpec key) throws GeneralSecurityException {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(key);
      return mac;
    }
  }

  private static MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is part of every Java platform", e);
    }
  }

  private static MessageDigest digest() {
    try {
      return (MessageDigest) DIGEST.clone();
    } catch (CloneNotSupportedException e) {
      return newDigest();
    }
  }

  /**
   * The headers to send for a GET: those given and those that prove who asks.
   *
   * @param host as the header Host will name it
   * @param path encoded, as it is sent
   * @param headers to be signed, without Host
   */
  Map<String, String> signed(
      String host,
      String path,
      Map<String, String> headers,
      AwsCredentials credentials,
      Instant at) {
    String time = time(at);
    String day = time.substring(0, 8);
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    all.putAll(headers);
    all.put("x-amz-content-sha256", NO_BODY);
    all.put("X-Amz-Date", time);
    if (credentials instanceof AwsSessionCredentials) {
      all.put("X-Amz-Security-Token", ((AwsSessionCredentials) credentials).sessionToken());
    }
    all.put("Host", host);
    StringBuilder names = new StringBuilder(96);
    StringBuilder request = new StringBuilder(512);
    request.append("GET\n").append(path).append("\n\n");
    for (Map.Entry<String, String> header : all.entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      names.append(names.length() == 0 ? "" : ";").append(name);
      request.append(name).append(':').append(canonical(header.getValue())).append('\n');
    }
    request.append('\n').append(names).append('\n').append(NO_BODY);
    String scope = day + '/' + region + "/s3/aws4_request";
    try {
      byte[] digest = digest().digest(request.toString().getBytes(StandardCharsets.UTF_8));
      String toSign =
          ALGORITHM + '\n' + time + '\n' + scope + '\n' + HexFormat.of().formatHex(digest);
      byte[] signature =
          key(credentials.secretAccessKey().trim(), day)
              .mac()
              .doFinal(toSign.getBytes(StandardCharsets.UTF_8));
      all.put(
          "Authorization",
          ALGORITHM
              + " Credential="
              + credentials.accessKeyId().trim()
              + '/'
              + scope
              + ", SignedHeaders="
              + names
              + ", Signature="
              + HexFormat.of().formatHex(signature));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is part of every Java platform", e);
    }
    return all;
  }

  private String time(Instant at) {
    Second second = now;
    if (second.number() != at.getEpochSecond()) {
      // All requests of a query may come here at once: what each does for itself must be little.
      second = new Second(at.getEpochSecond(), TIME.format(at));
      now = second;
    }
    return second.text();
  }

  private DayKey key(String secret, String day) throws GeneralSecurityException {
    DayKey kept = latest;
    if (kept == null || !kept.day.equals(day) || !kept.secret.equals(secret)) {
      byte[] derived = ("AWS4" + secret).getBytes(StandardCharsets.UTF_8);
      for (String step : new String[] {day, region, "s3", "aws4_request"}) {
        derived =
            DayKey.keyed(new SecretKeySpec(derived, HMAC))
                .doFinal(step.getBytes(StandardCharsets.UTF_8));
      }
      kept = new DayKey(secret, day, new SecretKeySpec(derived, HMAC));
      latest = kept;
    }
    return kept;
  }

  /** A value without spaces around it, and single ones within. */
  private static String canonical(String value) {
    String trimmed = value.trim();
    return trimmed.contains("  ") ? trimmed.replaceAll(" +", " ") : trimmed;
  }
}
