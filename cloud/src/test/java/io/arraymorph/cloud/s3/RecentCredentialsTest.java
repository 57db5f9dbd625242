package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.store.RequestPool;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RecentCredentialsTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  private final RequestPool pool = new RequestPool("test", 8);
  private final AtomicInteger asked = new AtomicInteger();

  @AfterEach
  void close() {
    pool.close();
  }

  private AwsCredentials next() {
    return AwsBasicCredentials.create("key-" + asked.incrementAndGet(), "secret");
  }

  @Test
  void nobodyWaitsForASlowProviderAndItIsAskedOnceForAll() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    AwsCredentialsProvider slow =
        () -> {
          try {
            answer.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return next();
        };
    RecentCredentials recent = new RecentCredentials(slow, pool, "s3a://b");
    CompletableFuture<AwsCredentials> first = recent.get();
    Thread.sleep(1100); // However long it takes.
    CompletableFuture<AwsCredentials> second = recent.get();
    assertThat(first).isNotDone();
    assertThat(second).isNotDone();
    answer.countDown();
    assertThat(first).succeedsWithin(SOON);
    assertThat(second.join().accessKeyId()).isEqualTo("key-1");
  }

  @Test
  void aProviderIsAskedAgainAfterASecond() throws Exception {
    RecentCredentials recent = new RecentCredentials(this::next, pool, "s3a://b");
    assertThat(recent.get().get().accessKeyId()).isEqualTo("key-1");
    Thread.sleep(1100);
    assertThat(recent.get().get().accessKeyId()).isEqualTo("key-2");
    assertThat(recent.get().get().accessKeyId()).isIn("key-2", "key-3");
  }

  @Test
  void afterAFailureAProviderIsAskedAgainAtOnce() {
    RecentCredentials recent =
        new RecentCredentials(
            () -> {
              AwsCredentials found = next();
              if (found.accessKeyId().equals("key-1")) {
                throw new IllegalStateException("not yet");
              }
              return found;
            },
            pool,
            "s3a://b");
    assertThat(recent.get()).failsWithin(SOON);
    assertThat(recent.get().join().accessKeyId()).isEqualTo("key-2");
  }

  @Test
  void keysThatNeverChangeNeedNoThread() {
    RecentCredentials recent =
        new RecentCredentials(StaticCredentialsProvider.create(next()), pool, "s3a://b");
    assertThat(recent.get()).isCompleted();
  }
}
