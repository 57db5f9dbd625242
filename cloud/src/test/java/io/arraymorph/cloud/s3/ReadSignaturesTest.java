package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.auth.aws.signer.AwsV4HttpSigner;
import software.amazon.awssdk.http.auth.spi.signer.HttpSigner;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/** Signatures of reads beside an example of Amazon's and the SDK's own signer. */
class ReadSignaturesTest {
  @Test
  void theExampleOfAmazonsReferenceHasItsSignature() {
    Map<String, String> headers =
        new ReadSignatures("us-east-1")
            .signed(
                "examplebucket.s3.amazonaws.com",
                "/test.txt",
                Map.of("Range", "bytes=0-9"),
                AwsBasicCredentials.create(
                    "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
                Instant.parse("2013-05-24T00:00:00Z"));

    assertThat(headers.get("Authorization"))
        .isEqualTo(
            "AWS4-HMAC-SHA256"
                + " Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + " SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + " Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
    assertThat(headers).containsEntry("X-Amz-Date", "20130524T000000Z");
  }

  @Test
  void everySignatureIsThatOfTheSdk() {
    long seed = Long.getLong("fuzz.seed", System.nanoTime());
    System.out.println("fuzz.seed=" + seed);
    Random random = new Random(seed);
    ReadSignatures ours = new ReadSignatures("eu-central-1");
    Instant now = Instant.parse("2024-12-31T20:00:00Z");
    AwsCredentials credentials = credentials(random);
    for (int i = 0; i < 500; i++) {
      // Some are of the same second; keys last for a day, and change with the credentials.
      now = now.plusSeconds(random.nextBoolean() ? 0 : random.nextInt(2000));
      credentials = random.nextInt(20) == 0 ? credentials(random) : credentials;
      boolean usualPort = random.nextBoolean();
      String path = "/bucket/" + SdkHttpUtils.urlEncodeIgnoreSlashes(text(random, 12));
      Map<String, String> headers = new TreeMap<>();
      if (random.nextBoolean()) {
        headers.put("Range", "bytes=" + random.nextInt(1000) + "-" + random.nextInt(100_000));
      }
      if (random.nextBoolean()) {
        headers.put("If-Match", '"' + text(random, 20) + '"');
      }

      Map<String, String> signed =
          ours.signed(usualPort ? "store" : "store:9000", path, headers, credentials, now);

      SdkHttpRequest.Builder request =
          SdkHttpRequest.builder()
              .method(SdkHttpMethod.GET)
              .protocol("http")
              .host("store")
              .port(usualPort ? 80 : 9000)
              .encodedPath(path);
      headers.forEach(request::putHeader);
      SdkHttpRequest expected = byTheSdk(request.build(), credentials, now);
      for (String name :
          new String[] {
            "Authorization", "Host", "X-Amz-Date", "x-amz-content-sha256", "X-Amz-Security-Token"
          }) {
        assertThat(signed.get(name))
            .as("fuzz.seed=%d, request %d, header %s", seed, i, name)
            .isEqualTo(expected.firstMatchingHeader(name).orElse(null));
      }
    }
  }

  private static SdkHttpRequest byTheSdk(
      SdkHttpRequest request, AwsCredentials credentials, Instant now) {
    return AwsV4HttpSigner.create()
        .sign(
            sign ->
                sign.identity(credentials)
                    .request(request)
                    .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(now, ZoneOffset.UTC))
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, "eu-central-1")
                    .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                    .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false))
        .request();
  }

  private static AwsCredentials credentials(Random random) {
    String access = "AKIA" + random.nextInt(1000);
    String secret = "secret/+" + random.nextLong();
    return random.nextBoolean()
        ? AwsBasicCredentials.create(access, secret)
        : AwsSessionCredentials.create(access, secret, "token==" + random.nextLong());
  }

  /** Also what must be escaped, and several spaces. */
  private static String text(Random random, int most) {
    String letters = "abc/XYZ019-_.~ %+=&ü雪";
    StringBuilder text = new StringBuilder("k");
    for (int i = random.nextInt(most); i > 0; i--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}
