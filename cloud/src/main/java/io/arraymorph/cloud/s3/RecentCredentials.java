package io.arraymorph.cloud.s3;

import io.arraymorph.store.RequestPool;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

/**
 * The credentials of a store as of at most a second ago: providers keep them for long themselves,
 * but may ask a service when one does not expect it, which no thread that sends requests may wait
 * for. Thread-safe.
 */
final class RecentCredentials {
  private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final AwsCredentialsProvider provider;
  private final RequestPool threads;
  private final String store;
  private final boolean fixed;
  private CompletableFuture<AwsCredentials> latest;
  private long askedAt;

  /**
   * @param threads which may wait
   * @param store that the credentials are for, for errors
   */
  RecentCredentials(AwsCredentialsProvider provider, RequestPool threads, String store) {
    this.provider = provider;
    this.threads = threads;
    this.store = store;
    this.fixed =
        provider instanceof StaticCredentialsProvider
            || provider instanceof AnonymousCredentialsProvider;
    if (fixed) {
      latest = CompletableFuture.completedFuture(provider.resolveCredentials());
    }
  }

  /** Callers share it and must not cancel it. */
  synchronized CompletableFuture<AwsCredentials> get() {
    long now = System.nanoTime();
    if (latest == null
        || latest.isCompletedExceptionally()
        || (!fixed && latest.isDone() && now - askedAt > RECENT_NANOS)) {
      askedAt = now;
      latest = threads.submit(store, provider::resolveCredentials);
    }
    return latest;
  }
}
