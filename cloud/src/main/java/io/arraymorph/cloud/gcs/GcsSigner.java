package io.arraymorph.cloud.gcs;

import com.google.auth.ServiceAccountSigner;
import io.arraymorph.store.SignedUrl;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Signs URLs that read one object (<a
 * href="https://cloud.google.com/storage/docs/authentication/canonical-requests">V4 signing with
 * RSA</a>): with the key of a service account here, else by asking for a signature of the account
 * that the credentials stand for.
 */
final class GcsSigner {
  private static final String ALGORITHM = "GOOG4-RSA-SHA256";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final GcsSettings settings;

  GcsSigner(GcsSettings settings) {
    this.settings = settings;
  }

  /**
   * @param object its URI, for errors
   */
  Optional<SignedUrl> sign(String key, Duration lifetime, Instant now, String object) {
    String path = "/" + settings.bucket() + "/" + GcsNames.encodePath(key);
    if (settings.credentials().isNobody()) {
      return Optional.of(new SignedUrl(URI.create(settings.endpoint() + path), now.plus(lifetime)));
    }
    try {
      Optional<ServiceAccountSigner> signer = settings.credentials().signer();
      return signer.map(account -> sign(account, path, lifetime, now));
    } catch (IOException e) {
      throw GcsFailures.unauthorized(object, e);
    } catch (ServiceAccountSigner.SigningException e) {
      return Optional.empty(); // the account may not sign
    }
  }

  private SignedUrl sign(
      ServiceAccountSigner account, String path, Duration lifetime, Instant now) {
    String time = TIME.format(now);
    String scope = time.substring(0, 8) + "/auto/storage/goog4_request";
    String query =
        "X-Goog-Algorithm="
            + ALGORITHM
            + "&X-Goog-Credential="
            + GcsNames.encode(account.getAccount() + "/" + scope)
            + "&X-Goog-Date="
            + time
            + "&X-Goog-Expires="
            + lifetime.toSeconds()
            + "&X-Goog-SignedHeaders=host";
    String host = URI.create(settings.endpoint()).getRawAuthority();
    String request =
        String.join("\n", "GET", path, query, "host:" + host, "", "host", "UNSIGNED-PAYLOAD");
    String toSign = String.join("\n", ALGORITHM, time, scope, sha256(request));
    byte[] signature = account.sign(toSign.getBytes(StandardCharsets.UTF_8));
    String url =
        settings.endpoint()
            + path
            + "?"
            + query
            + "&X-Goog-Signature="
            + HexFormat.of().formatHex(signature);
    return new SignedUrl(URI.create(url), now.plusSeconds(lifetime.toSeconds()));
  }

  private static String sha256(String text) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
