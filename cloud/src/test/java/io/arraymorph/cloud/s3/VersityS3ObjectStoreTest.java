package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.loopback.Executables;
import io.arraymorph.loopback.LoopbackProcess;
import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStoreContract;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The contract on versitygw, which decides If-Match puts atomically; skipped where the program is
 * not installed ({@code go install github.com/versity/versitygw/cmd/versitygw@v1.8.0}).
 */
class VersityS3ObjectStoreTest extends ObjectStoreContract {
  @TempDir static Path directory;
  private static LoopbackProcess process;
  private static URI endpoint;
  private static int buckets;

  private String bucket;

  @BeforeAll
  static void startServer() throws Exception {
    Optional<Path> program = Executables.find("versitygw");
    assumeTrue(program.isPresent(), "versitygw is not installed");
    int port = LoopbackProcess.freePort();
    endpoint = URI.create("http://127.0.0.1:" + port);
    ProcessBuilder builder =
        new ProcessBuilder(
            program.get().toString(),
            "--port",
            "127.0.0.1:" + port,
            "--region",
            "us-east-1",
            "--quiet",
            "posix",
            directory.toString());
    builder.environment().put("ROOT_ACCESS_KEY", S3TestServer.ACCESS_KEY);
    builder.environment().put("ROOT_SECRET_KEY", S3TestServer.SECRET_KEY);
    process = LoopbackProcess.start(builder, port);
  }

  @AfterAll
  static void stopServer() {
    if (process != null) {
      process.close();
    }
  }

  @Override
  protected ObjectStore open() throws IOException {
    bucket = "bucket-" + buckets++;
    Files.createDirectory(directory.resolve(bucket));
    return reopen();
  }

  @Override
  protected ObjectStore reopen() {
    S3Settings settings = S3Settings.of(bucket, StoreConfig.of(S3TestServer.settings(endpoint)));
    return new S3ObjectStore("s3a://" + bucket, bucket, settings);
  }

  @Override
  protected boolean holdsKeysBelowKeys() {
    return false;
  }

  @Override
  protected boolean signsUrls() {
    return true;
  }

  @Test
  void readsWithAWrongClock() throws IOException {
    try (ObjectStore right = open()) {
      right.put("key", ByteBuffer.wrap(new byte[] {1, 2, 3}), WriteCondition.NONE).join();
    }
    S3Settings settings = S3Settings.of(bucket, StoreConfig.of(S3TestServer.settings(endpoint)));
    for (Duration wrong : List.of(Duration.ofHours(3), Duration.ofDays(-2))) {
      Clock clock = Clock.offset(Clock.systemUTC(), wrong);
      try (ObjectStore skewed = new S3ObjectStore("s3a://" + bucket, bucket, settings, clock)) {
        for (ByteRange range : List.of(ByteRange.WHOLE, ByteRange.of(0, 3))) {
          assertThat(skewed.get("key", range, ReadCondition.NONE).join().bytes().remaining())
              .isEqualTo(3);
        }
      }
    }
  }
}
