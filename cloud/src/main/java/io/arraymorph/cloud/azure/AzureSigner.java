package io.arraymorph.cloud.azure;

import com.azure.core.util.Context;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.models.UserDelegationKey;
import com.azure.storage.blob.sas.BlobSasPermission;
import com.azure.storage.blob.sas.BlobServiceSasSignatureValues;
import com.azure.storage.blob.specialized.BlockBlobClient;
import io.arraymorph.store.SignedUrl;
import io.arraymorph.store.StoreException.Kind;
import java.net.URI;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * Signs URLs that read one blob (service SAS, and user delegation SAS for tokens).
 *
 * <p>An account key signs here. A token asks the service for a delegation key, kept until it is
 * about to expire; an identity that may not have one cannot sign. A shared access signature cannot
 * be narrowed to one blob and is never given away. Thread-safe.
 */
final class AzureSigner {
  /** Clocks differ by minutes; a key that starts now may not have started there. */
  private static final Duration SKEW = Duration.ofMinutes(5);

  private final BlobContainerClient container;
  private final AzureCredential.Kind kind;
  private UserDelegationKey delegation;

  AzureSigner(BlobContainerClient container, AzureCredential.Kind kind) {
    this.container = container;
    this.kind = kind;
  }

  Optional<SignedUrl> sign(String key, Duration lifetime) {
    if (kind == AzureCredential.Kind.SIGNATURE) {
      return Optional.empty();
    }
    BlockBlobClient blob = container.getBlobClient(key).getBlockBlobClient();
    OffsetDateTime expires = OffsetDateTime.now(ZoneOffset.UTC).plus(lifetime).withNano(0);
    BlobServiceSasSignatureValues values =
        new BlobServiceSasSignatureValues(expires, new BlobSasPermission().setReadPermission(true));
    String signature;
    if (kind == AzureCredential.Kind.ACCOUNT_KEY) {
      signature = blob.generateSas(values);
    } else {
      Optional<UserDelegationKey> mine = delegation(expires, key);
      if (mine.isEmpty()) {
        return Optional.empty();
      }
      signature = blob.generateUserDelegationSas(values, mine.get());
    }
    return Optional.of(
        new SignedUrl(URI.create(blob.getBlobUrl() + "?" + signature), expires.toInstant()));
  }

  private synchronized Optional<UserDelegationKey> delegation(OffsetDateTime until, String key) {
    if (delegation == null || delegation.getSignedExpiry().isBefore(until)) {
      OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
      OffsetDateTime longest = now.plus(SignedUrl.LONGEST).minus(SKEW);
      OffsetDateTime wanted = until.plusHours(1);
      try {
        delegation =
            container
                .getServiceClient()
                .getUserDelegationKeyWithResponse(
                    now.minus(SKEW), wanted.isAfter(longest) ? longest : wanted, null, Context.NONE)
                .getValue();
      } catch (RuntimeException e) {
        if (AzureFailures.of(key, e).kind() == Kind.DENIED) {
          return Optional.empty();
        }
        throw e;
      }
    }
    return Optional.of(delegation);
  }
}
