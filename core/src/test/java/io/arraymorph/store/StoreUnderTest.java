package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A store that is opened for each test and closed after it, and what its tests say often. */
public abstract class StoreUnderTest {
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

  /** True if the store under test signs URLs, and its server checks them. */
  protected boolean signsUrls() {
    return false;
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
}
