package io.arraymorph.cloud.s3;

import io.arraymorph.store.SignedUrl;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.services.s3.presigner.model.PresignedGetObjectRequest;

/**
 * Signs URLs that read objects of one bucket (Signature Version 4 in the query).
 *
 * <p>A signature names the region of the bucket; where the settings do not, the bucket is asked
 * once. Without credentials the plain URL is all there is, and works for public objects.
 * Thread-safe.
 */
final class S3Signer implements AutoCloseable {
  private final String bucket;
  private final S3Settings settings;
  private S3Presigner presigner;

  S3Signer(String bucket, S3Settings settings) {
    this.bucket = bucket;
    this.settings = settings;
  }

  SignedUrl sign(S3Client s3, String key, Duration lifetime) throws URISyntaxException {
    if (settings.credentials() instanceof AnonymousCredentialsProvider) {
      URI plain = s3.utilities().getUrl(url -> url.bucket(bucket).key(key)).toURI();
      return new SignedUrl(plain, Instant.now().plus(lifetime));
    }
    PresignedGetObjectRequest signed =
        presigner(s3)
            .presignGetObject(
                presign ->
                    presign
                        .signatureDuration(lifetime)
                        .getObjectRequest(
                            GetObjectRequest.builder().bucket(bucket).key(key).build()));
    return new SignedUrl(signed.url().toURI(), signed.expiration());
  }

  private synchronized S3Presigner presigner(S3Client s3) {
    if (presigner == null) {
      Optional<String> region = settings.region();
      if (region.isEmpty()) {
        region = Optional.ofNullable(s3.headBucket(head -> head.bucket(bucket)).bucketRegion());
      }
      S3Presigner.Builder builder =
          S3Presigner.builder()
              .credentialsProvider(settings.credentials())
              .region(Region.of(region.orElse("us-east-1")))
              .serviceConfiguration(
                  S3Configuration.builder().pathStyleAccessEnabled(settings.pathStyle()).build());
      settings.endpoint().ifPresent(builder::endpointOverride);
      presigner = builder.build();
    }
    return presigner;
  }

  @Override
  public synchronized void close() {
    if (presigner != null) {
      presigner.close();
    }
  }
}
