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

/** Our signatures are those of the SDK. */
class S3SignatureTest {
  private static final String KEY_LETTERS = "abcXYZ019-_.~/ +%=&?#:@()*'\u00e4\u20ac,;!";

  private static String key(Random random) {
    StringBuilder key = new StringBuilder("k");
    int length = random.nextInt(40);
    for (int i = 0; i < length; i++) {
      key.append(KEY_LETTERS.charAt(random.nextInt(KEY_LETTERS.length())));
    }
    return key.toString();
  }

  private static String sdks(
      String region, String path, Map<String, String> headers, AwsCredentials who, Instant now) {
    SdkHttpRequest.Builder request =
        SdkHttpRequest.builder()
            .method(SdkHttpMethod.GET)
            .protocol("http")
            .host("127.0.0.1")
            .port(9000)
            .encodedPath(path);
    headers.forEach(request::putHeader);
    return AwsV4HttpSigner.create()
        .sign(
            sign ->
                sign.identity(who)
                    .request(request.build())
                    .putProperty(HttpSigner.SIGNING_CLOCK, Clock.fixed(now, ZoneOffset.UTC))
                    .putProperty(AwsV4HttpSigner.SERVICE_SIGNING_NAME, "s3")
                    .putProperty(AwsV4HttpSigner.REGION_NAME, region)
                    .putProperty(AwsV4HttpSigner.DOUBLE_URL_ENCODE, false)
                    .putProperty(AwsV4HttpSigner.NORMALIZE_PATH, false))
        .request()
        .firstMatchingHeader("Authorization")
        .orElseThrow();
  }

  @Test
  void signaturesAreThoseOfTheSdk() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    S3Signature signature = new S3Signature("eu-north-1");
    for (int i = 0; i < 300; i++) {
      AwsCredentials who =
          random.nextBoolean()
              ? AwsBasicCredentials.create("AKID" + random.nextInt(3), "secret" + random.nextInt(3))
              : AwsSessionCredentials.create("ASIA", "other", "token/+=" + random.nextInt(9));
      Map<String, String> headers = new TreeMap<>();
      headers.put("Host", "127.0.0.1:9000");
      if (random.nextBoolean()) {
        headers.put("Range", "bytes=" + random.nextInt(99) + "-" + (99 + random.nextInt(99)));
      }
      if (random.nextBoolean()) {
        headers.put("If-Match", "\"etag-" + random.nextInt(99) + "\"");
      }
      // Over several days, forth and back.
      Instant now = Instant.ofEpochSecond(1_790_000_000L + random.nextInt(300_000));
      String path = "/bucket/" + SdkHttpUtils.urlEncodeIgnoreSlashes(key(random));
      assertThat(signature.sign(path, headers, who, now).get("Authorization"))
          .as("%s of %s at %s", path, headers, now)
          .isEqualTo(sdks("eu-north-1", path, headers, who, now));
    }
  }
}
