package io.arraymorph.cloud.azure;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ObjectStoreProvider;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.net.URI;
import java.util.Set;

/**
 * Opens {@code abfss://container@account.dfs.core.windows.net/key} and its kin with the {@code
 * fs.azure.*} settings.
 */
public final class AzureStoreProvider implements ObjectStoreProvider {
  private static final Set<String> SCHEMES = Set.of("abfs", "abfss", "wasb", "wasbs");

  /** Called by the service loader. */
  public AzureStoreProvider() {}

  @Override
  public boolean supports(String scheme) {
    return SCHEMES.contains(scheme);
  }

  @Override
  public StorePath open(URI uri, StoreConfig config) {
    String authority = uri.getAuthority();
    int at = authority == null ? -1 : authority.indexOf('@');
    if (at < 1 || at == authority.length() - 1) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_URI,
          "'" + uri + "' names no container and account",
          "Write abfss://container@account.dfs.core.windows.net/path");
    }
    AzureSettings settings =
        AzureSettings.of(authority.substring(0, at), authority.substring(at + 1), config);
    String root = uri.getScheme() + "://" + authority;
    String path = uri.getPath() == null ? "" : uri.getPath();
    return new StorePath(
        new RetryingObjectStore(
            new AzureObjectStore(root, settings),
            RetryPolicy.DEFAULT.withAttempts(settings.attempts())),
        path.startsWith("/") ? path.substring(1) : path);
  }
}
