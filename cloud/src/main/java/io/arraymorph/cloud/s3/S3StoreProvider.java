package io.arraymorph.cloud.s3;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.store.ObjectStoreProvider;
import io.arraymorph.store.RetryPolicy;
import io.arraymorph.store.RetryingObjectStore;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StorePath;
import java.net.URI;

/**
 * Opens {@code s3a://bucket/key} and {@code s3://bucket/key}, with the {@code fs.s3a.*} settings.
 */
public final class S3StoreProvider implements ObjectStoreProvider {

  /** Called by the service loader. */
  public S3StoreProvider() {}

  @Override
  public boolean supports(String scheme) {
    return scheme.equals("s3a") || scheme.equals("s3");
  }

  @Override
  public StorePath open(URI uri, StoreConfig config) {
    String bucket = uri.getAuthority();
    if (bucket == null || bucket.isEmpty()) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_URI, "'" + uri + "' names no bucket", "Write s3a://bucket/key");
    }
    S3Settings settings = S3Settings.of(bucket, config);
    RetryPolicy policy = RetryPolicy.DEFAULT.withAttempts(settings.attempts());
    String root = uri.getScheme() + "://" + bucket;
    String path = uri.getPath() == null ? "" : uri.getPath();
    return new StorePath(
        new RetryingObjectStore(new S3ObjectStore(root, bucket, settings), policy),
        path.startsWith("/") ? path.substring(1) : path);
  }
}
