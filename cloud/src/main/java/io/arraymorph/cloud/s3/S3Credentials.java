package io.arraymorph.cloud.s3;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.cloud.HadoopSettings;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProviderChain;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.EnvironmentVariableCredentialsProvider;
import software.amazon.awssdk.auth.credentials.InstanceProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.auth.credentials.SystemPropertyCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.StsClientBuilder;
import software.amazon.awssdk.services.sts.auth.StsAssumeRoleCredentialsProvider;
import software.amazon.awssdk.services.sts.model.AssumeRoleRequest;

/**
 * Credentials from the settings of Hadoop's S3A: the class names in {@code
 * fs.s3a.aws.credentials.provider} stand for the SDK's own providers, in the same order.
 *
 * <p>Without that setting: the keys in the settings if there are any, else the SDK's default chain.
 */
final class S3Credentials {
  private static final String PROVIDERS = "aws.credentials.provider";

  /** What Hadoop uses when nobody chose; it gets the rest of the default chain as well. */
  private static final Set<String> HADOOP_DEFAULT =
      Set.of(
          "TemporaryAWSCredentialsProvider",
          "SimpleAWSCredentialsProvider",
          "EnvironmentVariableCredentialsProvider",
          "IAMInstanceCredentialsProvider");

  private final HadoopSettings settings;
  private final Optional<String> region;

  private S3Credentials(HadoopSettings settings, Optional<String> region) {
    this.settings = settings;
    this.region = region;
  }

  static AwsCredentialsProvider of(HadoopSettings settings, Optional<String> region) {
    return new S3Credentials(settings, region).choose(PROVIDERS);
  }

  private AwsCredentialsProvider choose(String key) {
    List<String> names = new ArrayList<>();
    for (String name : settings.get(key).orElse("").split(",")) {
      if (!name.isBlank()) {
        names.add(name.trim());
      }
    }
    Set<String> simple = new TreeSet<>();
    names.forEach(name -> simple.add(simpleName(name)));
    if (names.isEmpty() || simple.equals(HADOOP_DEFAULT)) {
      return configured().map(c -> (AwsCredentialsProvider) c).orElseGet(S3Credentials::defaults);
    }
    List<AwsCredentialsProvider> chain = new ArrayList<>();
    for (String name : names) {
      provider(key, name).ifPresent(chain::add);
    }
    if (chain.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.ACCESS_DENIED,
          settings.name(key) + " is " + names + ", but the keys it needs are not set",
          "Set fs.s3a.access.key and fs.s3a.secret.key, or choose another provider");
    }
    return chain.size() == 1
        ? chain.get(0)
        : AwsCredentialsProviderChain.builder().credentialsProviders(chain).build();
  }

  private static String simpleName(String className) {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  private static AwsCredentialsProvider defaults() {
    return DefaultCredentialsProvider.builder().build();
  }

  /** The provider that a class name stands for; empty if the keys it needs are not set. */
  private Optional<AwsCredentialsProvider> provider(String key, String className) {
    switch (simpleName(className)) {
      case "SimpleAWSCredentialsProvider":
        return basic().map(StaticCredentialsProvider::create);
      case "TemporaryAWSCredentialsProvider":
        return session().map(StaticCredentialsProvider::create);
      case "AnonymousAWSCredentialsProvider":
      case "AnonymousCredentialsProvider":
        return Optional.of(AnonymousCredentialsProvider.create());
      case "EnvironmentVariableCredentialsProvider":
        return Optional.of(EnvironmentVariableCredentialsProvider.create());
      case "SystemPropertyCredentialsProvider":
      case "SystemPropertiesCredentialsProvider":
        return Optional.of(SystemPropertyCredentialsProvider.create());
      case "IAMInstanceCredentialsProvider":
      case "EC2ContainerCredentialsProviderWrapper":
        return Optional.of(
            AwsCredentialsProviderChain.of(
                ContainerCredentialsProvider.create(),
                InstanceProfileCredentialsProvider.create()));
      case "ContainerCredentialsProvider":
        return Optional.of(ContainerCredentialsProvider.create());
      case "InstanceProfileCredentialsProvider":
        return Optional.of(InstanceProfileCredentialsProvider.create());
      case "ProfileCredentialsProvider":
      case "ProfileAWSCredentialsProvider":
        return Optional.of(
            ProfileCredentialsProvider.create(
                settings
                    .get("auth.profile.name")
                    .or(() -> Optional.ofNullable(System.getenv("AWS_PROFILE")))
                    .orElse("default")));
      case "WebIdentityTokenFileCredentialsProvider":
      case "WebIdentityTokenCredentialsProvider":
        return Optional.of(WebIdentityTokenFileCredentialsProvider.create());
      case "DefaultCredentialsProvider":
      case "DefaultAWSCredentialsProviderChain":
        return Optional.of(defaults());
      case "AssumedRoleCredentialProvider":
        return Optional.of(assumedRole(key));
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            settings.name(key) + " names '" + className + "', which is not known here",
            "Use one of Hadoop's or the SDK's own providers, or set fs.s3a.access.key and"
                + " fs.s3a.secret.key");
    }
  }

  private Optional<AwsCredentials> basic() {
    return settings
        .get("access.key")
        .flatMap(id -> settings.get("secret.key").map(key -> AwsBasicCredentials.create(id, key)));
  }

  private Optional<AwsCredentials> session() {
    return basic()
        .flatMap(
            keys ->
                settings
                    .get("session.token")
                    .map(
                        token ->
                            AwsSessionCredentials.create(
                                keys.accessKeyId(), keys.secretAccessKey(), token)));
  }

  private Optional<StaticCredentialsProvider> configured() {
    return session().or(this::basic).map(StaticCredentialsProvider::create);
  }

  private AwsCredentialsProvider assumedRole(String key) {
    if (!key.equals(PROVIDERS)) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          settings.name(key) + " assumes a role in order to assume a role",
          "Name a provider there that needs no role");
    }
    String role =
        settings
            .get("assumed.role.arn")
            .orElseThrow(
                () ->
                    new ArrayMorphException(
                        ErrorCode.INVALID_OPTION,
                        "AssumedRoleCredentialProvider without fs.s3a.assumed.role.arn",
                        "Set fs.s3a.assumed.role.arn"));
    AssumeRoleRequest.Builder request =
        AssumeRoleRequest.builder()
            .roleArn(role)
            .roleSessionName(settings.get("assumed.role.session.name").orElse("arraymorph"));
    settings.get("assumed.role.external.id").ifPresent(request::externalId);
    settings.get("assumed.role.policy").ifPresent(request::policy);
    StsClientBuilder sts =
        StsClient.builder()
            .credentialsProvider(choose("assumed.role.credentials.provider"))
            .region(
                Region.of(
                    settings
                        .get("assumed.role.sts.endpoint.region")
                        .or(() -> region)
                        .orElse("us-east-1")));
    settings
        .get("assumed.role.sts.endpoint")
        .map(host -> URI.create(host.contains("://") ? host : "https://" + host))
        .ifPresent(sts::endpointOverride);
    return StsAssumeRoleCredentialsProvider.builder()
        .stsClient(sts.build())
        .refreshRequest(request.build())
        .build();
  }
}
