package io.arraymorph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.arraymorph.store.StoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalObjectStoreTest extends ObjectStoreContract {
  @TempDir Path directory;

  @Override
  protected ObjectStore open() {
    return new LocalObjectStore(directory.resolve("root"));
  }

  @Override
  protected ObjectStore reopen() {
    return open();
  }

  @Override
  protected boolean holdsKeysBelowKeys() {
    return false;
  }

  @Test
  void openObjectsAreOneVersion() {
    String etag = put("a/o", bytes("0123456789"));
    ObjectOpener opener = store.opener().orElseThrow();
    try (OpenObject open = opener.open("a/o", ReadCondition.ifMatch(etag))) {
      assertThat(open.size()).isEqualTo(10);
      assertThat(open.etag()).isEqualTo(etag);
      ByteBuffer memory = ByteBuffer.allocateDirect(4);
      open.read(3, memory);
      open.check();
      assertThat(StandardCharsets.US_ASCII.decode(memory.flip()).toString()).isEqualTo("3456");
      assertThat(kind(() -> open.read(7, ByteBuffer.allocate(4))))
          .isEqualTo(Kind.RANGE_NOT_SATISFIABLE);
      put("a/o", bytes("abcdefghij"));
      ByteBuffer old = ByteBuffer.allocate(2);
      open.read(0, old);
      assertThat(StandardCharsets.US_ASCII.decode(old.flip()).toString()).isEqualTo("01");
      assertThat(kind(open::check)).isEqualTo(Kind.PRECONDITION_FAILED);
    }
    assertThat(kind(() -> opener.open("a/o", ReadCondition.ifMatch(etag))))
        .isEqualTo(Kind.PRECONDITION_FAILED);
    assertThat(kind(() -> opener.open("a/none", ReadCondition.NONE))).isEqualTo(Kind.NOT_FOUND);
    assertThat(kind(() -> opener.open("a", ReadCondition.NONE))).isEqualTo(Kind.NOT_FOUND);
    assertThat(kind(() -> opener.open("../x", ReadCondition.NONE))).isEqualTo(Kind.INVALID);
  }

  private static Kind kind(ThrowingCallable call) {
    return catchThrowableOfType(StoreException.class, call).kind();
  }

  @Test
  void leavesNothingBehind() throws IOException {
    String etag = put("a/b/o", bytes("x"));
    store.put("a/b/p", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT).join();
    failure(store.put("a/b/p", ByteBuffer.wrap(bytes("x")), WriteCondition.IF_ABSENT));
    failure(store.put("a/b/p", ByteBuffer.wrap(bytes("x")), WriteCondition.ifMatch("other")));
    etag = store.put("a/b/o", ByteBuffer.wrap(bytes("y")), WriteCondition.ifMatch(etag)).join();
    store.copy("a/b/o", "a/c/q", WriteCondition.NONE).join();
    try (Stream<Path> files = Files.walk(directory.resolve("root"))) {
      assertThat(files.filter(Files::isRegularFile).map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder("o", "p", "q");
    }
    assertThat(failure(store.delete("a/b/o", WriteCondition.ifMatch("other"))).kind())
        .isEqualTo(Kind.PRECONDITION_FAILED);
    store.delete("a/b/o", WriteCondition.ifMatch(etag)).join();
    store.deleteAll(List.of("a/b/p", "a/c/q")).join();
    assertThat(directory.resolve("root")).isEmptyDirectory();
  }

  @Test
  void keysBelowKeysAreRefused() {
    put("a", bytes("1"));
    put("b/c", bytes("1"));
    for (String key : List.of("a/b", "a/b/c", "b")) {
      for (WriteCondition condition : List.of(WriteCondition.NONE, WriteCondition.IF_ABSENT)) {
        assertThat(failure(store.put(key, ByteBuffer.wrap(bytes("x")), condition)).kind())
            .as(key)
            .isEqualTo(Kind.INVALID);
      }
    }
    assertThat(listKeys("")).containsExactly("a", "b/c");
    store.delete("a/b", WriteCondition.NONE).join();
    store.delete("b", WriteCondition.NONE).join();
    assertThat(listKeys("")).containsExactly("a", "b/c");
  }

  @Test
  void etagsDifferEvenWhenInodesAreReusedAtOnce() {
    Set<String> etags = new HashSet<>();
    for (int i = 0; i < 2000; i++) {
      etags.add(put("o", bytes(String.format("%04d", i))));
    }
    assertThat(etags).hasSize(2000);
  }

  @Test
  void filesOfOthersAreObjects() throws IOException {
    Path root = Files.createDirectories(directory.resolve("root/x"));
    Files.writeString(root.resolve("o"), "text");
    Files.createDirectories(root.resolve("empty/empty"));
    Files.createSymbolicLink(root.resolve("loop"), root);
    Files.createSymbolicLink(root.resolve("dangling"), root.resolve("nowhere"));
    Path outside = Files.createDirectories(directory.resolve("outside"));
    Files.writeString(outside.resolve("linked"), "linked");
    Files.createSymbolicLink(root.resolve("out"), outside);
    assertThat(content(get("x/o", ByteRange.WHOLE))).isEqualTo(bytes("text"));
    assertThat(content(get("x/out/linked", ByteRange.WHOLE))).isEqualTo(bytes("linked"));
    assertThat(store.list("x/", "/", "").join().prefixes()).containsExactly("x/loop/", "x/out/");
    assertThat(listKeys("x/o")).containsExactly("x/o", "x/out/linked");
  }

  @Test
  void putsAndDeletesOfOneDirectoryDoNotDisturbEachOther() {
    List<CompletableFuture<?>> requests = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      // The first share a directory, each of the others has one that comes and goes with it.
      String key = i < 2000 ? "d/e/" + i % 4 : "f/" + i % 3 + "/g/h";
      requests.add(store.put(key, ByteBuffer.wrap(bytes("x")), WriteCondition.NONE));
      requests.add(store.delete(key, WriteCondition.NONE));
    }
    requests.forEach(CompletableFuture::join);
  }

  @Test
  void namesAndModesThatTheFileSystemRefuses() throws IOException {
    String longName = "n".repeat(300);
    assertThat(
            failure(store.put(longName, ByteBuffer.wrap(bytes("x")), WriteCondition.NONE)).kind())
        .isEqualTo(Kind.INVALID);
    String own = LocalObjectStore.HIDDEN_PREFIX + "x";
    assertThat(failure(store.put("a/" + own, ByteBuffer.wrap(bytes("x")), WriteCondition.NONE)))
        .hasMessageContaining("store itself");
  }

  @Test
  void aFullDiskIsSaidSo() {
    assumeTrue(Files.isWritable(Path.of("/dev/full")), "needs /dev/full");
    assertThat(LocalFailures.of("o", fullDisk()).kind()).isEqualTo(Kind.FULL);
  }

  private static IOException fullDisk() {
    try {
      Files.write(Path.of("/dev/full"), new byte[10]);
      throw new IllegalStateException("/dev/full took bytes");
    } catch (IOException e) {
      return e;
    }
  }

  @Test
  void onlyOneOfManyProcessesPutsIfMatch() throws Exception {
    String etag = put("race", bytes("before"));
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      processes.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  IncrementingProcess.class.getName(),
                  directory.resolve("root").toString())
              .inheritIO()
              .start());
    }
    put("count", bytes("0"));
    put("go", bytes(etag));
    for (Process process : processes) {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
    }
    assertThat(content(get("count", ByteRange.WHOLE))).isEqualTo(bytes("200"));
  }

  /** Adds one to a counter object 50 times, by compare and swap. */
  static final class IncrementingProcess {
    private IncrementingProcess() {}

    public static void main(String[] args) throws Exception {
      try (LocalObjectStore store = new LocalObjectStore(Path.of(args[0]))) {
        for (int i = 0; i < 600 && !Files.exists(Path.of(args[0], "go")); i++) {
          Thread.sleep(100);
        }
        for (int done = 0; done < 50; ) {
          ObjectBytes count = store.get("count", ByteRange.WHOLE, ReadCondition.NONE).get();
          int next = Integer.parseInt(new String(content(count), StandardCharsets.UTF_8)) + 1;
          WriteCondition condition = WriteCondition.ifMatch(count.etag());
          try {
            store.put("count", ByteBuffer.wrap(bytes("" + next)), condition).get();
            done++;
          } catch (ExecutionException e) {
            if (((StoreException) e.getCause()).kind() != Kind.PRECONDITION_FAILED) {
              throw e;
            }
          }
        }
      }
    }
  }
}
