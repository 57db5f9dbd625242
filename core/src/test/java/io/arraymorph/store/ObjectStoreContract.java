package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.store.StoreException.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every {@link ObjectStore} must do; an implementation's test extends this class. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class ObjectStoreContract extends ObjectStoreReadContract {
  private static final int WRITERS = 32;

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
