package io.arraymorph.cloud.azure;

import com.azure.core.credential.TokenCredential;
import com.azure.identity.ClientSecretCredentialBuilder;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import com.azure.identity.WorkloadIdentityCredentialBuilder;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.StoreConfig;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A proof of identity for the blob service, from the settings of Hadoop's ABFS and WASB: account
 * key, shared access signature, OAuth (client secret, managed and workload identity), else the
 * SDK's default chain.
 */
final class AzureCredential {
  private static final String OAUTH = "fs.azure.account.oauth2.";
  private static final Pattern ENDPOINT =
      Pattern.compile("(https://[^/@?]+)/([^/?]+)/oauth2/(?:v2\\.0/)?token");
  private static final Pattern MICROSOFT =
      Pattern.compile("https://login\\.(microsoftonline|windows|chinacloudapi)\\.[a-z.]+");

  /** What kind of proof it is. */
  enum Kind {
    /** The account's key: may do everything. */
    ACCOUNT_KEY,
    /** A shared access signature. */
    SIGNATURE,
    /** A token of Microsoft Entra. */
    TOKEN
  }

  private final Kind kind;
  private final Consumer<BlobContainerClientBuilder> use;

  private AzureCredential(Kind kind, Consumer<BlobContainerClientBuilder> use) {
    this.kind = kind;
    this.use = use;
  }

  static AzureCredential of(String container, String host, StoreConfig config) {
    Optional<String> type = AzureSettings.ofAccount(config, "fs.azure.account.auth.type", host);
    Optional<String> key = AzureSettings.ofAccount(config, "fs.azure.account.key", host);
    Optional<String> signature =
        AzureSettings.ofAccount(config, "fs.azure.sas.fixed.token", host)
            .or(() -> config.get("fs.azure.sas." + container + "." + AzureSettings.blobHost(host)))
            .or(() -> config.get("fs.azure.sas." + container + "." + host));
    switch (type.orElse("")) {
      case "SharedKey":
        return key.map(k -> sharedKey(host, k)).orElseThrow(() -> missing("fs.azure.account.key"));
      case "SAS":
        return signature
            .map(AzureCredential::signature)
            .orElseThrow(() -> missing("fs.azure.sas.fixed.token"));
      case "OAuth":
        return token(oauth(host, config));
      case "":
        return key.map(k -> sharedKey(host, k))
            .or(() -> signature.map(AzureCredential::signature))
            .orElseGet(() -> token(new DefaultAzureCredentialBuilder().build()));
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "fs.azure.account.auth.type is '" + type.get() + "', which is not known here",
            "Set it to SharedKey, SAS or OAuth");
    }
  }

  private static AzureCredential sharedKey(String host, String key) {
    String account = host.contains(".") ? host.substring(0, host.indexOf('.')) : host;
    return new AzureCredential(
        Kind.ACCOUNT_KEY,
        builder -> builder.credential(new StorageSharedKeyCredential(account, key)));
  }

  private static AzureCredential signature(String token) {
    String text = token.startsWith("?") ? token.substring(1) : token;
    return new AzureCredential(Kind.SIGNATURE, builder -> builder.sasToken(text));
  }

  private static AzureCredential token(TokenCredential credential) {
    return new AzureCredential(Kind.TOKEN, builder -> builder.credential(credential));
  }

  private static TokenCredential oauth(String host, StoreConfig config) {
    String type =
        AzureSettings.ofAccount(config, "fs.azure.account.oauth.provider.type", host)
            .orElseThrow(() -> missing("fs.azure.account.oauth.provider.type"));
    Optional<String> id = AzureSettings.ofAccount(config, OAUTH + "client.id", host);
    Optional<String> tenant = AzureSettings.ofAccount(config, OAUTH + "msi.tenant", host);
    switch (type.substring(type.lastIndexOf('.') + 1)) {
      case "ClientCredsTokenProvider":
        String endpoint =
            AzureSettings.ofAccount(config, OAUTH + "client.endpoint", host)
                .orElseThrow(() -> missing(OAUTH + "client.endpoint"));
        return clientSecret(
            endpoint,
            id.orElseThrow(() -> missing(OAUTH + "client.id")),
            AzureSettings.ofAccount(config, OAUTH + "client.secret", host)
                .orElseThrow(() -> missing(OAUTH + "client.secret")));
      case "MsiTokenProvider":
        ManagedIdentityCredentialBuilder managed = new ManagedIdentityCredentialBuilder();
        id.ifPresent(managed::clientId);
        return managed.build();
      case "WorkloadIdentityTokenProvider":
        WorkloadIdentityCredentialBuilder workload = new WorkloadIdentityCredentialBuilder();
        id.ifPresent(workload::clientId);
        tenant.ifPresent(workload::tenantId);
        AzureSettings.ofAccount(config, OAUTH + "token.file", host)
            .ifPresent(workload::tokenFilePath);
        return workload.build();
      default:
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION,
            "fs.azure.account.oauth.provider.type is '" + type + "', which is not known here",
            "Use ClientCredsTokenProvider, MsiTokenProvider or WorkloadIdentityTokenProvider");
    }
  }

  private static TokenCredential clientSecret(String endpoint, String id, String secret) {
    Matcher matcher = ENDPOINT.matcher(endpoint);
    if (!matcher.matches()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          OAUTH + "client.endpoint is no token endpoint of Microsoft Entra",
          "Set it as https://login.microsoftonline.com/TENANT/oauth2/token");
    }
    ClientSecretCredentialBuilder credential =
        new ClientSecretCredentialBuilder()
            .authorityHost(matcher.group(1) + "/")
            .tenantId(matcher.group(2))
            .clientId(id)
            .clientSecret(secret);
    if (!MICROSOFT.matcher(matcher.group(1)).matches()) {
      // Microsoft would be asked about an authority that it does not know.
      credential.disableInstanceDiscovery();
    }
    return credential.build();
  }

  private static ArrayMorphException missing(String key) {
    return new ArrayMorphException(
        ErrorCode.ACCESS_DENIED, "The setting " + key + " is missing", "Set it in the session");
  }

  void applyTo(BlobContainerClientBuilder builder) {
    use.accept(builder);
  }

  Kind kind() {
    return kind;
  }

  /** What kind of credential it is; no more. */
  @Override
  public String toString() {
    return kind.toString();
  }
}
