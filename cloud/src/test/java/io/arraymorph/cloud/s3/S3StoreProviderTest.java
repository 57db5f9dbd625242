package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ObjectStores;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.services.sts.auth.StsAssumeRoleCredentialsProvider;

class S3StoreProviderTest {
  private static final String HADOOP_DEFAULT =
      """

          org.apache.hadoop.fs.s3a.TemporaryAWSCredentialsProvider,
          org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider,
          software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider,
          org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider
      """;

  private static S3Settings settings(String... keysAndValues) {
    Map<String, String> settings = new HashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      settings.put("fs.s3a." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return S3Settings.of("bkt", StoreConfig.of(settings));
  }

  @Test
  void opensBothSchemesThroughTheServiceLoader() {
    for (String scheme : List.of("s3a", "s3")) {
      StorePath path = ObjectStores.open(scheme + "://my_bucket/a b/c.zarr/", keys());
      assertThat(path.toString()).isEqualTo(scheme + "://my_bucket/a b/c.zarr");
      assertThat(path.key()).isEqualTo("a b/c.zarr");
      assertThat(ObjectStores.open(scheme + "://my_bucket", keys()).store()).isSameAs(path.store());
    }
    assertThatThrownBy(() -> ObjectStores.open("s3a:///key", keys()))
        .isInstanceOf(ArrayMorphException.class)
        .hasMessageContaining("bucket");
  }

  private static StoreConfig keys() {
    return StoreConfig.of(Map.of("fs.s3a.access.key", "A", "fs.s3a.secret.key", "S"));
  }

  @Test
  void talksToAmazonOverTlsByDefault() {
    assertThat(settings().endpoint()).isEmpty();
    assertThat(settings("endpoint", "s3.amazonaws.com").endpoint()).isEmpty();
    S3Settings frankfurt = settings("endpoint", "s3.eu-central-1.amazonaws.com");
    assertThat(frankfurt.endpoint()).contains(URI.create("https://s3.eu-central-1.amazonaws.com"));
    assertThat(frankfurt.region()).contains("eu-central-1");
    assertThat(settings("endpoint", "host:9000").endpoint())
        .contains(URI.create("https://host:9000"));
    assertThat(settings("endpoint", "host:9000").region()).contains("us-east-1");
    assertThat(settings("endpoint", "host:9000", "connection.ssl.enabled", "false").endpoint())
        .contains(URI.create("http://host:9000"));
    assertThat(settings("endpoint", "http://host:9000").endpoint())
        .contains(URI.create("http://host:9000"));
    assertThat(settings("endpoint.region", "eu-west-1").region()).contains("eu-west-1");
  }

  @Test
  void settingsOfTheBucketComeFirst() {
    S3Settings settings =
        settings(
            "path.style.access", "true",
            "bucket.bkt.path.style.access", "false",
            "bucket.other.endpoint", "http://other",
            "bucket.bkt.access.key", "BUCKET",
            "access.key", "ALL",
            "secret.key", "S");
    assertThat(settings.pathStyle()).isFalse();
    assertThat(settings.endpoint()).isEmpty();
    assertThat(settings.credentials().resolveCredentials().accessKeyId()).isEqualTo("BUCKET");
  }

  @Test
  void keysInTheSettingsAreUsed() {
    AwsCredentials keys =
        settings("access.key", "A", "secret.key", "S").credentials().resolveCredentials();
    assertThat(keys.accessKeyId()).isEqualTo("A");
    assertThat(keys.secretAccessKey()).isEqualTo("S");
    S3Settings session =
        settings(
            "access.key", "A",
            "secret.key", "S",
            "session.token", "T",
            "aws.credentials.provider", HADOOP_DEFAULT);
    AwsSessionCredentials credentials =
        (AwsSessionCredentials) session.credentials().resolveCredentials();
    assertThat(credentials.sessionToken()).isEqualTo("T");
    assertThat(settings().credentials()).isInstanceOf(DefaultCredentialsProvider.class);
    assertThat(settings("aws.credentials.provider", HADOOP_DEFAULT).credentials())
        .isInstanceOf(DefaultCredentialsProvider.class);
  }

  @Test
  void providersOfHadoopStandForThoseOfTheSdk() {
    Map<String, Class<?>> expected =
        Map.of(
            "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider",
                AnonymousCredentialsProvider.class,
            "com.amazonaws.auth.EnvironmentVariableCredentialsProvider",
                EnvironmentVariableCredentialsProvider.class,
            "software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider",
                ProfileCredentialsProvider.class,
            "com.amazonaws.auth.DefaultAWSCredentialsProviderChain",
                DefaultCredentialsProvider.class,
            "org.apache.hadoop.fs.s3a.auth.IAMInstanceCredentialsProvider",
                AwsCredentialsProviderChain.class);
    expected.forEach(
        (name, type) ->
            assertThat(settings("aws.credentials.provider", name).credentials())
                .as(name)
                .isInstanceOf(type));
    assertThat(
            settings(
                    "aws.credentials.provider",
                        "org.apache.hadoop.fs.s3a.auth.AssumedRoleCredentialProvider",
                    "assumed.role.arn", "arn:aws:iam::1:role/r",
                    "access.key", "A",
                    "secret.key", "S")
                .credentials())
        .isInstanceOf(StsAssumeRoleCredentialsProvider.class);
    assertThat(
            settings(
                    "aws.credentials.provider",
                        "a.TemporaryAWSCredentialsProvider, a.SimpleAWSCredentialsProvider",
                    "access.key", "A",
                    "secret.key", "S")
                .credentials()
                .resolveCredentials()
                .accessKeyId())
        .isEqualTo("A");
  }

  @Test
  void settingsThatMakeNoSenseAreExplained() {
    List<List<String>> bad =
        List.of(
            List.of("aws.credentials.provider", "com.acme.OwnProvider", "OwnProvider"),
            List.of("path.style.access", "maybe", "maybe"),
            List.of("endpoint", "http://user:SECRET@host", "endpoint"),
            List.of("endpoint", "not a host", "endpoint"),
            List.of("encryption.algorithm", "SSE-C", "SSE-C"));
    for (List<String> setting : bad) {
      assertThatThrownBy(() -> settings(setting.get(0), setting.get(1)))
          .as("%s", setting)
          .isInstanceOfSatisfying(
              ArrayMorphException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_OPTION))
          .hasMessageContaining(setting.get(2))
          .hasMessageNotContaining("SECRET");
    }
    assertThatThrownBy(
            () -> settings("aws.credentials.provider", "a.b.SimpleAWSCredentialsProvider"))
        .hasMessageContaining("ARRAYMORPH_ACCESS_DENIED");
    for (String number : List.of("0", "-1", "many")) {
      assertThatThrownBy(
              () ->
                  S3Settings.of(
                      "b", StoreConfig.of(Map.of("arraymorph.store.connections", number))))
          .hasMessageContaining(number);
    }
  }

  @Test
  void nothingShowsTheSecrets() {
    S3Settings settings = settings("access.key", "KEYID", "secret.key", "SECRET");
    StoreConfig config =
        StoreConfig.of(Map.of("fs.s3a.access.key", "KEYID", "fs.s3a.secret.key", "SECRET"));
    StorePath path = ObjectStores.open("s3a://shown/key", config);
    for (Object shown : List.of(settings, config, path, path.store(), settings.credentials())) {
      assertThat(shown.toString()).doesNotContain("SECRET");
    }
    assertThat(Optional.of(settings).toString()).doesNotContain("KEYID");
  }
}
