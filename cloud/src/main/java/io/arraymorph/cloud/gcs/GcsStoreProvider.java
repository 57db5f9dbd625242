package io.arraymorph.cloud.gcs;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ObjectStoreProvider;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.net.URI;

/** Opens {@code gs://bucket/key} with the {@code fs.gs.*} settings. */
public final class GcsStoreProvider implements ObjectStoreProvider {

  /** Called by the service loader. */
  public GcsStoreProvider() {}

  @Override
  public boolean supports(String scheme) {
    return scheme.equals("gs");
  }

  @Override
  public StorePath open(URI uri, StoreConfig config) {
    String bucket = uri.getAuthority();
    if (bucket == null || !bucket.matches("[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_URI, "'" + uri + "' names no bucket", "Write gs://bucket/key");
    }
    GcsSettings settings = GcsSettings.of(bucket, config);
    String path = uri.getPath() == null ? "" : uri.getPath();
    return new StorePath(
        new RetryingObjectStore(
            new GcsObjectStore("gs://" + bucket, settings),
            RetryPolicy.DEFAULT.withAttempts(settings.attempts())),
        path.startsWith("/") ? path.substring(1) : path);
  }
}
