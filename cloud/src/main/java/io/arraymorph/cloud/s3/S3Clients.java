package io.arraymorph.cloud.s3;

import java.time.Duration;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.apache.ApacheHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;

/** Makes the SDK's client for the settings of a bucket. */
final class S3Clients {
  /** Below this, asking the server first costs more than sending a body in vain. */
  private static final long EXPECT_CONTINUE_BYTES = 1 << 20;

  /** Slower than this for long is as good as no answer. */
  private static final long LEAST_BYTES_PER_SECOND = 64 << 10;

  /** What copies and the joining of parts may take: the server does them while we wait. */
  private static final Duration SERVER_SIDE = Duration.ofMinutes(5);

  private S3Clients() {}

  /** The time for a request and its answer without bodies. */
  static Duration grace(S3Settings settings) {
    return Duration.ofSeconds(2L * settings.timeoutSeconds());
  }

  /** The time for a body: grows with its length. */
  static Duration allowed(Duration grace, long bytes) {
    return grace.plusSeconds(bytes / LEAST_BYTES_PER_SECOND);
  }

  static AwsRequestOverrideConfiguration within(Duration grace, long bytes) {
    return AwsRequestOverrideConfiguration.builder()
        .apiCallAttemptTimeout(allowed(grace, bytes))
        .build();
  }

  static AwsRequestOverrideConfiguration serverSide() {
    return AwsRequestOverrideConfiguration.builder().apiCallAttemptTimeout(SERVER_SIDE).build();
  }

  /** Connections to the store's servers; the caller closes it. */
  static SdkHttpClient http(S3Settings settings) {
    Duration silence = Duration.ofSeconds(settings.timeoutSeconds());
    ApacheHttpClient.Builder http =
        ApacheHttpClient.builder()
            .maxConnections(settings.connections())
            .connectionTimeout(Duration.ofSeconds(10))
            .socketTimeout(silence)
            .connectionAcquisitionTimeout(silence)
            .connectionMaxIdleTime(Duration.ofSeconds(15))
            .tcpKeepAlive(true);
    return new AbortableHttpClient(http.build());
  }

  /** A client over connections that outlive it. */
  static S3Client create(S3Settings settings, SdkHttpClient http) {
    S3ClientBuilder client =
        S3Client.builder()
            .httpClient(http)
            .credentialsProvider(settings.credentials())
            .forcePathStyle(settings.pathStyle())
            // Trailing checksums and chunked signatures are what servers other than Amazon's
            // understand least; TLS guards the bytes.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false))
            .overrideConfiguration(
                override ->
                    override
                        .apiCallAttemptTimeout(grace(settings))
                        .retryStrategy(AwsRetryStrategy.doNotRetry())
                        .addExecutionInterceptor(new SmallBodiesAtOnce()));
    settings.endpoint().ifPresent(client::endpointOverride);
    client.region(Region.of(settings.region().orElse("us-east-1")));
    if (settings.region().isEmpty()) {
      client.crossRegionAccessEnabled(true);
    }
    return client.build();
  }

  /** Takes the header {@code Expect: 100-continue} off small bodies: it costs a round trip. */
  private static final class SmallBodiesAtOnce implements ExecutionInterceptor {
    @Override
    public SdkHttpRequest modifyHttpRequest(
        Context.ModifyHttpRequest context, ExecutionAttributes attributes) {
      SdkHttpRequest request = context.httpRequest();
      boolean small =
          request
              .firstMatchingHeader("Content-Length")
              .map(length -> Long.parseLong(length) < EXPECT_CONTINUE_BYTES)
              .orElse(false);
      return small && request.firstMatchingHeader("Expect").isPresent()
          ? request.copy(copy -> copy.removeHeader("Expect"))
          : request;
    }
  }
}
