package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link ObjectStore} must do; an implementation's test extends this class. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
public abstract class ObjectStoreContract {
  private static final int WRITERS = 32;

  /** The store under test, empty at the start of each test. */
  protected ObjectStore store;

  /** Makes an empty store; the contract closes it. */
  protected abstract ObjectStore open() throws Exception;

  /** A second, independent view of the same objects, as another process has it. */
  protected abstract ObjectStore reopen() throws Exception;

  /** False if the store under test cannot hold both {@code a} and {@code a/b}. */
  protected boolean holdsKeysBelowKeys() {
    return true;
  }

  /** False if the server under test is known to decide If-Match puts without atomicity. */
  protected boolean decidesIfMatchAtomically() {
    return true;
  }

  @BeforeEach
  void openStore() throws Exception {
    store = open();
  }

  @AfterEach
  void closeStore() {
    store.close();
  }

  protected static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  protected static byte[] randomBytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  protected String put(String key, byte[] bytes) {
    return store.put(key, ByteBuffer.wrap(bytes), WriteCondition.NONE).join();
  }

  protected ObjectBytes get(String key, ByteRange range) {
    return store.get(key, range, ReadCondition.NONE).join();
  }

  protected static byte[] content(ObjectBytes answer) {
    assertThat(answer.bytes().hasArray()).isTrue();
    byte[] bytes = new byte[answer.bytes().remaining()];
    answer.bytes().duplicate().get(bytes);
    return bytes;
  }

  protected static StoreException failure(CompletableFuture<?> request) {
    try {
      Object answer = request.get(100, TimeUnit.SECONDS);
      return fail("succeeded with " + answer);
    } catch (Exception e) {
      assertThat(e.getCause()).isInstanceOf(StoreException.class);
      return (StoreException) e.getCause();
    }
  }

  protected List<String> listKeys(String prefix) {
    List<String> keys = new ArrayList<>();
    String continuation = "";
    do {
      ListPage page = store.list(prefix, "", continuation).join();
      page.objects().forEach(o -> keys.add(o.key()));
      continuation = page.continuation();
    } while (!continuation.isEmpty());
    return keys;
  }

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
  void putsIfAbsentOnce() {
    store.put("o", ByteBuffer.wrap(bytes("first")), WriteCondition.IF_ABSENT).join();
    assertThat(
            failure(store.put("o", ByteBuffer.wrap(bytes("second")), WriteCondition.IF_ABSENT))
                .kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("first"));
  }

  @Test
  void putsIfMatchOnlyOverThatVersion() {
    String first = put("o", bytes("first"));
    String second =
        store.put("o", ByteBuffer.wrap(bytes("second")), WriteCondition.ifMatch(first)).join();
    assertThat(second).isNotEqualTo(first);
    assertThat(
            failure(store.put("o", ByteBuffer.wrap(bytes("third")), WriteCondition.ifMatch(first)))
                .kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    assertThat(content(get("o", ByteRange.WHOLE))).isEqualTo(bytes("second"));
    store.delete("o", WriteCondition.NONE).join();
    Kind kind =
        failure(store.put("o", ByteBuffer.wrap(bytes("x")), WriteCondition.ifMatch(second))).kind();
    assertThat(kind).isIn(Kind.PRECONDITION_FAILED, Kind.NOT_FOUND);
    assertThat(listKeys("")).isEmpty();
  }

  @Test
  void onlyOneOfManyWritersPutsIfAbsent() throws Exception {
    for (int round = 0; round < 5; round++) {
      assertThat(raceWinners("race/" + round, WriteCondition.IF_ABSENT)).hasSize(1);
    }
  }

  @Test
  void onlyOneOfManyWritersPutsIfMatch() throws Exception {
    assumeTrue(decidesIfMatchAtomically(), "the server under test decides If-Match not atomically");
    for (int round = 0; round < 5; round++) {
      String etag = put("race/" + round, bytes("before"));
      assertThat(raceWinners("race/" + round, WriteCondition.ifMatch(etag))).hasSize(1);
    }
  }

  private List<Integer> raceWinners(String key, WriteCondition condition) throws Exception {
    List<Integer> winners = new ArrayList<>();
    try (ObjectStore other = reopen()) {
      CountDownLatch start = new CountDownLatch(1);
      List<CompletableFuture<String>> puts = new ArrayList<>();
      for (int writer = 0; writer < WRITERS; writer++) {
        ObjectStore view = writer % 2 == 0 ? store : other;
        ByteBuffer bytes = ByteBuffer.wrap(bytes("writer " + writer));
        puts.add(
            CompletableFuture.runAsync(() -> await(start), task -> new Thread(task).start())
                .thenCompose(go -> view.put(key, bytes, condition)));
      }
      start.countDown();
      for (int writer = 0; writer < WRITERS; writer++) {
        try {
          puts.get(writer).get();
          winners.add(writer);
        } catch (ExecutionException e) {
          assertThat(((StoreException) e.getCause()).kind()).isEqualTo(Kind.PRECONDITION_FAILED);
        }
      }
      if (winners.size() == 1) {
        assertThat(content(get(key, ByteRange.WHOLE))).isEqualTo(bytes("writer " + winners.get(0)));
      }
    }
    return winners;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void readersNeverSeeAPartOfAPut() {
    int length = 300_000;
    List<byte[]> versions = IntStream.range(0, 4).mapToObj(i -> filled(i, length + i)).toList();
    put("o", versions.get(0));
    for (int round = 0; round < 20; round++) {
      List<CompletableFuture<?>> requests = new ArrayList<>();
      for (byte[] version : versions) {
        requests.add(store.put("o", ByteBuffer.wrap(version), WriteCondition.NONE));
        requests.add(store.get("o", ByteRange.WHOLE, ReadCondition.NONE));
      }
      for (CompletableFuture<?> request : requests) {
        if (request.join() instanceof ObjectBytes) {
          byte[] seen = content((ObjectBytes) request.join());
          assertThat(seen).isEqualTo(versions.get(seen[0]));
        }
      }
    }
  }

  private static byte[] filled(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  @Test
  void listsInUtf8Order() {
    List<String> keys = List.of("a-b", "a.b", "a/b", "a/b c+d&e%20=?", "a0", "é", "\uff5e", "😀");
    for (int i = keys.size() - 1; i >= 0; i--) {
      put(keys.get(i), bytes("x"));
    }
    assertThat(listKeys("")).containsExactlyElementsOf(keys);
    for (String key : keys) {
      assertThat(content(get(key, ByteRange.WHOLE))).as(key).isEqualTo(bytes("x"));
    }
    assertThat(listKeys("a")).hasSize(5);
    assertThat(listKeys("a/")).containsExactly("a/b", "a/b c+d&e%20=?");
    assertThat(listKeys("b")).isEmpty();
    assertThat(listKeys("a/../a")).isEmpty();
  }

  @Test
  void rollsUpAtTheDelimiter() {
    for (String key : List.of("g/zarr.json", "g/a/zarr.json", "g/a/c/0/0", "g/b/zarr.json", "h")) {
      put(key, bytes(key));
    }
    ListPage root = store.list("", "/", "").join();
    assertThat(root.prefixes()).containsExactly("g/");
    assertThat(root.objects()).extracting(ObjectStat::key).containsExactly("h");
    ListPage group = store.list("g/", "/", "").join();
    assertThat(group.prefixes()).containsExactly("g/a/", "g/b/");
    assertThat(group.objects()).extracting(ObjectStat::key).containsExactly("g/zarr.json");
    assertThat(store.list("g/a", "/", "").join().prefixes()).containsExactly("g/a/");
    store.delete("g/b/zarr.json", WriteCondition.NONE).join();
    assertThat(store.list("g/", "/", "").join().prefixes()).containsExactly("g/a/");
  }

  @Test
  void listsManyKeysPageByPage() {
    int count = 1100;
    List<CompletableFuture<String>> puts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = String.format("many/%02d/%04d", i % 7, i);
      puts.add(store.put(key, ByteBuffer.wrap(bytes("x")), WriteCondition.NONE));
    }
    puts.forEach(CompletableFuture::join);
    List<String> listed = listKeys("many/");
    assertThat(listed).hasSize(count).isSorted().doesNotHaveDuplicates();
    store.deleteAll(listed).join();
    assertThat(listKeys("")).isEmpty();
  }

  @Test
  void deletes() {
    String etag = put("a/o", bytes("x"));
    put("a/p", bytes("y"));
    store.delete("a/o", WriteCondition.NONE).join();
    store.delete("a/o", WriteCondition.NONE).join();
    store.delete("absent/o", WriteCondition.NONE).join();
    store.deleteAll(List.of("a/o", "a/p", "absent/o")).join();
    store.deleteAll(List.of()).join();
    assertThat(listKeys("")).isEmpty();
    assertThat(etag).isNotEmpty();
  }

  @Test
  void copies() {
    byte[] bytes = randomBytes(6, 50_000);
    put("a/source", bytes);
    String etag = store.copy("a/source", "b/target", WriteCondition.NONE).join();
    ObjectBytes copy = get("b/target", ByteRange.WHOLE);
    assertThat(content(copy)).isEqualTo(bytes);
    assertThat(copy.etag()).isEqualTo(etag);
    put("a/source", bytes("new"));
    assertThat(content(get("b/target", ByteRange.WHOLE))).isEqualTo(bytes);
    store.copy("a/source", "b/target", WriteCondition.NONE).join();
    assertThat(content(get("b/target", ByteRange.WHOLE))).isEqualTo(bytes("new"));
    assertThat(failure(store.copy("a/source", "b/target", WriteCondition.IF_ABSENT)).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    store.copy("a/source", "c/target", WriteCondition.IF_ABSENT).join();
    assertThat(content(get("c/target", ByteRange.WHOLE))).isEqualTo(bytes("new"));
  }

  @Test
  void keepsKeysBelowKeys() {
    assumeTrue(holdsKeysBelowKeys(), "the store under test cannot hold a and a/b");
    put("a", bytes("1"));
    put("a/b", bytes("2"));
    assertThat(listKeys("")).containsExactly("a", "a/b");
    assertThat(content(get("a", ByteRange.WHOLE))).isEqualTo(bytes("1"));
  }

  @Test
  void refusesMalformedKeysBeforeAnyRequest() {
    List<String> bad =
        List.of("", "/a", "a/", "a//b", ".", "..", "a/./b", "../a", "a/../../b", "a\0b", "\ud800");
    for (String key : bad) {
      assertThat(failure(store.get(key, ByteRange.WHOLE, ReadCondition.NONE)).kind())
          .as(key)
          .isEqualTo(Kind.INVALID);
      assertThat(failure(store.head(key)).kind()).isEqualTo(Kind.INVALID);
      assertThat(failure(store.put(key, ByteBuffer.wrap(bytes("x")), WriteCondition.NONE)).kind())
          .isEqualTo(Kind.INVALID);
      assertThat(failure(store.delete(key, WriteCondition.NONE)).kind()).isEqualTo(Kind.INVALID);
      assertThat(failure(store.deleteAll(List.of("ok", key))).kind()).isEqualTo(Kind.INVALID);
      assertThat(failure(store.copy("ok", key, WriteCondition.NONE)).kind())
          .isEqualTo(Kind.INVALID);
      assertThat(failure(store.copy(key, "ok", WriteCondition.NONE)).kind())
          .isEqualTo(Kind.INVALID);
    }
  }

  @Test
  void servesManyRequestsAtOnce() {
    List<byte[]> contents = IntStream.range(0, 64).mapToObj(i -> randomBytes(i, 10_000)).toList();
    List<CompletableFuture<String>> puts = new ArrayList<>();
    for (int i = 0; i < contents.size(); i++) {
      puts.add(store.put("o/" + i, ByteBuffer.wrap(contents.get(i)), WriteCondition.NONE));
    }
    puts.forEach(CompletableFuture::join);
    List<CompletableFuture<ObjectBytes>> gets = new ArrayList<>();
    for (int i = 0; i < 4 * contents.size(); i++) {
      gets.add(store.get("o/" + i % 64, ByteRange.WHOLE, ReadCondition.NONE));
    }
    for (int i = 0; i < gets.size(); i++) {
      assertThat(content(gets.get(i).join())).isEqualTo(contents.get(i % 64));
    }
  }

  @Test
  void cancelsAndGoesOn() {
    put("o", randomBytes(7, 1_000_000));
    for (int i = 0; i < 50; i++) {
      CompletableFuture<ObjectBytes> request = store.get("o", ByteRange.WHOLE, ReadCondition.NONE);
      request.cancel(true);
    }
    assertThat(get("o", ByteRange.of(0, 10)).bytes().remaining()).isEqualTo(10);
  }

  @Test
  void failsRequestsOnceClosed() {
    put("o", bytes("x"));
    store.close();
    store.close();
    assertThat(failure(store.get("o", ByteRange.WHOLE, ReadCondition.NONE)).kind())
        .isEqualTo(Kind.CANCELLED);
  }
}
