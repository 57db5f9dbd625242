package io.arraymorph.cloud.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.arraymorph.loopback.S3TestServer;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStoreContract;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract on s3proxy, each attempt by itself: no retries hide anything. */
class S3ObjectStoreTest extends ObjectStoreContract {
  @TempDir static Path directory;
  private static S3TestServer server;
  private static int buckets;

  private String bucket;

  @BeforeAll
  static void startServer() throws IOException {
    server = S3TestServer.start(directory);
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected ObjectStore open() throws IOException {
    bucket = "bucket-" + buckets++;
    Files.createDirectory(directory.resolve(bucket));
    return reopen();
  }

  @Override
  protected ObjectStore reopen() {
    return store(bucket, Map.of());
  }

  private static S3ObjectStore store(String bucket, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(server.settings());
    settings.putAll(more);
    return new S3ObjectStore(
        "s3a://" + bucket, bucket, S3Settings.of(bucket, StoreConfig.of(settings)));
  }

  @Override
  protected boolean holdsKeysBelowKeys() {
    return false;
  }

  @Override
  protected boolean decidesIfMatchAtomically() {
    return false;
  }

  @Override
  protected boolean signsUrls() {
    return true;
  }

  @Test
  void largeObjectsAreSentInParts() {
    byte[] bytes = randomBytes(1, S3ObjectStore.MULTIPART_BYTES + 12_345);
    String etag = store.put("large", ByteBuffer.wrap(bytes), WriteCondition.IF_ABSENT).join();
    assertThat(etag).contains("-5"); // S3's mark of five parts
    assertThat(content(get("large", ByteRange.WHOLE))).isEqualTo(bytes);
    assertThat(failure(store.put("large", ByteBuffer.wrap(bytes), WriteCondition.IF_ABSENT)).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    store.put("direct", direct, WriteCondition.NONE).join();
    assertThat(content(get("direct", ByteRange.of(16 << 20, (16 << 20) + 100))))
        .isEqualTo(Arrays.copyOfRange(bytes, 16 << 20, (16 << 20) + 100));
    assertThat(unfinishedUploads()).isEmpty();
  }

  private List<String> unfinishedUploads() {
    try (Stream<Path> files = Files.walk(directory.resolve(bucket))) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> directory.resolve(bucket).relativize(file).toString())
          .filter(name -> !name.equals("large") && !name.equals("direct"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void tagsTellWhoseWriteStands() {
    S3ObjectStore s3 = (S3ObjectStore) store;
    String etag =
        s3.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT, "our-tag").join();
    assertThat(s3.findTagged("o", "our-tag").join()).isEqualTo(Optional.of(etag));
    assertThat(s3.findTagged("o", "other").join()).isEmpty();
    assertThat(s3.findTagged("absent", "our-tag").join()).isEmpty();
    put("o", bytes("x"));
    assertThat(s3.findTagged("o", "our-tag").join()).isEmpty();
  }

  @Test
  void deletesOnlyTheVersionNamed() {
    String first = put("o", bytes("first"));
    String second = put("o", bytes("second"));
    assertThat(failure(store.delete("o", WriteCondition.ifMatch(first))).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    store.delete("o", WriteCondition.ifMatch(second)).join();
    assertThat(listKeys("")).isEmpty();
    assertThat(failure(store.delete("o", WriteCondition.ifMatch(second))).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
  }

  @Test
  void wrongKeysAreDeniedAndNotShown() {
    put("o", bytes("x"));
    Map<String, String> wrong =
        Map.of("fs.s3a.access.key", "test", "fs.s3a.secret.key", "WRONG-SECRET");
    try (S3ObjectStore denied = store(bucket, wrong)) {
      StoreException failure = failure(denied.get("o", ByteRange.WHOLE, ReadCondition.NONE));
      assertThat(failure.kind()).isEqualTo(Kind.DENIED);
      assertThat(failure.toUser().getMessage())
          .contains("ARRAYMORPH_ACCESS_DENIED", "s3a://" + bucket + "/o")
          .doesNotContain("WRONG-SECRET");
      assertThat(failure(denied.head("o")).kind()).isEqualTo(Kind.DENIED);
      assertThat(failure(denied.list("", "", "")).kind()).isEqualTo(Kind.DENIED);
    }
  }

  @Test
  void aMissingBucketIsNotFound() {
    try (S3ObjectStore none = store("no-such-bucket", Map.of())) {
      assertThat(failure(none.get("o", ByteRange.WHOLE, ReadCondition.NONE)).kind())
          .isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(none.list("", "", "")).kind()).isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(none.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.NONE)).kind())
          .isEqualTo(Kind.NOT_FOUND);
    }
  }

  @Test
  void aServerThatIsNotThereIsUnavailable() {
    Map<String, String> nobody = Map.of("fs.s3a.endpoint", "http://127.0.0.1:1");
    try (S3ObjectStore none = store(bucket, nobody)) {
      assertThat(failure(none.head("o")).kind()).isEqualTo(Kind.UNAVAILABLE);
    }
  }
}
