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
 * <p>The key that a day's signatures are made with is derived once, and what all signatures of a
 * second begin with is digested once. Thread-safe.
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
  private volatile Moment latest;

  ReadSignatures(String region) {
    this.region = region;
  }

  /** What all signatures of one second share; no record, for nothing may print the secret. */
  private static final class Moment {
    private final String secret;
    private final long second;
    private final String day;
    private final SecretKeySpec key;
    private final String time;
    private final String scope;
    private final byte[] beginning;

    /** Has taken in the beginning of what is signed; is only copied. */
    private final Mac begun;

    Moment(String secret, Instant now, String region, Moment before)
        throws GeneralSecurityException {
      this.secret = secret;
      this.second = now.getEpochSecond();
      this.time = TIME.format(now);
      this.day = time.substring(0, 8);
      this.scope = day + '/' + region + "/s3/aws4_request";
      this.key =
          before != null && before.day.equals(day) && before.secret.equals(secret)
              ? before.key
              : key(secret, day, region);
      this.beginning =
          (ALGORITHM + '\n' + time + '\n' + scope + '\n').getBytes(StandardCharsets.UTF_8);
      this.begun = begin();
    }

    boolean isOf(String ofSecret, long atSecond) {
      return second == atSecond && secret.equals(ofSecret);
    }

    /** A code that has taken in the beginning. */
    Mac mac() throws GeneralSecurityException {
      try {
        return (Mac) begun.clone();
      } catch (CloneNotSupportedException e) {
        return begin(); // A provider need not be able to.
      }
    }

    private Mac begin() throws GeneralSecurityException {
      Mac mac = keyed(key);
      mac.update(beginning);
      return mac;
    }

    private static SecretKeySpec key(String secret, String day, String region)
        throws GeneralSecurityException {
      byte[] derived = ("AWS4" + secret).getBytes(StandardCharsets.UTF_8);
      for (String step : new String[] {day, region, "s3", "aws4_request"}) {
        derived =
            keyed(new SecretKeySpec(derived, HMAC)).doFinal(step.getBytes(StandardCharsets.UTF_8));
      }
      return new SecretKeySpec(derived, HMAC);
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
      Instant now) {
    Moment moment = moment(credentials.secretAccessKey().trim(), now);
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    all.putAll(headers);
    all.put("x-amz-content-sha256", NO_BODY);
    all.put("X-Amz-Date", moment.time);
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
    byte[] digest = digest().digest(request.toString().getBytes(StandardCharsets.UTF_8));
    String toSign = HexFormat.of().formatHex(digest);
    try {
      byte[] signature = moment.mac().doFinal(toSign.getBytes(StandardCharsets.UTF_8));
      all.put(
          "Authorization",
          ALGORITHM
              + " Credential="
              + credentials.accessKeyId().trim()
              + '/'
              + moment.scope
              + ", SignedHeaders="
              + names
              + ", Signature="
              + HexFormat.of().formatHex(signature));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is part of every Java platform", e);
    }
    return all;
  }

  private Moment moment(String secret, Instant now) {
    Moment kept = latest;
    if (kept == null || !kept.isOf(secret, now.getEpochSecond())) {
      try {
        kept = new Moment(secret, now, region, kept);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("SHA-256 is part of every Java platform", e);
      }
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
