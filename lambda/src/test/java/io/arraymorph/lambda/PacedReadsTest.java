package io.arraymorph.lambda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.arraymorph.store.ObjectBytes;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class PacedReadsTest {
  private static final int PROCESSORS = 2;

  private final List<CompletableFuture<ObjectBytes>> sent = new ArrayList<>();
  private long now = 1_000;
  private final PacedReads reads = new PacedReads(PROCESSORS, () -> now);

  private List<CompletableFuture<ObjectBytes>> ask(int count) {
    List<CompletableFuture<ObjectBytes>> answers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      answers.add(
          reads.get(
              () -> {
                CompletableFuture<ObjectBytes> read = new CompletableFuture<>();
                sent.add(read);
                return read;
              }));
    }
    return answers;
  }

  private static ObjectBytes bytes(int value) {
    return new ObjectBytes(ByteBuffer.wrap(new byte[] {(byte) value}), 0, 1, "v");
  }

  /** Answers all that was sent, each after a time, until nothing is left. */
  private int answerAll(Duration time) {
    int most = 0;
    for (int at = 0; at < sent.size(); ) {
      most = Math.max(most, sent.size() - at);
      now += time.toNanos();
      sent.get(at).complete(bytes(at));
      at++;
    }
    sent.clear();
    return most;
  }

  @Test
  void aStoreThatHasNotAnsweredYetIsAskedForAllAtOnce() {
    List<CompletableFuture<ObjectBytes>> answers = ask(300);
    assertThat(sent).hasSize(256);
    answerAll(Duration.ofMillis(1));
    assertThat(answers).allMatch(CompletableFuture::isDone);
    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i).join().bytes().get(0)).isEqualTo((byte) i);
    }
  }

  @Test
  void aNearStoreIsAskedForSomeAtATimeAndAFarOneForMany() {
    ask(1);
    answerAll(Duration.ofNanos(300_000));
    assertThat(reads.slots()).isEqualTo(16 * PROCESSORS);
    List<CompletableFuture<ObjectBytes>> answers = ask(100);
    assertThat(sent).hasSize(16 * PROCESSORS);
    assertThat(answerAll(Duration.ofNanos(300_000))).isEqualTo(16 * PROCESSORS);
    assertThat(answers).allMatch(CompletableFuture::isDone);
    PacedReads far = new PacedReads(PROCESSORS, () -> now);
    CompletableFuture<ObjectBytes> read = new CompletableFuture<>();
    CompletableFuture<ObjectBytes> unused = far.get(() -> read);
    now += Duration.ofMillis(8).toNanos();
    read.complete(bytes(1));
    assertThat(far.slots()).isEqualTo(160);
  }

  @Test
  void whatAnsweredFastSomeSecondsAgoIsForgotten() {
    ask(1);
    answerAll(Duration.ofNanos(1));
    assertThat(reads.slots()).isEqualTo(16 * PROCESSORS);
    now += Duration.ofSeconds(11).toNanos();
    ask(1);
    answerAll(Duration.ofMillis(20));
    assertThat(reads.slots()).isEqualTo(256);
  }

  @Test
  void failuresAndCancelledReadsFreeTheirPlaces() {
    ask(1);
    answerAll(Duration.ofNanos(1));
    int places = 16 * PROCESSORS;
    List<CompletableFuture<ObjectBytes>> answers = ask(2 * places);
    assertThat(sent).hasSize(places);
    sent.get(0).completeExceptionally(new IllegalStateException("broken"));
    assertThatThrownBy(answers.get(0)::join)
        .isInstanceOf(CompletionException.class)
        .hasRootCauseMessage("broken");
    answers.get(1).cancel(true);
    assertThat(sent.get(1)).isCancelled();
    answers.get(2 * places - 1).cancel(true);
    answerAll(Duration.ofNanos(1));
    assertThat(answers).allMatch(CompletableFuture::isDone);
    CompletableFuture<ObjectBytes> thrown =
        reads.get(
            () -> {
              throw new IllegalStateException("not sent");
            });
    assertThatThrownBy(thrown::join).hasRootCauseMessage("not sent");
    ask(2 * places);
    assertThat(sent).hasSize(places);
  }

  @Test
  void readsThatAreAnsweredAtOnceDoNotPileUp() {
    ask(1);
    answerAll(Duration.ofNanos(1));
    ask(4);
    List<CompletableFuture<ObjectBytes>> answers = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      answers.add(reads.get(() -> CompletableFuture.completedFuture(bytes(1))));
    }
    sent.forEach(read -> read.complete(bytes(0)));
    assertThat(answers).allMatch(CompletableFuture::isDone);
  }
}
