package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.store.StoreException.Kind;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The reading half of {@link ObjectStoreContract}: whole objects, ranges, versions, absence. */
public abstract class ObjectStoreReadContract extends StoreUnderTest {
  @Test
  void returnsWhatWasPut() {
    byte[] bytes = randomBytes(1, 100_000);
    String etag = put("dir/object", bytes);
    ObjectBytes answer = get("dir/object", ByteRange.WHOLE);
    assertThat(content(answer)).isEqualTo(bytes);
    assertThat(answer.start()).isZero();
    assertThat(answer.objectSize()).isEqualTo(bytes.length);
    assertThat(answer.etag()).isNotEmpty().isEqualTo(etag);
  }

  @Test
  void putsOnlyTheRemainingBytesOfABufferAndLeavesItAlone() {
    ByteBuffer buffer = ByteBuffer.wrap(bytes("xxhelloyy"), 2, 5);
    store.put("o", buffer, WriteCondition.NONE).join();
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("hello"));
    assertThat(buffer.remaining()).isEqualTo(5);
    store.put("d", direct("direct"), WriteCondition.NONE).join();
    assertThat(content(get("d", ByteRange.WHOLE))).isEqualTo(bytes("direct"));
  }

  private static ByteBuffer direct(String text) {
    return ByteBuffer.allocateDirect(text.length()).put(bytes(text)).flip();
  }

  @Test
  void readsRangesExactly() {
    int length = 10_000;
    byte[] bytes = randomBytes(2, length);
    put("o", bytes);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 50; i++) {
      int start = random.nextInt(length);
      int end = start + 1 + random.nextInt(2 * length);
      ObjectBytes answer = get("o", ByteRange.of(start, end));
      byte[] expected = Arrays.copyOfRange(bytes, start, Math.min(end, length));
      assertThat(content(answer)).as("seed %d [%d, %d)", seed, start, end).isEqualTo(expected);
      assertThat(answer.start()).isEqualTo(start);
      assertThat(answer.objectSize()).isEqualTo(length);
    }
    assertThat(content(get("o", ByteRange.of(length - 1, length))))
        .isEqualTo(new byte[] {bytes[length - 1]});
  }

  @Test
  void readsSuffixes() {
    byte[] bytes = randomBytes(3, 1000);
    put("o", bytes);
    ObjectBytes tail = get("o", new ByteRange.Suffix(10));
    assertThat(content(tail)).isEqualTo(Arrays.copyOfRange(bytes, 990, 1000));
    assertThat(tail.start()).isEqualTo(990);
    assertThat(tail.objectSize()).isEqualTo(1000);
    ObjectBytes all = get("o", new ByteRange.Suffix(5000));
    assertThat(content(all)).isEqualTo(bytes);
    assertThat(all.start()).isZero();
    assertThat(all.objectSize()).isEqualTo(1000);
  }

  @Test
  void refusesRangesThatStartBeyondTheEnd() {
    put("o", randomBytes(4, 100));
    for (ByteRange range : List.of(ByteRange.of(100, 101), ByteRange.of(5000, 5001))) {
      assertThat(failure(store.get("o", range, ReadCondition.NONE)).kind())
          .isEqualTo(Kind.RANGE_NOT_SATISFIABLE);
    }
  }

  @Test
  void keepsEmptyObjects() {
    put("empty", new byte[0]);
    ObjectBytes answer = get("empty", ByteRange.WHOLE);
    assertThat(answer.bytes().remaining()).isZero();
    assertThat(answer.objectSize()).isZero();
    assertThat(store.head("empty").join().size()).isZero();
    for (ByteRange range : List.of(ByteRange.of(0, 1), new ByteRange.Suffix(1))) {
      assertThat(failure(store.get("empty", range, ReadCondition.NONE)).kind())
          .isEqualTo(Kind.RANGE_NOT_SATISFIABLE);
    }
  }

  @Test
  void saysNotFoundForWhatDoesNotExist() {
    put("dir/object", bytes("x"));
    for (String key : List.of("absent", "dir", "dir/absent", "absent/absent")) {
      assertThat(failure(store.get(key, ByteRange.WHOLE, ReadCondition.NONE)).kind())
          .as(key)
          .isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(store.get(key, ByteRange.of(0, 1), ReadCondition.NONE)).kind())
          .as(key)
          .isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(store.head(key)).kind()).as(key).isEqualTo(Kind.NOT_FOUND);
      assertThat(failure(store.copy(key, "target", WriteCondition.NONE)).kind())
          .as(key)
          .isEqualTo(Kind.NOT_FOUND);
    }
    assertThat(listKeys("")).containsExactly("dir/object");
  }

  @Test
  void errorsNameTheObject() {
    StoreException failure = failure(store.get("no/such", ByteRange.WHOLE, ReadCondition.NONE));
    assertThat(failure.object()).isEqualTo(store.uri() + "/no/such");
    assertThat(failure).hasMessageContaining("no/such");
  }

  @Test
  void headAgreesWithGetAndList() {
    put("o", randomBytes(5, 1234));
    ObjectStat head = store.head("o").join();
    assertThat(head.key()).isEqualTo("o");
    assertThat(head.size()).isEqualTo(1234);
    assertThat(head.etag()).isEqualTo(get("o", ByteRange.of(5, 6)).etag());
    ObjectStat listed = store.list("", "", "").join().objects().get(0);
    assertThat(listed.key()).isEqualTo("o");
    assertThat(listed.size()).isEqualTo(1234);
    assertThat(listed.etag()).isEqualTo(head.etag());
    assertThat(listed.lastModified()).isNotNull();
  }

  @Test
  void replacementChangesTheEtag() {
    Set<String> etags = new TreeSet<>();
    for (int i = 0; i < 20; i++) {
      etags.add(put("o", bytes("version " + (char) ('a' + i))));
    }
    assertThat(etags).hasSize(20);
  }

  @Test
  void everyViewSeesTheSameEtag() throws Exception {
    String etag = put("o", bytes("x"));
    try (ObjectStore other = reopen()) {
      assertThat(other.head("o").join().etag()).isEqualTo(etag);
    }
  }

  @Test
  void readsOnlyTheVersionAskedFor() {
    String first = put("o", bytes("first"));
    ReadCondition condition = ReadCondition.ifMatch(first);
    assertThat(content(store.get("o", ByteRange.of(1, 3), condition).join()))
        .isEqualTo(bytes("ir"));
    put("o", bytes("other"));
    assertThat(failure(store.get("o", ByteRange.of(1, 3), condition)).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    assertThat(failure(store.get("o", ByteRange.WHOLE, condition)).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
  }

  @Test
  void signedUrlsReadOneObjectAndNoMore() throws Exception {
    byte[] bytes = randomBytes(9, 1000);
    put("a b/o+1", bytes);
    put("a b/o+2", bytes);
    Optional<SignedUrl> signed = store.presign("a b/o+1", Duration.ofMinutes(5)).join();
    if (!signsUrls()) {
      // At most the plain URL of what everybody may read.
      assertThat(signed.map(SignedUrl::url).map(URI::getRawQuery)).isEmpty();
      return;
    }
    URI url = signed.orElseThrow().url();
    HttpResponse<byte[]> part = send(HttpRequest.newBuilder(url).header("Range", "bytes=10-19"));
    assertThat(part.statusCode()).isEqualTo(206);
    assertThat(part.body()).isEqualTo(Arrays.copyOfRange(bytes, 10, 20));
    assertThat(send(HttpRequest.newBuilder(url)).body()).isEqualTo(bytes);
    HttpRequest.Builder write =
        HttpRequest.newBuilder(url)
            .header("x-ms-blob-type", "BlockBlob")
            .PUT(BodyPublishers.ofString("overwritten"));
    assertThat(send(write).statusCode()).isBetween(400, 499);
    URI other = URI.create(url.toString().replaceFirst("o(\\+|%2B)1", "o$12"));
    assertThat(other).isNotEqualTo(url);
    assertThat(send(HttpRequest.newBuilder(other)).statusCode()).isBetween(400, 499);
    URI bare = URI.create(url.toString().replaceFirst("\\?.*", ""));
    assertThat(send(HttpRequest.newBuilder(bare)).statusCode()).isBetween(400, 499);
    assertThat(content(get("a b/o+1", ByteRange.WHOLE))).isEqualTo(bytes);
    assertThat(signed.get().toString()).doesNotContain("?", url.getRawQuery());
  }

  private static HttpResponse<byte[]> send(HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient()
        .send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofByteArray());
  }

  @Test
  void signedUrlsExpire() throws Exception {
    put("o", bytes("x"));
    for (Duration lifetime : List.of(Duration.ZERO, Duration.ofDays(8))) {
      assertThatThrownBy(() -> store.presign("o", lifetime))
          .isInstanceOf(IllegalArgumentException.class);
    }
    if (signsUrls()) {
      SignedUrl signed = store.presign("o", Duration.ofSeconds(1)).join().orElseThrow();
      assertThat(signed.expires()).isBefore(Instant.now().plusSeconds(2));
      HttpResponse<byte[]> answer;
      long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      do {
        Thread.sleep(200);
        answer = send(HttpRequest.newBuilder(signed.url()));
      } while (answer.statusCode() == 200 && System.nanoTime() < end);
      assertThat(answer.statusCode()).isBetween(400, 403);
    }
  }
}
