package io.arraymorph.cloud.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.loopback.FakeGcs;
import io.arraymorph.store.ByteRange;
import io.arraymorph.store.ObjectStore;
import io.arraymorph.store.ObjectStoreContract;
import io.arraymorph.store.ReadCondition;
import io.arraymorph.store.StoreConfig;
import io.arraymorph.store.StoreException.Kind;
import io.arraymorph.store.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contract on fake-gcs-server; skipped where it is not installed ({@code am_emulators}). */
class GcsObjectStoreTest extends ObjectStoreContract {
  private static Optional<FakeGcs> server = Optional.empty();
  private static int buckets;

  private String bucket;

  @BeforeAll
  static void startServer() throws Exception {
    server = FakeGcs.start();
    assumeTrue(server.isPresent(), "fake-gcs-server is not installed");
  }

  @AfterAll
  static void stopServer() {
    server.ifPresent(FakeGcs::close);
  }

  @Override
  protected ObjectStore open() throws IOException, InterruptedException {
    bucket = "bucket-" + buckets++;
    server.orElseThrow().create(bucket);
    return reopen();
  }

  @Override
  protected ObjectStore reopen() {
    return store(bucket, server.orElseThrow().settings());
  }

  private static GcsObjectStore store(String bucket, Map<String, String> settings) {
    return new GcsObjectStore("gs://" + bucket, GcsSettings.of(bucket, StoreConfig.of(settings)));
  }

  @Test
  void tagsTellWhoseWriteStands() {
    GcsObjectStore gcs = (GcsObjectStore) store;
    String version =
        gcs.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT, "our-tag").join();
    assertThat(gcs.findTagged("o", "our-tag").join()).isEqualTo(Optional.of(version));
    assertThat(gcs.findTagged("o", "other").join()).isEmpty();
    assertThat(gcs.findTagged("absent", "our-tag").join()).isEmpty();
    put("o", bytes("x"));
    assertThat(gcs.findTagged("o", "our-tag").join()).isEmpty();
  }

  @Test
  void largeObjectsArePutWhole() {
    byte[] large = randomBytes(1, 100 << 20);
    store.put("large", ByteBuffer.wrap(large), WriteCondition.IF_ABSENT).join();
    assertThat(get("large", ByteRange.WHOLE).bytes()).isEqualTo(ByteBuffer.wrap(large));
    assertThat(failure(store.put("large", ByteBuffer.wrap(large), WriteCondition.IF_ABSENT)).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
  }

  @Test
  void anETagOfAnotherStoreMatchesNothing() {
    String version = put("o", bytes("x"));
    for (String etag : new String[] {"\"abc\"", "0", "-1", "1&alt=json", version + "0"}) {
      assertThat(failure(store.get("o", ByteRange.WHOLE, ReadCondition.ifMatch(etag))).kind())
          .as(etag)
          .isEqualTo(Kind.PRECONDITION_FAILED);
      assertThat(
              failure(store.put("o", ByteBuffer.wrap(bytes("y")), WriteCondition.ifMatch(etag)))
                  .kind())
          .as(etag)
          .isEqualTo(Kind.PRECONDITION_FAILED);
    }
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("x"));
  }

  @Test
  void aMissingBucketIsNotFound() {
    try (ObjectStore none = store("no-such-bucket", server.orElseThrow().settings())) {
      assertThat(failure(none.get("o", ByteRange.WHOLE, ReadCondition.NONE)).kind())
          .isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(none.list("", "", "")).kind()).isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(none.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.NONE)).kind())
          .isEqualTo(Kind.NOT_FOUND);
    }
  }

  @Test
  void aServerThatIsNotThereIsUnavailable() {
    Map<String, String> nobody =
        Map.of(
            "fs.gs.storage.root.url", "http://127.0.0.1:1", "fs.gs.auth.type", "UNAUTHENTICATED");
    try (ObjectStore none = store("bucket", nobody)) {
      assertThat(failure(none.head("o")).kind()).isEqualTo(Kind.UNAVAILABLE);
    }
  }
}
